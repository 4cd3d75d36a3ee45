/** What a response says that its provider stores: under which IDs, the size of each, and at most a given number. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import type { ProviderObject, TapOptions } from '../format.ts'
import { extractResponse } from './extract-response.ts'
import { tapStream } from './tap-stream.ts'

const options: TapOptions = {
  usageEvent: 'relay',
  choices: 1,
  eventBytesMax: 1024 * 1024,
  sampleCharactersMax: 50,
}
const words = { type: 'message', id: 'msg_1', role: 'assistant', content: [] }
const thought = { type: 'reasoning', id: 'rs_1', summary: [] }
const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' }
const picture = { type: 'image_generation_call', id: 'ig_1', result: 'AAAA' }

const stored = (output: readonly object[], more: object = {}): object => ({
  id: 'resp_1',
  status: 'completed',
  store: true,
  truncation: 'disabled',
  output,
  ...more,
})
const many = Array.from({ length: 300 }, (_, index) => ({ ...words, id: `msg_${index}` }))

const cases: [name: string, answer: object, expected: string[]][] = [
  ['an answer', stored([thought, words]), ['resp_1 all', 'rs_1 output', 'msg_1 output']],
  ['one that searched', stored([search, words]), ['resp_1 all', 'ws_1 all', 'msg_1 output']],
  ['one with a picture', stored([picture]), ['resp_1 window', 'ig_1 window']],
  ['one cut at its front', stored([words], { truncation: 'auto' }), ['resp_1 window', 'msg_1 output']],
  [
    'one without a word on cutting',
    stored([words], { truncation: undefined }),
    ['resp_1 all', 'msg_1 output'],
  ],
  ['one that is not stored', stored([words], { store: false }), []],
  ['one that does not say so', stored([words], { store: undefined }), []],
  ['one without an id', stored([words], { id: 5 }), []],
  ['one with a strange id', stored([words], { id: 'resp 1' }), []],
  ['an item with a long id', stored([{ ...words, id: 'm'.repeat(300) }]), ['resp_1 all']],
  ['an item that has the id of the whole', stored([{ ...words, id: 'resp_1' }]), ['resp_1 all']],
  ['many items', stored(many), ['resp_1 all', ...many.slice(0, 256).map(({ id }) => `${id} output`)]],
]

const lines = (objects: readonly ProviderObject[] | undefined) =>
  objects?.map(({ id, referencedScope }) => `${id} ${referencedScope}`)
const event = (type: string, members: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`

for (const [name, answer, expected] of cases) {
  test(`provider objects: ${name}`, () => {
    assert.deepEqual(
      lines(extractResponse(Buffer.from(JSON.stringify(answer)), 50).providerObjects),
      expected,
    )
    const watch = tapStream(options)
    watch.push(Buffer.from(event('response.completed', { response: answer })))
    assert.equal(watch.state, 'complete')
    assert.deepEqual(lines(watch.providerObjects), expected)
  })
}

test('items missing from the terminal event were reported before it', () => {
  const watch = tapStream(options)
  watch.push(Buffer.from(event('response.output_item.done', { output_index: 0, item: words })))
  assert.deepEqual(watch.providerObjects, [])
  watch.push(Buffer.from(event('response.incomplete', { response: stored([]) })))
  assert.deepEqual(lines(watch.providerObjects), ['resp_1 all', 'msg_1 output'])
})

test('an answer that failed leaves nothing', () => {
  const watch = tapStream(options)
  watch.push(Buffer.from(event('response.output_item.done', { output_index: 0, item: words })))
  watch.push(Buffer.from(event('response.failed', { response: { ...stored([]), error: { code: 'x' } } })))
  assert.equal(watch.state, 'failed')
  assert.deepEqual(watch.providerObjects, [])
})

test('of recorded answers all items can be referred to', () => {
  const cases = fixtureCases('openai-responses')
  let answers = 0
  for (const { name, kind, response } of cases) {
    if (kind !== 'json') continue
    const { id, store, output } = JSON.parse(Buffer.from(response).toString()) as {
      id: string
      store?: boolean
      output?: { id: string }[]
    }
    const ids = extractResponse(response, 50).providerObjects?.map(({ id }) => id)
    assert.deepEqual(ids, store === true ? [id, ...(output ?? []).map((item) => item.id)] : [], name)
    if (store === true) answers += 1
  }
  assert.ok(answers > 0 || cases.length === 0)
})
