/**
 * Errors of other gateways with compatible hosts, a test for each mistake that a row can make. What needs the whole
 * gateway is in provider-rows.test.ts; the facts of each host are in the rows.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { vertexAddress } from '../../src/providers/clouds/clouds-table.ts'
import { connectorOf, connectors } from '../../src/providers/registry.ts'
import { adaptRequest as adaptMessages } from '../../src/wire/anthropic/encode-request-host.ts'
import type { UpstreamProblem } from '../../src/wire/format.ts'
import { applyEdits } from '../../src/wire/json/json.ts'
import { adaptRequest } from '../../src/wire/openai-chat/encode-request-host.ts'
import { openaiChat } from '../../src/wire/openai-chat/index.ts'
import { readProblem } from '../../src/wire/upstream-problem.ts'

const callWith = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })
const bodyLimits = { depthMax: 64, valuesMax: 10_000, integerMax: 1_000_000_000 }

/** A chat body with these messages as a host gets it. */
function adaptedFor(
  provider: string,
  messages: readonly object[],
): { readonly body: Record<string, unknown> } {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', messages }))
  const differences = connectorOf(provider).requestDifferences?.['openai-chat']
  if (differences === undefined) return { body: JSON.parse(bytes.toString()) as Record<string, unknown> }
  const { patches } = adaptRequest(bytes, bodyLimits, differences)
  return { body: JSON.parse(Buffer.concat(applyEdits(bytes, patches)).toString()) as Record<string, unknown> }
}

/** The user that a Messages host gets, and whether the caller hears that it is another one. */
function userAt(provider: string, id: string): readonly [user: string, adjusted: number] {
  const metadata = { user_id: id }
  const bytes = Buffer.from(JSON.stringify({ model: 'm', max_tokens: 9, metadata, messages: [] }))
  const differences = connectorOf(provider).requestDifferences?.anthropic ?? {}
  const { patches, adjusted } = adaptMessages(bytes, bodyLimits, differences)
  const body = JSON.parse(Buffer.concat(applyEdits(bytes, patches)).toString())
  return [body.metadata.user_id, adjusted.length]
}

test('hosts that take short ids of users get a fingerprint of a long one, always the same', () => {
  const claudeCode = JSON.stringify({ device_id: 'a'.repeat(64), session_id: 'b'.repeat(60) })
  for (const provider of ['deepseek', 'zai']) {
    for (const long of ['u'.repeat(170), claudeCode]) {
      const [user, adjusted] = userAt(provider, long)
      assert.match(user, /^[\w-]{6,128}$/)
      assert.deepEqual([userAt(provider, long)[0], adjusted], [user, 1])
    }
    assert.notEqual(userAt(provider, 'u'.repeat(170))[0], userAt(provider, 'u'.repeat(171))[0])
    assert.deepEqual(userAt(provider, 'user-1'), ['user-1', 0])
  }
  assert.deepEqual(userAt('anthropic', 'u'.repeat(170)), ['u'.repeat(170), 0])
})

const options = {
  usageEvent: 'relay',
  choices: 1,
  eventBytesMax: 65_536,
  sampleCharactersMax: 1_000,
} as const

function tapped(...chunks: readonly (object | string)[]) {
  const tap = openaiChat.tapStream(options)
  for (const chunk of chunks) {
    tap.push(Buffer.from(`data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`))
  }
  tap.end()
  return tap
}

const whole = (answer: object) => openaiChat.extractResponse(Buffer.from(JSON.stringify(answer)), 1_000)
const usageOf = (usage: object) => openaiChat.toUsage(whole({ choices: [{}], usage }).rawUsage)
const delta = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
const finish = (finish_reason: string, more: object = {}) => ({
  choices: [{ index: 0, delta: {}, finish_reason, ...more }],
})

test("mistake 1: a proxy's HTML page in place of a response never becomes the message of an error", () => {
  assert.equal(readProblem(Buffer.from('<!DOCTYPE html><title>Error 404</title>')).message, '')
})

test('mistake 1: each location of Vertex has the host that serves it, and the path keeps the location', () => {
  for (const [location, host] of [
    ['global', 'aiplatform.googleapis.com'],
    ['us', 'aiplatform.us.rep.googleapis.com'],
    ['eu', 'aiplatform.eu.rep.googleapis.com'],
    ['europe-west4', 'europe-west4-aiplatform.googleapis.com'],
  ] as const) {
    const { hostname, pathname } = new URL(vertexAddress('p', location))
    assert.deepEqual([hostname, pathname], [host, `/v1/projects/p/locations/${location}`])
  }
})

