/** The rules of the Messages format accept every recording, and find each violation. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Capabilities } from '../../../src/wire/translation/capabilities.ts'
import { fixtureCases } from '../fixtures.ts'
import { brokenAnswerRules, brokenRequestRules, brokenStreamRules } from './anthropic.ts'

const recorded = fixtureCases('anthropic')
const parse = (bytes: Buffer) => JSON.parse(bytes.toString()) as Record<string, unknown>

/** Rejected when they were recorded, or a response without a request. */
const refused = ['count-tokens']

test('recorded requests, responses and streams follow the rules', () => {
  for (const { name, request, status, kind, response } of recorded) {
    if (refused.includes(name) || status !== 200) continue
    if (request !== undefined) assert.deepEqual(brokenRequestRules(parse(request)), [], name)
    if (kind === 'json') assert.deepEqual(brokenAnswerRules(parse(response)), [], name)
  }
  const odd = ['stream-error-mid-overloaded', 'stream-duplicate-message-start']
  for (const { name, kind, response } of recorded) {
    if (kind !== 'stream') continue
    const broken = brokenStreamRules(response.toString())
    if (odd.includes(name)) assert.notDeepEqual(broken, [], name)
    else assert.deepEqual(broken, [], name)
  }
})

const capabilities: Capabilities = {
  sampling: 'one_of',
  temperatureMax: 1,
  topK: false,
  penalties: false,
  seed: false,
  stopsMax: 2,
  logprobs: false,
  thinking: 'adaptive',
  efforts: ['low', 'high'],
  thinkingOff: 'disabled',
  budget: null,
  bindsThinking: false,
  signedCalls: false,
  forcedTools: false,
  prefill: false,
  midSystem: false,
  parallelSwitch: true,
  schemaOutput: true,
  schemaWithTools: true,
  cacheBreakpoints: true,
  resultMedia: true,
  inputs: ['text', 'image', 'document'],
  chatTools: 'always',
  outputTokensMax: 1000,
}

const user = (...content: unknown[]) => ({ role: 'user', content })
const assistant = (...content: unknown[]) => ({ role: 'assistant', content })
const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more })
const call = (id: string, more: object = {}) => ({ type: 'tool_use', id, name: 'f', input: {}, ...more })
const result = (id: string, more: object = {}) => ({ type: 'tool_result', tool_use_id: id, ...more })
const tool = (more: object = {}) => ({ name: 'f', input_schema: { type: 'object' }, ...more })
const hello = user(text('hi'))
const mark = (ttl?: string) => ({ cache_control: { type: 'ephemeral', ...(ttl ? { ttl } : {}) } })
const request = (more: object = {}) => ({ model: 'm', max_tokens: 100, messages: [hello], ...more })
const saying = (...messages: unknown[]) => request({ messages })
const format = (schema: unknown) => request({ output_config: { format: { type: 'json_schema', schema } } })

