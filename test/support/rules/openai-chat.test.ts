/** Each rule of the checker fails for a sample that violates it, and recorded exchanges violate none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Capabilities } from '../../../src/wire/translation/capabilities.ts'
import { fixtureCases } from '../fixtures.ts'
import { brokenAnswerRules, brokenRequestRules, brokenStreamRules } from './openai-chat.ts'

type Members = Readonly<Record<string, unknown>>

const user = { role: 'user', content: 'hi' }
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }
const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
const calling = { role: 'assistant', content: null, tool_calls: [call] }
const result = { role: 'tool', tool_call_id: 'call_1', content: '' }

function request(more: Members = {}): Members {
  return { model: 'm', messages: [user], ...more }
}

function messages(...list: unknown[]): Members {
  return { messages: list }
}

const image = (url: string, more: Members = {}) => ({ type: 'image_url', image_url: { url, ...more } })
const parts = (...content: unknown[]) => messages({ role: 'user', content })

const goodRequests: readonly Members[] = [
  {},
  messages({ role: 'system', content: 'x' }, user, calling, result, user),
  {
    ...messages(
      user,
      { role: 'assistant', content: 'x', tool_calls: [call, { ...call, id: 'b' }] },
      { ...result, tool_call_id: 'b' },
      result,
    ),
    tools: [tool],
  },
  parts(
    { type: 'text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit' } },
    image('https://a/b'),
    image('data:image/png;base64,AAAA', { detail: 'low' }),
  ),
  parts(
    { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  ),
  {
    tools: [tool, { type: 'custom', custom: { name: 'c' } }],
    tool_choice: { type: 'custom', custom: { name: 'c' } },
    parallel_tool_calls: false,
  },
  {
    tools: [tool],
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
    },
  },
  {
    stop: ['a', 'b'],
    reasoning_effort: 'xhigh',
    temperature: 0,
    stream: true,
    stream_options: { include_usage: true },
  },
]

const badRequests: readonly (readonly [rule: RegExp, body: unknown])[] = [
  [/body is an object/, []],
  [/reasoning: unknown/, request({ reasoning: {} })],
  [/model: a name/, { messages: [user] }],
  [/messages: a list/, request(messages())],
  [/messages\[0\]: an object/, request(messages('x'))],
  [/role: a known role/, request(messages({ role: 'model', content: 'x' }))],
  [
    /reasoning_details: unknown/,
    request(messages({ role: 'assistant', content: 'x', reasoning_details: [] })),
  ],
  [/content: required/, request(messages({ role: 'user' }))],
  [/content: not empty/, request(messages({ role: 'system', content: '' }))],
  [/content: text or parts/, request(parts())],
  [/content\[0\]: an object/, request(parts('x'))],
  [/type: none for user/, request(parts({ type: 'tool_result' }))],
  [/type: none for tool/, request(messages(user, calling, { ...result, content: [image('https://a/b')] }))],
  [/cache_control: unknown/, request(parts({ type: 'text', text: 'x', cache_control: {} }))],
  [
    /explicit one on text/,
    request(parts({ ...image('https://a/b'), prompt_cache_breakpoint: { mode: 'explicit' } })),
  ],
  [/text: not empty/, request(parts({ type: 'text', text: '' }))],
  [/refusal: a text/, request(messages({ role: 'assistant', content: [{ type: 'refusal' }] }))],
  [/says or calls/, request(messages(user, { role: 'assistant', content: null }))],
  [/url: a text/, request(parts({ type: 'image_url', image_url: {} }))],
  [/address or a data URL/, request(parts(image('file:///x')))],
  [/detail: a known/, request(parts(image('https://a/b', { detail: 'x' })))],
  [/wav or mp3/, request(parts({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'ogg' } }))],
  [/data URL or an id/, request(parts({ type: 'file', file: { file_data: 'AAAA' } }))],
  [
    /filename: required/,
    request(parts({ type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } })),
  ],
  [/tool_calls: a list/, request(messages(user, { ...calling, tool_calls: [] }))],
  [/tool_calls\[0\]: an object/, request(messages(user, { ...calling, tool_calls: ['x'] }))],
  [
    /unknown parameter extra_content/,
    request(messages(user, { ...calling, tool_calls: [{ ...call, extra_content: {} }] }, result)),
  ],
  [/1 to 40/, request(messages(user, { ...calling, tool_calls: [{ ...call, id: 'x'.repeat(41) }] }))],
  [/no other call has it/, request(messages(user, { ...calling, tool_calls: [call, call] }, result))],
  [
    /function with arguments/,
    request(
      messages(
        user,
        { ...calling, tool_calls: [{ ...call, function: { name: 'f', arguments: {} } }] },
        result,
      ),
    ),
  ],
  [/answers a call/, request(messages(user, result))],
  [/only after every call/, request(messages(user, calling, user))],
  [/every call is answered/, request(messages(user, calling))],
  [/tool_choice: only with tools/, request({ tool_choice: 'auto' })],
  [/parallel_tool_calls: only/, request({ parallel_tool_calls: true })],
  [/tools: a list/, request({ tools: [] })],
  [/tools\[0\]: an object/, request({ tools: ['x'] })],
  [/tools\[0\]: unknown parameter cache_control/, request({ tools: [{ ...tool, cache_control: {} }] })],
  [/function or custom/, request({ tools: [{ type: 'function', name: 'f' }] })],
  [/a name of 1/, request({ tools: [{ type: 'function', function: { name: 'a.b' } }] })],
  [/no other tool/, request({ tools: [tool, tool] })],
  [
    /unknown parameter input_schema/,
    request({ tools: [{ type: 'function', function: { name: 'f', input_schema: {} } }] }),
  ],
  [
    /description is text/,
    request({ tools: [{ type: 'function', function: { name: 'f', description: null } }] }),
  ],
  [/parameters are/, request({ tools: [{ type: 'function', function: { name: 'f', parameters: null } }] })],
  [/strict is a flag/, request({ tools: [{ type: 'function', function: { name: 'f', strict: 1 } }] })],
  [/format is custom/, request({ tools: [{ type: 'function', function: { name: 'f', format: {} } }] })],
  [/tool_choice: a known/, request({ tools: [tool], tool_choice: 'any' })],
  [
    /tool_choice: a mode/,
    request({
      tools: [tool],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { tools: [{ type: 'function', function: { name: 'f' } }] },
      },
    }),
  ],
  [
    /tool_choice: a declared/,
    request({ tools: [tool], tool_choice: { type: 'function', function: { name: 'g' } } }),
  ],
  [/temperature: 0 to 2/, request({ temperature: 3 })],
  [/max_completion_tokens: 1/, request({ max_completion_tokens: 0 })],
  [/user: 1 to 64/, request({ user: 'x'.repeat(65) })],
  [/top_logprobs: only/, request({ top_logprobs: 1 })],
  [/stream_options: only/, request({ stream_options: {} })],
  [/stop: 1 to 4/, request({ stop: [] })],
  [/stop: 1 to 4/, request({ stop: [''] })],
  [/reasoning_effort: a known/, request({ reasoning_effort: 'hard' })],
  [/verbosity/, request({ verbosity: 'x' })],
  [/service_tier/, request({ service_tier: 'x' })],
  [/response_format: an object/, request({ response_format: 'json' })],
  [/response_format: a known type/, request({ response_format: { type: 'x' } })],
  [
    /response_format: a name/,
    request({ response_format: { type: 'json_schema', json_schema: { schema: {} } } }),
  ],
  [
    /response_format: a schema/,
    request({ response_format: { type: 'json_schema', json_schema: { name: 'n' } } }),
  ],
  [
    /no mark/,
    request(
      messages(
        user,
        { ...calling, tool_calls: [{ ...call, id: 'a_tg1_W' }] },
        { ...result, tool_call_id: 'a_tg1_W' },
      ),
    ),
  ],
]

test('valid requests violate no rule, invalid ones the expected rule', () => {
  for (const more of goodRequests)
    assert.deepEqual(brokenRequestRules(request(more)), [], JSON.stringify(more))
  for (const [rule, body] of badRequests)
    assert.match(brokenRequestRules(body).join('\n'), rule, JSON.stringify(body))
})

const nothing: Capabilities = {
  sampling: 'none',
  temperatureMax: 1,
  topK: false,
  penalties: false,
  seed: false,
  stopsMax: 0,
  logprobs: false,
  thinking: 'none',
  efforts: [],
  thinkingOff: null,
  budget: null,
  bindsThinking: false,
  signedCalls: false,
  forcedTools: false,
  prefill: false,
  midSystem: false,
  parallelSwitch: false,
  schemaOutput: false,
  schemaWithTools: false,
  cacheBreakpoints: false,
  resultMedia: false,
  inputs: ['text'],
  chatTools: 'never',
  outputTokensMax: 1,
}

const schema = { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {} } } }
const modelCases: readonly (readonly [rule: RegExp, more: Members, takes?: Partial<Capabilities>])[] = [
  [/not taken by the model/, { temperature: 1 }],
  [/only without reasoning/, { temperature: 1 }, { sampling: 'without_reasoning' }],
  [/cannot be combined/, { temperature: 1, top_p: 1 }, { sampling: 'one_of' }],
  [/too high/, { temperature: 2 }, { sampling: 'all' }],
  [/penalties/, { presence_penalty: 1 }],
  [/seed/, { seed: 1 }],
  [/logprobs/, { logprobs: true }],
  [/stop: more/, { stop: 'x' }],
  [/does not reason/, { reasoning_effort: 'low' }],
  [/not one of the model/, { reasoning_effort: 'none' }, { thinking: 'effort', efforts: ['low'] }],
  [/not taken in this format/, { tools: [tool] }],
  [/only with the effort none/, { tools: [tool] }, { chatTools: 'explicit_none' }],
  [/only without an effort/, { tools: [tool], reasoning_effort: 'low' }, { chatTools: 'without_effort' }],
  [/cannot be forced/, { tools: [tool], tool_choice: 'required' }],
  [/parallel_tool_calls: not taken/, { tools: [tool], parallel_tool_calls: true }],
  [/no schemas/, schema],
  [/no schemas with tools/, { ...schema, tools: [tool] }, { schemaOutput: true }],
  [
    /prompt_cache_breakpoint: not/,
    parts({ type: 'text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit' } }),
  ],
  [/image_url: not taken/, parts(image('https://a/b'))],
  [/only at the beginning/, messages(user, { role: 'system', content: 'x' })],
]

test('what the model rejects is reported when its capabilities are known', () => {
  for (const [rule, more, takes] of modelCases) {
    assert.match(
      brokenRequestRules(request(more), { ...nothing, ...takes }).join('\n'),
      rule,
      JSON.stringify(more),
    )
  }
  assert.deepEqual(brokenRequestRules(request(), nothing), [])
})

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const message = { role: 'assistant', content: 'x', refusal: null }

function answer(more: Members = {}, choice: Members = {}, said: Members = {}): Members {
  const choices = [
    { index: 0, finish_reason: 'stop', logprobs: null, message: { ...message, ...said }, ...choice },
  ]
  return { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage, ...more }
}

const badAnswers: readonly (readonly [rule: RegExp, body: unknown])[] = [
  [/body is an object/, 'x'],
  [/object: chat/, answer({ object: 'x' })],
  [/id: a text/, answer({ id: '' })],
  [/created/, answer({ created: '1' })],
  [/model/, answer({ model: undefined })],
  [/choices: a list/, answer({ choices: [] })],
  [/choices\[0\]: an object/, answer({ choices: ['x'] })],
  [/index: 0/, answer({}, { index: 1 })],
  [/finish_reason: a known/, answer({}, { finish_reason: null })],
  [/message: an object/, answer({}, { message: null })],
  [/role: assistant/, answer({}, {}, { role: 'model' })],
  [/content: a text or null/, answer({}, {}, { content: undefined })],
  [/refusal: a text or null/, answer({}, {}, { refusal: undefined })],
  [
    /function with arguments/,
    answer({}, { finish_reason: 'tool_calls' }, { tool_calls: [{ ...call, function: {} }] }),
  ],
  [/each has an id/, answer({}, { finish_reason: 'tool_calls' }, { tool_calls: [{ ...call, id: '' }] })],
  [/so it has some/, answer({}, { finish_reason: 'tool_calls' })],
  [/calls end with/, answer({}, { finish_reason: 'content_filter' }, { tool_calls: [call] })],
  [/annotations are/, answer({}, {}, { annotations: {} })],
  [
    /url, title and place/,
    answer({}, {}, { annotations: [{ type: 'url_citation', url_citation: { url: 'u' } }] }),
  ],
  [/usage: an object/, answer({ usage: 1 })],
  [/three counts/, answer({ usage: { ...usage, total_tokens: undefined } })],
  [/the sum/, answer({ usage: { ...usage, total_tokens: 6 } })],
  [/no more than the whole/, answer({ usage: { ...usage, prompt_tokens_details: { cached_tokens: 4 } } })],
]

test('a valid response violates no rule, invalid ones the expected rule', () => {
  assert.deepEqual(brokenAnswerRules(answer()), [])
  for (const [rule, body] of badAnswers)
    assert.match(brokenAnswerRules(body).join('\n'), rule, JSON.stringify(body))
})

const role = { delta: { role: 'assistant', content: '' } }
const stop = { delta: {}, finish_reason: 'stop' }
const piece = (index: number, more: Members) => ({ delta: { tool_calls: [{ index, ...more }] } })
const start = piece(0, { id: 'a', type: 'function', function: { name: 'f', arguments: '' } })
const rest = piece(0, { function: { arguments: '{}' } })
const called = { delta: {}, finish_reason: 'tool_calls' }

function chunk(choice: Members | null, more: Members = {}): string {
  const choices = choice === null ? [] : [{ index: 0, finish_reason: null, ...choice }]
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })}\n\n`
}

function stream(...choices: Members[]): string {
  return `${choices.map((choice) => chunk(choice)).join('')}data: [DONE]\n\n`
}

const goodStreams = [
  stream(role, { delta: { content: 'x' } }, stop),
  stream(role, start, rest, called),
  `${chunk(role)}${chunk(stop)}${chunk(null, { usage })}data: [DONE]\n\n`,
]

const badStreams: readonly (readonly [rule: RegExp, sse: string])[] = [
  [/last event is/, chunk(role) + chunk(stop)],
  [/comes once/, `${stream(role, stop)}data: [DONE]\n\n`],
  [/JSON object/, `data: x\n\n${stream(role, stop)}`],
  [/no error/, `${chunk(role)}data: {"error":{}}\n\n`],
  [
    /nothing follows the usage/,
    `${chunk(role)}${chunk(stop)}${chunk(null, { usage })}${chunk(stop)}data: [DONE]\n\n`,
  ],
  [/object: chat/, `${chunk(role, { object: 'x' })}`],
  [/an id and a model/, chunk(role, { id: '' })],
  [/created/, chunk(role, { created: 'x' })],
  [/id is the same/, chunk(role) + chunk(stop, { id: 'd' })],
  [/choices: a list/, chunk(role, { choices: null })],
  [/has a choice/, chunk(null)],
  [/a choice is an object/, chunk(role, { choices: ['x'] })],
  [/usage chunk has no choice/, chunk(role) + chunk(stop, { usage })],
  [/usage comes after/, chunk(role) + chunk(null, { usage })],
  [/index 0/, stream({ ...role, index: 1 })],
  [/has a delta/, stream({})],
  [/tells the role/, stream({ delta: { content: 'x' } }, stop)],
  [/after the finish/, stream(role, stop, { delta: { content: 'x' } })],
  [/a call is an object/, stream(role, { delta: { tool_calls: ['x'] } })],
  [/finish_reason/, stream(role, { delta: {}, finish_reason: 'x' })],
  [/counted from 0/, stream(role, piece(1, { id: 'a', type: 'function', function: { name: 'f' } }))],
  [/has an id$/m, stream(role, piece(0, { type: 'function', function: { name: 'f' } }))],
  [/has a type/, stream(role, piece(0, { id: 'a', function: { name: 'f' } }))],
  [/has a name/, stream(role, piece(0, { id: 'a', type: 'function' }))],
  [/id of its own/, stream(role, start, piece(1, { id: 'a', type: 'function', function: { name: 'f' } }))],
  [
    /arguments are text/,
    stream(role, piece(0, { id: 'a', type: 'function', function: { name: 'f', arguments: {} } })),
  ],
  [/there is a chunk/, 'data: [DONE]\n\n'],
  [/it finishes/, stream(role)],
  [/so it has some/, stream(role, called)],
  [/calls end with/, stream(role, start, rest, stop)],
  [/a JSON object$/m, stream(role, start, called)],
]

test('valid streams violate no rule, invalid ones the expected rule', () => {
  for (const sse of goodStreams) assert.deepEqual(brokenStreamRules(sse), [], sse)
  for (const [rule, sse] of badStreams) assert.match(brokenStreamRules(sse).join('\n'), rule, sse)
})

/** What compatible hosts, and rejected requests, really violate. */
const known: Readonly<Record<string, RegExp>> = {
  'gemini-compat-tool-without-id-t1':
    /refusal: a text|usage: the total|\.tool_calls: each has an id|content: a text/,
  'gemini-compat-tool-without-id-t2': /refusal: a text|usage: the total/,
  'stream-anthropic-compat-tool': /counted from 0/,
  'stream-azure-model-router': /a chunk has an id|the same in every chunk|object: chat|has a choice/,
  'stream-error-mid': /./,
  length: /refusal: a text/,
}

test('recorded requests, responses and streams violate only known rules', () => {
  for (const { name, kind, status, request: sent, response } of fixtureCases('openai-chat')) {
    const broken: string[] = []
    if (sent !== undefined && status === 200) broken.push(...brokenRequestRules(JSON.parse(sent.toString())))
    if (kind === 'json') broken.push(...brokenAnswerRules(JSON.parse(response.toString())))
    if (kind === 'stream') broken.push(...brokenStreamRules(response.toString()))
    const unknown = broken.filter((rule) => known[name]?.test(rule) !== true)
    assert.deepEqual(unknown, [], name)
    assert.ok(known[name] === undefined || broken.length > 0, `${name} breaks a rule no more`)
  }
})
