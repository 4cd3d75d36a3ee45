/** Responses as the official library and a plain client see it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import OpenAI from 'openai'
import { manualClock } from '../../test/support/manual-clock.ts'
import { eventsIn, exchange } from '../../test/support/sandbox-client.ts'
import { plainRequest } from '../../test/support/sandbox-formats.ts'
import { sandboxTokens } from '../request/tokens.ts'
import { type Sandbox, startSandbox } from '../sandbox.ts'
import { wordsOf } from '../scenarios/words.ts'

const clock = manualClock()
let sandbox: Sandbox
let client: OpenAI

before(async () => {
  sandbox = await startSandbox({ clock })
  client = new OpenAI({ apiKey: 'any', baseURL: `${sandbox.origin}/v1`, maxRetries: 0 })
})
after(() => sandbox.close())

type Request = OpenAI.Responses.ResponseCreateParamsNonStreaming
/** The library's type for streams knows no field that may be undefined. */
type Streamed = Parameters<OpenAI['responses']['stream']>[0]

const tools: Request['tools'] = [
  {
    type: 'function',
    name: 'find_weather',
    strict: true,
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
    },
  },
]

/** The same answer, whole and accumulated from a stream. */
async function bothWays(request: Request): Promise<readonly OpenAI.Responses.Response[]> {
  return [
    await client.responses.create(request),
    await client.responses.stream(request as Streamed).finalResponse(),
  ]
}

test('echo, not streamed: the text, its usage and the id', async () => {
  const { data: answer, request_id } = await client.responses
    .create(
      { model: 'sandbox-echo', instructions: 'Be kind.', input: 'Hello there, you' },
      { headers: { 'x-request-id': 'echo-1' } },
    )
    .withResponse()
  assert.equal(request_id, 'echo-1')
  assert.match(answer.id, /^resp_[A-Za-z0-9]{22}$/)
  assert.equal(answer.created_at, Math.floor(clock.wallMs() / 1_000))
  assert.deepEqual([answer.output_text, answer.status], ['Hello there, you', 'completed'])
  const output = sandboxTokens('Hello there, you')
  const input = sandboxTokens('Be kind.') + output
  assert.deepEqual(
    [answer.usage?.input_tokens, answer.usage?.output_tokens, answer.usage?.total_tokens],
    [input, output, input + output],
  )
  const logged = sandbox.logged('echo-1')
  assert.deepEqual(
    [logged?.inputTokens, logged?.outputTokens, logged?.reportedOutputTokens, logged?.finished],
    [input, output, output, true],
  )
})

test("the response repeats the request's settings, and defaults for the rest", async () => {
  const answer = await client.responses.create({
    model: 'sandbox-echo',
    input: 'hi',
    tools,
    temperature: 0.5,
    metadata: { a: 'b' },
    text: { verbosity: 'low' },
  })
  assert.deepEqual(
    [answer.temperature, answer.metadata, answer.tools, answer.tool_choice],
    [0.5, { a: 'b' }, tools, 'auto'],
  )
  assert.deepEqual(answer.text, { format: { type: 'text' }, verbosity: 'low' })
})