/** An excerpt of the expected violation for each. */
const badRequests: readonly [what: RegExp, body: unknown, takes?: Capabilities][] = [
  [/not an object/, []],
  [/extra input/, request({ n: 1 })],
  [/model/, request({ model: '' })],
  [/max_tokens/, request({ max_tokens: undefined })],
  [/more than the model/, request({ max_tokens: 1001 }), capabilities],
  [/at least one/, saying()],
  [/role/, saying({ role: 'tool', content: 'x' })],
  [/empty content/, saying(user())],
  [/: content$/, saying({ role: 'user', content: null })],
  [/blank text/, saying(user(text(' ')))],
  [/blank text/, saying({ role: 'user', content: '' })],
  [/block of type/, saying(user({ type: 'input_text', text: 'x' }))],
  [/tool_use of user/, saying(user(call('a')))],
  [/image of assistant/, saying(hello, assistant({ type: 'image', source: {} }), hello)],
  [/must be of the user/, saying(assistant(text('x')), hello)],
  [/no system message/, saying(hello, { role: 'system', content: 'x' }), capabilities],
  [
    /follow the user/,
    saying(hello, assistant(text('x')), { role: 'system', content: 'x' }, assistant(text('x')), hello),
  ],
  [/last or before/, saying(hello, { role: 'system', content: 'x' }, hello)],
  [/cannot go on/, saying(hello, assistant(text('x'))), capabilities],
  [/white space/, saying(hello, assistant(text('x ')))],
  [/come first/, saying(hello, assistant(call('a')), user(text('x'), result('a')))],
  [/result without its call/, saying(user(result('a')))],
  [/call without its result/, saying(hello, assistant(call('a')), hello)],
  [/call without its result/, saying(hello, assistant(call('a')))],
  [/two results/, saying(hello, assistant(call('a')), user(result('a'), result('a')))],
  [/two calls/, saying(hello, assistant(call('a'), call('a')), user(result('a')))],
  [/: id/, saying(hello, assistant(call('a b')), user(result('a b')))],
  [/: id/, saying(hello, assistant(call('a_tg1_W')), user(result('a_tg1_W')))],
  [/: name/, saying(hello, assistant(call('a', { name: 'a.b' })), user(result('a')))],
  [/input is not an object/, saying(hello, assistant(call('a', { input: '{}' })), user(result('a')))],
  [/is_error/, saying(hello, assistant(call('a')), user(result('a', { is_error: 'x' })))],
  [/blank text/, saying(hello, assistant(call('a')), user(result('a', { content: [text('')] })))],
  [/signature/, saying(hello, assistant({ type: 'thinking', thinking: 'x', signature: '' }), hello)],
  [
    /signature/,
    saying(hello, assistant({ type: 'thinking', thinking: '', signature: 'tg1.google.x' }), hello),
  ],
  [/data/, saying(hello, assistant({ type: 'redacted_thinking' }), hello)],
  [
    /media type/,
    saying(user({ type: 'image', source: { type: 'base64', media_type: 'image/jpg', data: 'AA==' } })),
  ],
  [
    /base64/,
    saying(user({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A A' } })),
  ],
  [/url/, saying(user({ type: 'document', source: { type: 'url', url: 'data:x' } }))],
  [
    /text source/,
    saying(user({ type: 'image', source: { type: 'text', media_type: 'text/plain', data: 'x' } })),
  ],
  [/system: text/, request({ system: [text('')] })],
  [/system: not empty/, request({ system: [] })],
  [/two of one name/, request({ tools: [tool(), tool()] })],
  [/tools\[0\]: name/, request({ tools: [tool({ name: 'a.b' })] })],
  [/tools\[0\]: type/, request({ tools: [{ name: 'x', type: 'function' }] })],
  [/schema is not an object/, request({ tools: [tool({ input_schema: {} })] })],
  [/alternatives/, request({ tools: [tool({ input_schema: { type: 'object', anyOf: [] } })] })],
  [/description/, request({ tools: [tool({ description: null })] })],
  [/additionalProperties/, request({ tools: [tool({ strict: true })] })],
  [/without tools/, request({ tool_choice: { type: 'auto' } })],
  [/tool_choice: type/, request({ tools: [tool()], tool_choice: 'auto' })],
  [/not there/, request({ tools: [tool()], tool_choice: { type: 'tool', name: 'g' } })],
  [
    /no parallel/,
    request({ tools: [tool()], tool_choice: { type: 'none', disable_parallel_tool_use: true } }),
  ],
  [/cannot be forced/, request({ tools: [tool()], tool_choice: { type: 'any' } }), capabilities],
  [
    /forced beside/,
    request({
      max_tokens: 5000,
      tools: [tool()],
      tool_choice: { type: 'any' },
      thinking: { type: 'enabled', budget_tokens: 1024 },
    }),
  ],
  [/no such effort/, request({ output_config: { effort: 'minimal' } })],
  [/does not know medium/, request({ output_config: { effort: 'medium' } }), capabilities],
  [/does not think/, request({ thinking: { type: 'adaptive' } }), { ...capabilities, thinking: 'none' }],
  [/below 1024/, request({ thinking: { type: 'enabled', budget_tokens: 10 } })],
  [/not below max/, request({ max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 2000 } })],
  [/no budget/, request({ thinking: { type: 'enabled', budget_tokens: 1024 } }), capabilities],
  [/not adaptive/, request({ thinking: { type: 'adaptive' } }), { ...capabilities, thinking: 'budget' }],
  [/knows no disabled/, request({ thinking: { type: 'disabled' } }), { ...capabilities, thinkingOff: null }],
  [/no binding/, request({ thinking: { type: 'disabled', block_binding: {} } })],
  [/thinking: type/, request({ thinking: { type: 'on' } })],
  [
    /lacks its thoughts/,
    {
      ...saying(hello, assistant(call('a')), user(result('a'))),
      max_tokens: 5000,
      thinking: { type: 'enabled', budget_tokens: 1024 },
    },
  ],
  [/a schema/, request({ output_config: { format: { type: 'json' } } })],
  [/additionalProperties/, format({ type: 'object', properties: {} })],
  [
    /minimum is not/,
    format({ type: 'object', additionalProperties: false, properties: { a: { minimum: 1 } } }),
  ],
  [/oneOf is not/, format({ type: 'array', items: { oneOf: [] } })],
  [/minItems/, format({ anyOf: [{ type: 'array', minItems: 2 }] })],
  [/from 0 to 1/, request({ temperature: 2 })],
  [/temperature: beside/, request({ temperature: 0, thinking: { type: 'adaptive' } })],
  [/top_k: beside/, request({ top_k: 3, thinking: { type: 'adaptive' } })],
  [/top_p: beside/, request({ top_p: 0.5, thinking: { type: 'adaptive' } })],
  [/takes none/, request({ top_p: 1 }), { ...capabilities, sampling: 'none' }],
  [/temperature or top_p/, request({ top_p: 1, temperature: 1 }), capabilities],
  [/top_k: the model/, request({ top_k: 1 }), capabilities],
  [/not blank/, request({ stop_sequences: ['\n'] })],
  [/too many/, request({ stop_sequences: ['a', 'b', 'c'] }), capabilities],
  [/user_id/, request({ metadata: { user_id: 'x'.repeat(257) } })],
  [/stream/, request({ stream: 'yes' })],
  [/5 marks/, { ...saying(user(...[1, 2, 3, 4].map(() => text('x', mark())))), ...mark() }],
  [/lifetime/, saying(user(text('x', mark('2h'))))],
  [/hour after/, saying(user(text('x', mark()), text('x', mark('1h'))))],
]

test('each violated rule of a request is found', () => {
  assert.deepEqual(brokenRequestRules(request(), capabilities), [])
  for (const [what, body, takes] of badRequests) {
    assert.match(brokenRequestRules(body, takes).join('\n'), what, JSON.stringify(body))
  }
})

const answer = (more: object = {}) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [text('x')],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
  ...more,
})

