/** A chat body for a host with differences, by the data of a row. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestDifferences } from '../host-differences.ts'
import { applyEdits } from '../json/json.ts'
import { tagged } from '../translation/reasoning-carriers.ts'
import { adaptRequest } from './encode-request-host.ts'
import { extractRequest, patchRequest } from './extract-request.ts'

const limits = { depthMax: 64, valuesMax: 10_000, integerMax: 1_000_000_000 }

interface Adapted {
  readonly body: Record<string, unknown>
  readonly adjusted: readonly string[]
}

/** What goes upstream: the patches of the request and those of the host together, as they are sent. */
function adapted(given: unknown, differences: RequestDifferences, outputLimit?: number): Adapted {
  const bytes = Buffer.from(typeof given === 'string' ? given : JSON.stringify(given))
  const fields = extractRequest(bytes, limits)
  const { patches, adjusted } = adaptRequest(bytes, limits, differences)
  const edits = patchRequest(fields, {
    model: 'there',
    ...(outputLimit === undefined ? {} : { outputLimit }),
    host: differences,
  })
  const all = [...edits, ...patches].sort((a, b) => a.start - b.start)
  const text = Buffer.concat(applyEdits(bytes, all)).toString()
  return {
    body: JSON.parse(text) as Record<string, unknown>,
    adjusted: adjusted.map(({ kind, field }) => `${kind}=${field}`),
  }
}

const messages = [{ role: 'user', content: 'hi' }]

test('the output limit goes under the one name that the host takes', () => {
  const only = { limitField: 'max_tokens' } as const
  const of = (given: object, outputLimit?: number) => {
    const {
      model: _,
      messages: __,
      ...rest
    } = adapted({ model: 'm', messages, ...given }, only, outputLimit).body
    return rest
  }
  assert.deepEqual(of({}), {})
  assert.deepEqual(of({}, 7), { max_tokens: 7 })
  assert.deepEqual(of({ max_completion_tokens: 9 }), { max_tokens: 9 })
  assert.deepEqual(of({ max_completion_tokens: 9 }, 7), { max_tokens: 7 })
  assert.deepEqual(of({ max_completion_tokens: 9, max_tokens: 8 }, 7), { max_tokens: 7 })
  assert.deepEqual(of({ max_tokens: 5, max_completion_tokens: 9 }, 7), { max_tokens: 5 })
  assert.deepEqual(of({ max_completion_tokens: null }, 7), { max_tokens: 7 })
  assert.deepEqual(of({ max_tokens: null, max_completion_tokens: null }), {})
})

test('members that the host rejects are removed in every position, and reported to the caller', () => {
  const differences = {
    drops: ['seed', 'user', 'store'],
    messageDrops: ['name'],
    limitField: 'max_tokens',
  } as const
  const named = [
    { name: 'bob', role: 'user', content: 'hi' },
    { role: 'user', content: 'you', name: 'eve' },
  ]
  for (const given of [
    { seed: 1, user: 'u', store: true, model: 'm', messages: named },
    { model: 'm', seed: 1, messages: named, user: 'u', store: false },
    { user: 'u', model: 'm', messages: named, store: true, seed: 1, max_completion_tokens: 3 },
  ]) {
    const { body, adjusted } = adapted(given, differences, 3)
    assert.deepEqual(body, {
      model: 'there',
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'user', content: 'you' },
      ],
      max_tokens: 3,
    })
    assert.deepEqual(adjusted, [
      ...['dropped=seed', 'dropped=user', 'dropped=store'],
      ...('max_completion_tokens' in given ? ['adapted=max_completion_tokens'] : []),
      'dropped=messages[].name',
    ])
  }
})

test('usage is asked for where the host takes the question, and not where it reports unasked', () => {
  const streamed = { model: 'm', stream: true, messages }
  assert.deepEqual(adapted(streamed, {}).body.stream_options, { include_usage: true })
  const asked = { ...streamed, stream_options: { include_usage: true } }
  for (const given of [streamed, asked]) {
    const { body, adjusted } = adapted(given, { streamUsage: 'unasked' })
    assert.deepEqual(body, { model: 'there', stream: true, messages })
    assert.deepEqual(adjusted, [])
  }
})

