/** The sandbox continues from responses that it stores, by the ID of the whole or of one item, until its storage is full. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import OpenAI from 'openai'
import { manualClock } from '../../test/support/manual-clock.ts'
import { type Sandbox, sandboxLimits, startSandbox } from '../sandbox.ts'

type Request = OpenAI.Responses.ResponseCreateParamsNonStreaming

const clock = manualClock()
let sandbox: Sandbox
let client: OpenAI

before(async () => {
  sandbox = await startSandbox({ clock, limits: { ...sandboxLimits, storedResponseBytesMax: 2_000 } })
  client = new OpenAI({ apiKey: 'any', baseURL: `${sandbox.origin}/v1`, maxRetries: 0 })
})
after(() => sandbox.close())

const model = 'sandbox-responses-thinking-tools'
const tools: Request['tools'] = [
  { type: 'function', name: 'note', strict: true, parameters: { type: 'object', properties: {} } },
]
const request = (request: Partial<Request>): Promise<OpenAI.Responses.Response> =>
  client.responses.create({ model, tools, ...request } as Request)
const inputOf = ({ usage }: OpenAI.Responses.Response): number => usage?.input_tokens ?? 0

test('a conversation continues by the ID of its last response', async () => {
  const first = await request({ input: 'use note {}' })
  const call = first.output.find((item) => item.type === 'function_call')
  assert.ok(call !== undefined)
  const result = { type: 'function_call_output', call_id: call.call_id, output: 'noted' } as const
  const second = await request({ previous_response_id: first.id, input: [result] })
  assert.match(second.output_text, /noted/)
  assert.ok(inputOf(second) > inputOf(first))
  const third = await request({ previous_response_id: second.id, input: 'say plum', store: false })
  assert.ok(inputOf(third) > inputOf(second))
  await assert.rejects(request({ previous_response_id: third.id, input: 'x' }), {
    code: 'previous_response_not_found',
  })
})

test('items are taken by their ids, with the reasoning that belongs to them', async () => {
  const first = await request({ input: 'say fig' })
  const references = first.output.map(({ id }) => ({ type: 'item_reference' as const, id: id ?? '' }))
  const more = { role: 'user' as const, content: 'say plum' }
  const second = await request({ input: [{ role: 'user', content: 'say fig' }, ...references, more] })
  assert.ok(inputOf(second) > inputOf(first))
  const [, ...withoutReasoning] = references
  await assert.rejects(
    request({ input: [...withoutReasoning, more] }),
    /without its required 'reasoning' item/,
  )
  await assert.rejects(
    request({ input: [{ type: 'item_reference', id: 'msg_1' }, more] }),
    /'msg_1' not found/,
  )
})

test('the oldest go when there is no room', async () => {
  const first = await request({ input: 'say fig' })
  await request({ input: `say ${'fig '.repeat(400)}` })
  await assert.rejects(request({ previous_response_id: first.id, input: 'x' }), {
    code: 'previous_response_not_found',
  })
})