const badAnswers: readonly [what: RegExp, body: unknown][] = [
  [/not an object/, null],
  [/^id/, answer({ id: 'a b' })],
  [/^type/, answer({ type: 'x' })],
  [/^role/, answer({ role: 'user' })],
  [/^model/, answer({ model: '' })],
  [/content: an array/, answer({ content: null })],
  [/empty text/, answer({ content: [text('')] })],
  [/with its signature/, answer({ content: [{ type: 'thinking', thinking: 'x', signature: '' }] })],
  [/data/, answer({ content: [{ type: 'redacted_thinking', data: '' }] })],
  [/id/, answer({ content: [call('a b')], stop_reason: 'tool_use' })],
  [/input/, answer({ content: [call('a', { input: '' })], stop_reason: 'tool_use' })],
  [/image/, answer({ content: [{ type: 'image' }] })],
  [/stop_reason: stop/, answer({ stop_reason: 'stop' })],
  [/without its reason/, answer({ stop_sequence: 'x' })],
  [/without a call/, answer({ stop_reason: 'tool_use' })],
  [/with a call/, answer({ content: [call('a')] })],
  [/one id/, answer({ content: [call('a'), call('a')], stop_reason: 'tool_use' })],
  [/usage: an object/, answer({ usage: null })],
  [/usage.output_tokens/, answer({ usage: { input_tokens: 1 } })],
]