test('mistake 2: an error inside a 200 is not an empty success, and a full length without text is not an error', () => {
  const faults = [
    tapped({ id: 'g', choices: [], error: { code: 502, message: 'host failed' } }),
    tapped(finish('error', { error: { message: 'host failed' } })),
    tapped(finish('stop', { native_finish_reason: 'network_error' }), '[DONE]'),
    tapped(delta('a'), finish('insufficient_system_resource')),
    tapped({ choices: [], x_groq: { error: 'stopped early' } }),
    tapped({ base_resp: { status_code: 1013, status_msg: 'inner' }, choices: [] }),
  ]
  for (const tap of faults) assert.equal(tap.state, 'failed')
  const answers = [
    { error: { code: 502, message: 'host failed' }, choices: [] },
    { code: 'x', error: 'a text alone' },
    { choices: [{ message: {}, finish_reason: 'error' }] },
    { choices: [{ message: { content: '' }, finish_reason: 'stop', native_finish_reason: 'error' }] },
    { choices: [{ message: { content: '' }, finish_reason: 'stop' }], base_resp: { status_code: 1000 } },
  ]
  for (const answer of answers) assert.notEqual(whole(answer).problem, null, JSON.stringify(answer))
  assert.equal(tapped(finish('length'), '[DONE]').state, 'complete')
  assert.equal(whole({ choices: [{ message: { content: '' }, finish_reason: 'length' }] }).problem, null)
  const said = tapped(delta('a'), finish('stop', { native_finish_reason: 'error' }), '[DONE]')
  assert.equal(said.state, 'complete')
  const good = whole({ choices: [{ message: { content: 'a' } }], base_resp: { status_code: 0 } })
  assert.equal(good.problem, null)
})

test('mistake 3: reasoning is counted once, whether the host includes it in the output or not', () => {
  const of = (prompt: number, completion: number, reasoning: number, total: number) =>
    usageOf({
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: total,
      completion_tokens_details: { reasoning_tokens: reasoning },
      cost_in_usd_ticks: 5,
    })
  assert.deepEqual([of(10, 5, 20, 35).output, of(500, 500, 200, 1_000).output], [25, 500])
  // A wrong total as well: a part is never larger than the whole.
  assert.equal(of(10, 5, 20, 15).output, 25)
  assert.deepEqual(of(10, 5, 20, 35).unknown, [])
})

test('mistake 4: reasoning in the history is required for the hosts that reject it otherwise, and for no others', () => {
  const demanding = connectors
    .filter(({ requestDifferences }) => requestDifferences?.['openai-chat']?.reasoningHistory !== undefined)
    .map(({ provider }) => provider)
  assert.deepEqual(demanding.sort(), ['deepseek', 'moonshot'])
  for (const provider of ['mistral', 'groq', 'cerebras']) {
    const { messageDrops = [] } = connectorOf(provider).requestDifferences?.['openai-chat'] ?? {}
    assert.ok(messageDrops.includes('reasoning_content'), provider)
  }
  const turn = [
    { role: 'assistant', content: null, tool_calls: [callWith('call_1')] },
    { role: 'tool', tool_call_id: 'call_1', content: 'done' },
  ]
  const plain = { role: 'assistant', content: 'text' }
  const history = [
    { role: 'user', content: 'begin' },
    ...turn,
    ...turn,
    plain,
    { role: 'user', content: 'next' },
  ]
  const thoughtsOf = (provider: string) =>
    (adaptedFor(provider, history).body.messages as readonly Record<string, unknown>[])
      .filter(({ role }) => role === 'assistant')
      .map((message) => typeof message.reasoning_content)
  assert.deepEqual(thoughtsOf('deepseek'), ['string', 'string', 'string'])
  assert.deepEqual(thoughtsOf('moonshot'), ['string', 'string', 'undefined'])
  for (const provider of ['mistral', 'groq', 'cerebras', 'azure', 'together'])
    assert.deepEqual(thoughtsOf(provider), ['undefined', 'undefined', 'undefined'], provider)
})

test('mistake 5: a turn without tools after a history with tools is sent in a native format, not in Converse', () => {
  const { formats } = connectorOf('bedrock')
  assert.ok(formats.includes('openai-chat') && formats.includes('anthropic'), formats.join(', '))
  const history = [
    { role: 'assistant', content: null, tool_calls: [callWith('toolu_01')] },
    { role: 'tool', tool_call_id: 'toolu_01', content: 'done' },
    { role: 'user', content: 'next' },
  ]
  const { body } = adaptedFor('bedrock', history)
  assert.deepEqual(body.messages, history)
})