test('a stream: events in the order of the protocol, one a token, each named and numbered', async () => {
  const { body, headers } = await exchange(
    sandbox.origin,
    plainRequest('openai-responses', 'sandbox-stream', 'tokens=3'),
  )
  assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8')
  const events = eventsIn(body) as OpenAI.Responses.ResponseStreamEvent[]
  const names = body.split('\n').flatMap((line) => (line.startsWith('event: ') ? [line.slice(7)] : []))
  assert.deepEqual(names, [
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    ...wordsOf(3).map(() => 'response.output_text.delta'),
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
  assert.deepEqual(
    events.map(({ type, sequence_number }) => [type, sequence_number]),
    names.map((name, index) => [name, index]),
  )
  const last = events.at(-1)
  assert.ok(last?.type === 'response.completed')
  assert.equal(last.response.usage?.output_tokens, 3)
})

test('the limit cuts the answer and says so', async () => {
  for (const answer of await bothWays({ model: 'sandbox-stream', input: 'go', max_output_tokens: 16 })) {
    assert.equal(answer.output_text, wordsOf(16).join(''))
    assert.deepEqual(
      [answer.status, answer.incomplete_details, answer.usage?.output_tokens],
      ['incomplete', { reason: 'max_output_tokens' }, 16],
    )
    const [item] = answer.output
    assert.ok(item?.type === 'message' && item.status === 'incomplete')
  }
})

test('reasoning is a separate item: summarized or not, encrypted on request, counted', async () => {
  const request: Request = { model: 'sandbox-think:thinking=10:tokens=5', input: 'go' }
  for (const answer of await bothWays({ ...request, reasoning: { summary: 'auto' }, store: false })) {
    const [reasoning, message] = answer.output
    assert.ok(reasoning?.type === 'reasoning' && message?.type === 'message')
    assert.deepEqual(reasoning.summary, [{ type: 'summary_text', text: wordsOf(10).join('') }])
    assert.match(reasoning.encrypted_content ?? '', /^[\w-]{40,}$/)
    assert.equal(answer.usage?.output_tokens, 15)
    assert.equal(answer.usage?.output_tokens_details.reasoning_tokens, 10)
  }
  for (const answer of await bothWays(request)) {
    const [reasoning] = answer.output
    assert.ok(reasoning?.type === 'reasoning')
    assert.deepEqual([reasoning.summary, 'encrypted_content' in reasoning], [[], false])
  }
  const without = await client.responses.create({ ...request, reasoning: { effort: 'none' } })
  assert.deepEqual([without.output.length, without.usage?.output_tokens], [1, 5])
})

test('what the answer held is taken back as it is, with ids or sealed, and not in part', async () => {
  const user = { role: 'user' as const, content: 'go' }
  const base: Request = { model: 'sandbox-think:thinking=5:tokens=5', input: [user], store: false }
  const { output } = await client.responses.create(base)
  const [reasoning, message] = output as [
    OpenAI.Responses.ResponseReasoningItem,
    OpenAI.Responses.ResponseOutputMessage,
  ]
  const { id: _, ...nameless } = reasoning
  const { encrypted_content: __, ...unencrypted } = reasoning
  const { id: ___, ...freeMessage } = message
  const statusOf = async (input: readonly object[], store = false): Promise<number | undefined> => {
    const request = { ...base, store, input: [user, ...input, user] as Request['input'] }
    return client.responses.create(request as Request).then(
      () => 200,
      (error: unknown) => (error instanceof OpenAI.APIError ? error.status : undefined),
    )
  }
  assert.equal(await statusOf([reasoning, message]), 200)
  assert.equal(await statusOf([nameless, freeMessage]), 200)
  assert.equal(await statusOf([freeMessage]), 200)
  assert.equal(await statusOf([unencrypted, message], true), 200)
  assert.equal(await statusOf([unencrypted, message]), 404)
  assert.equal(await statusOf([message]), 400)
  assert.equal(await statusOf([reasoning]), 400)
})

test('the seal of reasoning that had only begun is not taken back', async () => {
  const more = { reasoning: { summary: 'auto' }, store: false }
  const { body } = await exchange(
    sandbox.origin,
    plainRequest('openai-responses', 'sandbox-think', 'go', { more }),
  )
  const events = eventsIn(body) as OpenAI.Responses.ResponseStreamEvent[]
  const statuses: number[] = []
  for (const type of ['response.output_item.added', 'response.output_item.done'] as const) {
    const event = events.find((found) => found.type === type)
    assert.ok(event?.type === type && event.item.type === 'reasoning')
    const item = { ...event.item, summary: [] }
    const input = [{ role: 'user', content: 'go' }, item, { role: 'assistant', content: 'so' }]
    const reply = await exchange(
      sandbox.origin,
      plainRequest('openai-responses', 'sandbox-echo', 'hi', {
        more: { input: [...input, { role: 'user', content: 'and?' }], store: false },
      }),
    )
    statuses.push(reply.status)
  }
  assert.deepEqual(statuses, [400, 200])
})

test('input_tokens counts what a request would be charged', async () => {
  const request = { model: 'sandbox-echo', instructions: 'Be kind.', input: 'Hello there', tools }
  const counted = await client.responses.inputTokens.count(request)
  const answered = await client.responses.create(request)
  assert.deepEqual(
    [counted.object, counted.input_tokens],
    ['response.input_tokens', answered.usage?.input_tokens],
  )
})

test('an error inside a stream is numbered on, and the answer that failed follows it', async () => {
  const { body } = await exchange(
    sandbox.origin,
    plainRequest('openai-responses', 'sandbox-error-after', 'events=2'),
  )
  const events = eventsIn(body) as OpenAI.Responses.ResponseStreamEvent[]
  assert.deepEqual(
    events.map(({ sequence_number }) => sequence_number),
    events.map((_, index) => index),
  )
  const failed = events.at(-1)
  assert.ok(failed?.type === 'response.failed')
  assert.deepEqual([failed.response.status, failed.response.error?.code], ['failed', 'server_error'])
  const [created] = events
  assert.ok(created?.type === 'response.created')
  assert.equal(created.response.id, failed.response.id)
})