test('each violated rule of a response is found', () => {
  assert.deepEqual(brokenAnswerRules(answer()), [])
  for (const [what, body] of badAnswers) {
    assert.match(brokenAnswerRules(body).join('\n'), what, JSON.stringify(body))
  }
})

type Event = Record<string, unknown> & { type: string }
const sse = (events: readonly Event[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
const begin: Event = { type: 'message_start', message: answer({ content: [], stop_reason: null }) }
const start = (block: object, index = 0): Event => ({
  type: 'content_block_start',
  index,
  content_block: block,
})
const delta = (type: string, more: object, index = 0): Event => ({
  type: 'content_block_delta',
  index,
  delta: { type, ...more },
})
const stop = (index = 0): Event => ({ type: 'content_block_stop', index })
const finish = (reason = 'end_turn'): Event => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null },
  usage: { output_tokens: 1 },
})
const end: Event = { type: 'message_stop' }
const words = [start(text('')), delta('text_delta', { text: 'x' }), stop()]
const good = [begin, { type: 'ping' }, ...words, finish(), end]
const thought = start({ type: 'thinking', thinking: '', signature: '' })
const signed = delta('signature_delta', { signature: 's' })

const badStreams: readonly [what: RegExp, events: readonly Event[]][] = [
  [/no message_stop/, [begin, ...words, finish()]],
  [/after message_stop/, [...good, { type: 'ping2' }]],
  [/twice/, [begin, begin, ...words, finish(), end]],
  [/not empty/, [{ type: 'message_start', message: answer({ stop_reason: null }) }, ...words, finish(), end]],
  [
    /start: stop_reason/,
    [{ type: 'message_start', message: answer({ content: [] }) }, ...words, finish(), end],
  ],
  [/outside/, [...words, begin, finish(), end]],
  [/overlap/, [begin, start(text('')), start(text(''), 1), finish(), end]],
  [/out of turn/, [begin, start(text(''), 1), finish(), end]],
  [/without its block/, [begin, delta('text_delta', { text: 'x' }), finish(), end]],
  [
    /input_json_delta in text/,
    [begin, start(text('')), delta('input_json_delta', {}), stop(), finish(), end],
  ],
  [/not open/, [begin, stop(), finish(), end]],
  [/while a block/, [begin, start(text('')), finish(), end]],
  [/empty text/, [begin, start(text('')), stop(), finish(), end]],
  [/its signature/, [begin, thought, delta('thinking_delta', { thinking: 'x' }), stop(), finish(), end]],
  [/after the signature/, [begin, thought, signed, delta('thinking_delta', {}), stop(), finish(), end]],
  [/empty input/, [begin, start(call('a', { input: { a: 1 } })), stop(), finish('tool_use'), end]],
  [
    /not an object/,
    [
      begin,
      start(call('a')),
      delta('input_json_delta', { partial_json: '{' }),
      stop(),
      finish('tool_use'),
      end,
    ],
  ],
  [/with a call/, [begin, start(call('a')), stop(), finish(), end]],
  [/without message_delta/, [begin, ...words, end]],
  [/message_delta: usage/, [begin, ...words, { ...finish(), usage: {} }, end]],
  [/event of type/, [begin, { type: 'content_block' }, ...words, finish(), end]],
]

test('each violated rule of a stream is found', () => {
  assert.deepEqual(brokenStreamRules(sse(good)), [])
  for (const [what, events] of badStreams) {
    assert.match(brokenStreamRules(sse(events)).join('\n'), what, JSON.stringify(events))
  }
  const misnamed = sse(good).replace('event: ping', 'event: pong')
  assert.match(brokenStreamRules(misnamed).join('\n'), /pong says ping/)
})