test("names, words and added members are the host's", () => {
  const { body, adjusted } = adapted(
    { model: 'm', messages, seed: 4, tool_choice: 'required' },
    {
      renames: { seed: 'random_seed' },
      words: { tool_choice: { required: 'any' } },
      adds: { safe: 'true', seed: '1' },
    },
  )
  assert.deepEqual(body, { safe: true, model: 'there', messages, random_seed: 4, tool_choice: 'any' })
  assert.deepEqual(adjusted, ['adapted=seed', 'adapted=tool_choice'])
})

test("an effort goes as the host's own switch, unless the caller used that one", () => {
  const effortAs = { member: 'thinking', off: '{"type":"disabled"}', on: '{"type":"enabled"}' }
  const of = (given: object, as: RequestDifferences['effortAs'] = effortAs) => {
    const {
      model: _,
      messages: __,
      ...rest
    } = adapted({ model: 'm', messages, ...given }, { effortAs: as }).body
    return rest
  }
  assert.deepEqual(of({ reasoning_effort: 'none' }), { thinking: { type: 'disabled' } })
  assert.deepEqual(of({ reasoning_effort: 'high' }), { thinking: { type: 'enabled' } })
  const { on: _, ...offOnly } = effortAs
  assert.deepEqual(of({ reasoning_effort: 'high' }, offOnly), { reasoning_effort: 'high' })
  const own = { thinking: { type: 'enabled' } }
  assert.deepEqual(of({ ...own, reasoning_effort: 'none' }), own)
})

test('ids of tool calls have the form that the host takes, calls and results stay together, and history keeps its bytes', () => {
  const ids = ['toolu_01ABCDEFGH', 'call_abcdefgh1', 'call_abcdefgh2', 'x'.repeat(67), 'abcDEF123']
  const history = [
    ...messages,
    {
      role: 'assistant',
      content: '',
      tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
    },
    ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'r' })),
  ]
  const once = adapted({ model: 'm', messages: history }, { toolIdLength: 9 }).body
  assert.deepEqual(adapted({ model: 'm', messages: history }, { toolIdLength: 9 }).body, once)
  const [, said, ...results] = once.messages as { tool_calls: { id: string }[]; tool_call_id: string }[]
  const called = said?.tool_calls.map(({ id }) => id) ?? []
  assert.deepEqual(
    results.map(({ tool_call_id: id }) => id),
    called,
  )
  assert.equal(new Set(called).size, ids.length)
  for (const id of called) assert.match(id, /^[a-zA-Z0-9]{9}$/)
  assert.equal(called.at(-1), 'abcDEF123')
})

test('a thought that the client dropped is a blank one where the host refuses history without', () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
  const history = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
    { role: 'assistant', tool_calls: [call] },
    { role: 'assistant', reasoning_content: 'kept', tool_calls: [call] },
  ]
  const thoughts = (on: 'known' | 'with_tools' | 'always') =>
    (
      adapted({ model: 'm', messages: history }, { reasoningHistory: { member: 'reasoning_content', on } })
        .body.messages as { reasoning_content?: string }[]
    ).map((message) => message.reasoning_content)
  assert.deepEqual(thoughts('always'), [undefined, ' ', ' ', 'kept'])
  assert.deepEqual(thoughts('with_tools'), [undefined, undefined, ' ', 'kept'])
  assert.deepEqual(thoughts('known'), [undefined, undefined, undefined, 'kept'])
})

test("another vendor's thoughts give way to a blank one", () => {
  const signature = tagged({ vendor: 'anthropic', data: 'signed' })
  const details = [{ type: 'reasoning.text', text: 'hers', signature }]
  const thoughts = { reasoning_content: 'hers', reasoning_details: details }
  for (const message of [
    { role: 'assistant', content: 'b', ...thoughts },
    { ...thoughts, role: 'assistant', content: 'b' },
  ]) {
    const { body } = adapted(
      { model: 'm', messages: [message] },
      { reasoningHistory: { member: 'reasoning_content', on: 'always' } },
    )
    assert.deepEqual(body.messages, [{ reasoning_content: ' ', role: 'assistant', content: 'b' }])
  }
})
