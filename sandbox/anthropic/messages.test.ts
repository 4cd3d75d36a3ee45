/** Messages as the official library and a plain client see it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { manualClock } from '../../test/support/manual-clock.ts'
import { eventsIn, exchange, plainBody } from '../../test/support/sandbox-client.ts'
import { sandboxTokens } from '../request/tokens.ts'
import { type Sandbox, startSandbox } from '../sandbox.ts'
import { wordsOf } from '../scenarios/words.ts'
import { signThinking } from '../signature.ts'

const path = '/v1/messages'
const clock = manualClock()
let sandbox: Sandbox
let client: Anthropic

before(async () => {
  sandbox = await startSandbox({ clock })
  client = new Anthropic({ apiKey: 'any', baseURL: sandbox.origin, maxRetries: 0 })
})
after(() => sandbox.close())

type Request = Anthropic.MessageCreateParamsNonStreaming

function request(model: string, content: string, more: Partial<Request> = {}): Request {
  return { model, max_tokens: 1_000, messages: [{ role: 'user', content }], ...more }
}

const tools: Anthropic.Tool[] = [
  {
    name: 'find_weather',
    input_schema: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
    },
  },
]

test('echo, not streamed: the text, its usage and the id', async () => {
  const { data: answer, request_id } = await client.messages
    .create(request('sandbox-echo', 'Hello there, you', { system: 'Be kind.' }), {
      headers: { 'x-request-id': 'echo-1' },
    })
    .withResponse()
  assert.equal(request_id, 'echo-1')
  assert.match(answer.id, /^msg_01[A-Za-z0-9]{22}$/)
  assert.deepEqual(answer.content, [{ type: 'text', text: 'Hello there, you' }])
  assert.equal(answer.stop_reason, 'end_turn')
  const [input, output] = [
    sandboxTokens('Be kind.') + sandboxTokens('Hello there, you'),
    sandboxTokens('Hello there, you'),
  ]
  assert.deepEqual([answer.usage.input_tokens, answer.usage.output_tokens], [input, output])
  const logged = sandbox.logged('echo-1')
  assert.deepEqual([logged?.inputTokens, logged?.outputTokens, logged?.finished], [input, output, true])
})

test('a stream: events in the order of the protocol, one a token, each named', async () => {
  const { body, headers } = await exchange(sandbox.origin, {
    path,
    body: plainBody('sandbox-stream', 'tokens=3'),
  })
  assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8')
  const events = eventsIn(body) as Anthropic.RawMessageStreamEvent[]
  const names = body.split('\n').flatMap((line) => (line.startsWith('event: ') ? [line.slice(7)] : []))
  assert.deepEqual(
    names,
    events.map(({ type }) => type as string),
  )
  assert.deepEqual(names, [
    'message_start',
    'content_block_start',
    'ping',
    ...wordsOf(3).map(() => 'content_block_delta'),
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
  const [start] = events
  assert.ok(start?.type === 'message_start')
  assert.deepEqual([start.message.content, start.message.stop_reason], [[], null])
  assert.ok(start.message.usage.input_tokens > 0 && start.message.usage.output_tokens === 1)
  const delta = events.at(-2)
  assert.ok(delta?.type === 'message_delta')
  assert.deepEqual([delta.delta.stop_reason, delta.usage.output_tokens], ['end_turn', 3])
})

test('max_tokens cuts the answer and says so; 0 makes nothing', async () => {
  const cut = await client.messages.create(request('sandbox-stream', 'go', { max_tokens: 5 }))
  assert.deepEqual([cut.stop_reason, cut.usage.output_tokens], ['max_tokens', 5])
  const warm = await client.messages.create(request('sandbox-stream', 'go', { max_tokens: 0 }))
  assert.deepEqual([warm.stop_reason, warm.usage.output_tokens, warm.content], ['max_tokens', 0, []])
})

test('thinking is signed, shown or not, counted, and accepted back unchanged only', async () => {
  const params = request('sandbox-think:thinking=10:tokens=5', 'go')
  const shown = wordsOf(10).join('')
  for (const answer of [
    await client.messages.create(params),
    await client.messages.stream(params).finalMessage(),
  ]) {
    const [thinking, text] = answer.content
    assert.deepEqual(thinking, { type: 'thinking', thinking: shown, signature: signThinking(shown) })
    assert.ok(text?.type === 'text' && text.text === wordsOf(5).join(''))
    assert.equal(answer.usage.output_tokens, 15)
    assert.equal(answer.usage.output_tokens_details?.thinking_tokens, 10)
  }
  const omitted = await client.messages
    .stream({ ...params, thinking: { type: 'adaptive', display: 'omitted' } })
    .finalMessage()
  assert.deepEqual(omitted.content[0], { type: 'thinking', thinking: '', signature: signThinking('') })
  assert.equal(omitted.usage.output_tokens, 15)

  const history = (thinking: string): Anthropic.MessageParam[] => [
    ...params.messages,
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking, signature: signThinking(shown) },
        { type: 'text', text: 'so' },
      ],
    },
    { role: 'user', content: 'and?' },
  ]
  const accepted = await client.messages.create({ ...params, messages: history(shown) })
  assert.equal(accepted.stop_reason, 'end_turn')
  await assert.rejects(client.messages.create({ ...params, messages: history('altered') }), { status: 400 })
})

test('marked prefixes are written once, then read, with their lifetimes', async () => {
  const long = wordsOf(100).join('')
  const system: Anthropic.TextBlockParam[] = [
    { type: 'text', text: long, cache_control: { type: 'ephemeral', ttl: '1h' } },
  ]
  const usageOf = async (
    content: Anthropic.ContentBlockParam[],
  ): Promise<readonly (number | undefined)[]> => {
    const { usage } = await client.messages.create({
      ...request('sandbox-echo', ''),
      system,
      messages: [{ role: 'user', content }],
    })
    const split = usage.cache_creation
    return [
      usage.input_tokens,
      usage.cache_read_input_tokens ?? 0,
      split?.ephemeral_5m_input_tokens,
      split?.ephemeral_1h_input_tokens,
    ]
  }
  const marked = { type: 'ephemeral' as const }
  const fifty: Anthropic.TextBlockParam = { type: 'text', text: wordsOf(50).join(''), cache_control: marked }
  const seven: Anthropic.TextBlockParam = { type: 'text', text: wordsOf(7).join('') }
  assert.deepEqual(await usageOf([fifty, seven]), [7, 0, 50, 100])
  assert.deepEqual(await usageOf([fifty, seven]), [7, 150, 0, 0])
  // The mark has moved on: what was cached before it is still read.
  const { cache_control: _, ...unmarked } = fifty
  assert.deepEqual(await usageOf([unmarked, { ...seven, cache_control: marked }]), [0, 150, 7, 0])
  clock.advance(300_000)
  assert.deepEqual(await usageOf([fifty, seven]), [7, 100, 50, 0])
})

test('count_tokens counts what a request would be charged', async () => {
  const { messages, system = 'Be kind.' } = request('sandbox-echo', 'Hello there')
  const counted = await client.messages.countTokens({ model: 'sandbox-echo', system, messages, tools })
  const answered = await client.messages.create(request('sandbox-echo', 'Hello there', { system, tools }))
  assert.equal(counted.input_tokens, answered.usage.input_tokens)
})

test('the usage tells where it ran', async () => {
  const { body } = await exchange(sandbox.origin, {
    path,
    body: plainBody('sandbox-echo', 'hi', { stream: false, speed: 'fast', inference_geo: 'us' }),
  })
  const { usage } = JSON.parse(body) as { usage: Record<string, unknown> }
  assert.deepEqual([usage.speed, usage.inference_geo, usage.service_tier], ['fast', 'us', 'standard'])
})