test('mistake 6: IDs of tool calls are as each host accepts them, pairs stay pairs, and the same history gives the same IDs', () => {
  const ids = ['toolu_01ABCDEFGH', 'call_abcdefghi_1', 'call_abcdefghi_2', 'x'.repeat(67)]
  const history = ids.flatMap((id) => [
    { role: 'assistant', content: null, tool_calls: [callWith(id)] },
    { role: 'tool', tool_call_id: id, content: 'done' },
  ])
  const sent = adaptedFor('mistral', history).body.messages as readonly {
    readonly tool_calls?: readonly { readonly id: string }[]
    readonly tool_call_id?: string
  }[]
  const calls = sent.flatMap((message) => (message.tool_calls ?? []).map(({ id }) => id))
  const results = sent.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]))
  assert.deepEqual(results, calls)
  assert.equal(new Set(calls).size, ids.length)
  for (const id of calls) assert.match(id, /^[a-zA-Z0-9]{9}$/)
  assert.deepEqual(adaptedFor('mistral', history), adaptedFor('mistral', history))
  assert.deepEqual(adaptedFor('groq', history).body.messages, history)
  for (const provider of ['azure', 'openrouter']) {
    const { messages } = adaptedFor(provider, history).body as { messages: typeof history }
    assert.deepEqual(messages.slice(0, 6), history.slice(0, 6), provider)
    const [call, result] = messages.slice(6) as typeof sent
    const id = call?.tool_calls?.[0]?.id ?? ''
    assert.match(id, /^[\w-]{1,40}$/, provider)
    assert.equal(result?.tool_call_id, id)
  }
})

test('mistake 7: chunks without choices or without a delta are neither content, nor an end, nor errors', () => {
  const filters = { choices: [], id: '', model: '', prompt_filter_results: [{}] }
  const late = { choices: [{ index: 0, content_filter_results: {}, content_filter_offsets: {} }] }
  const tap = tapped(filters, delta('a'), finish('stop'), late, '[DONE]')
  assert.equal(tap.state, 'complete')
  assert.equal(tap.sample.text, 'a')
  assert.equal(tapped(filters).state, 'truncated')
})

test('mistake 8: usage is read wherever a host writes it, and the last report counts', () => {
  const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }
  for (const chunk of [
    { ...finish('stop'), x_groq: { usage } },
    finish('stop', { usage }),
    { ...finish('stop'), usage },
  ]) {
    const earlier = { ...delta('a'), usage: { ...usage, completion_tokens: 1, total_tokens: 10 } }
    const { inputUncached, output } = openaiChat.toUsage(tapped(earlier, chunk, '[DONE]').rawUsage)
    assert.deepEqual([inputUncached, output], [9, 4])
  }
})

test('mistake 9: cached tokens are a part of the input under every name, and no meter is negative', () => {
  for (const cached of [
    { prompt_tokens_details: { cached_tokens: 6 } },
    { prompt_token_details: { cached_tokens: 6 } },
    { prompt_cache_hit_tokens: 6 },
    { num_cached_tokens: 6 },
    { cached_tokens: 6 },
  ]) {
    const { inputUncached, cacheRead } = usageOf({ prompt_tokens: 10, completion_tokens: 1, ...cached })
    assert.deepEqual([inputUncached, cacheRead], [4, 6], JSON.stringify(cached))
  }
  const broken = usageOf({ prompt_tokens: 3, completion_tokens: 1, cached_tokens: 10_000 })
  assert.ok(broken.inputUncached >= 0 && broken.cacheRead >= 0)
})

test("mistake 10: the operator's empty account is not the caller's error and not a rate limit, whatever its status", () => {
  const problem = (more: Partial<UpstreamProblem>): UpstreamProblem => ({
    message: '',
    type: '',
    code: '',
    ...more,
  })
  const bills: readonly (readonly [provider: string, status: number, problem: UpstreamProblem])[] = [
    ...['deepseek', 'mistral', 'cohere', 'together', 'cerebras', 'fireworks', 'deepinfra'].map(
      (provider) => [provider, 402, problem({})] as const,
    ),
    ['alibaba', 400, problem({ code: 'Arrearage' })],
    ['moonshot', 403, problem({})],
    ['moonshot', 429, problem({ type: 'exceeded_current_quota_error' })],
    ['siliconflow', 403, problem({ code: '30001' })],
    ['xai', 403, problem({})],
    ['perplexity', 401, problem({})],
    ['zai', 429, problem({ code: '1113' })],
    ['minimax', 500, problem({ code: '1008' })],
    ['fireworks', 412, problem({})],
  ]
  for (const [provider, status, expected] of bills) {
    const failure = connectorOf(provider).classify(status, new Map(), {
      ...expected,
      message: 'words of the host',
    })
    assert.equal(failure.code, 'upstream_unavailable', `${provider} ${status}`)
    assert.ok(failure.operator && failure.retry === 'elsewhere' && failure.cooldownMs > 0, provider)
    assert.doesNotMatch(failure.message, /words of the host/)
  }
  const transient = connectorOf('openrouter').classify(402, new Map([['retry-after', '2']]), problem({}))
  assert.deepEqual([transient.operator, transient.code], [false, 'upstream_rate_limited'])
})
