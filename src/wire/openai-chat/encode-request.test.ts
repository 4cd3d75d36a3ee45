/**
 * Conversations as chat requests: what api.openai.com accepts, the prefix that a cache matches, what a model does
 * not support, and the policy table compared with the output. Recorded requests lose nothing.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import { brokenRequestRules } from '../../../test/support/rules/openai-chat.ts'
import { type ReadLimits, WireError } from '../dialect.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type { EncodedRequest, EncryptedReasoning } from '../translation/neutral.ts'
import { applyPolicy } from '../translation/policy.ts'
import { carrierId, tagged } from '../translation/reasoning-carriers.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeRequest } from './encode-request.ts'
import { extractRequest } from './extract-request.ts'
import { policy } from './request-policy-table.ts'

type Members = Readonly<Record<string, unknown>>

const limits: ReadLimits = { depthMax: 64, valuesMax: 100_000, integerMax: 1_000_000_000 }
const nowhere = { model: null, stream: false }
const encoder = new TextEncoder()

/** Takes everything. */
const all: Capabilities = {
  sampling: 'all',
  temperatureMax: 2,
  topK: true,
  penalties: true,
  seed: true,
  stopsMax: 4,
  logprobs: true,
  thinking: 'effort',
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  thinkingOff: 'none',
  budget: null,
  bindsThinking: false,
  signedCalls: false,
  forcedTools: true,
  prefill: true,
  midSystem: true,
  parallelSwitch: true,
  schemaOutput: true,
  schemaWithTools: true,
  cacheBreakpoints: true,
  resultMedia: true,
  inputs: ['text', 'image', 'audio', 'document'],
  chatTools: 'always',
  outputTokensMax: 200_000,
}
const plain: Capabilities = { ...all, thinking: 'none', efforts: [] }

const user = { role: 'user', content: 'hi' }
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }

function encoded(more: Members, takes: Partial<Capabilities> = {}): EncodedRequest {
  const body = encoder.encode(JSON.stringify({ model: 'm', messages: [user], ...more }))
  const capabilities = { ...all, ...takes }
  const request = encodeRequest(decodeRequest(body, limits, nowhere), { model: 'up', capabilities })
  assert.deepEqual(brokenRequestRules(JSON.parse(request.text), capabilities), [], request.text)
  assert.equal(extractRequest(encoder.encode(request.text), limits).canPassThrough, true, request.text)
  return request
}

function written(more: Members, takes: Partial<Capabilities> = {}): Members {
  return JSON.parse(encoded(more, takes).text) as Members
}

/** Members that say nothing, and what is written otherwise in one place. */
function normal(body: Members): Members {
  const {
    stream,
    n,
    prompt_cache_options: _options,
    moderation: _moderation,
    web_search_options: _search,
    ...more
  } = body
  const { functions, function_call: chosen, messages, ...rest } = more
  const list = (messages as readonly Members[]).map((message) => {
    const content = Array.isArray(message.content) && message.content.length === 1 ? message.content[0] : null
    const text = content?.type === 'text' ? content.text : (message.content ?? null)
    return { ...message, content: text }
  })
  const tools = Array.isArray(functions)
    ? { tools: functions.map((named: unknown) => ({ type: 'function', function: named })) }
    : {}
  return {
    ...rest,
    ...tools,
    ...(chosen === undefined ? {} : { tool_choice: chosen }),
    messages: list,
    ...(stream === true ? { stream, stream_options: { include_usage: true } } : {}),
    ...(n === undefined || n === 1 ? {} : { n }),
    ...(typeof rest.stop === 'string' ? { stop: [rest.stop] } : {}),
    // Legacy callers read one call.
    ...(functions === undefined ? {} : { parallel_tool_calls: false }),
  }
}

test('recorded requests keep all that the format has, and break no rule', () => {
  for (const { name, status, request } of fixtureCases('openai-chat')) {
    if (request === undefined || status !== 200) continue
    const members = JSON.parse(request.toString()) as Members
    const conversation = decodeRequest(request, limits, nowhere)
    const again = encodeRequest(conversation, { model: conversation.model, capabilities: plain })
    const body = JSON.parse(again.text) as Members
    assert.deepEqual(normal(body), normal(members), name)
    assert.deepEqual(brokenRequestRules(body, plain), [], name)
  }
})

test('the next turn begins with the bytes of this one', () => {
  const messages: unknown[] = [{ role: 'system', content: 's' }, user]
  const more = [
    {
      role: 'assistant',
      content: 'so',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'x' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: 'https://a/b' } },
      ],
    },
    { role: 'assistant', content: 'done' },
    user,
  ]
  let before = ''
  for (const message of [undefined, ...more]) {
    if (message !== undefined) messages.push(message)
    // A call without its result is not a request that a client sends.
    if ((message as Members | undefined)?.tool_calls !== undefined) continue
    const { text } = encoded({ tools: [tool], messages, temperature: 1, stream: true })
    assert.ok(text.startsWith(before), `${text}\n${before}`)
    before = text.slice(0, text.indexOf('],"temperature"'))
    assert.ok(before.length > 0)
  }
})

const claude: EncryptedReasoning = { vendor: 'anthropic', data: 'sig' }
const longId = 'toolu_'.padEnd(70, 'x')
const calling = (id: string, name = 'f') => ({
  role: 'assistant',
  tool_calls: [{ id, type: 'function', function: { name, arguments: '' } }],
})

const messageCases: readonly (readonly [
  why: string,
  messages: readonly unknown[],
  expected: unknown,
  takes?: Partial<Capabilities>,
])[] = [
  [
    'a model that reasons has developers',
    [{ role: 'system', content: 's' }, user],
    [{ role: 'developer', content: 's' }, user],
  ],
  [
    'another has a system',
    [{ role: 'system', content: 's' }, user],
    [{ role: 'system', content: 's' }, user],
    { thinking: 'none' },
  ],
  [
    'late instructions where the model takes none',
    [user, { role: 'system', content: 'late' }],
    [user, { role: 'user', content: '<system-reminder>\nlate\n</system-reminder>' }],
    { midSystem: false },
  ],
  [
    'what is meant for another provider is left out',
    [
      {
        role: 'system',
        content: [
          { type: 'text', text: 'x-anthropic-billing-header: a' },
          { type: 'text', text: 's' },
        ],
      },
      user,
    ],
    [{ role: 'developer', content: 's' }, user],
  ],
  [
    'a call without arguments',
    [calling('a'), { role: 'tool', tool_call_id: 'a', content: '' }],
    [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '' },
    ],
  ],
  [
    'thoughts are left out, and a turn of nothing else',
    [{ role: 'assistant', reasoning_content: 'hm' }, user],
    [user],
  ],
  [
    'a refusal',
    [{ role: 'assistant', content: null, refusal: 'no' }, user],
    [{ role: 'assistant', content: null, refusal: 'no' }, user],
  ],
  [
    'calls of neighbouring turns come together, and their results before what the user says',
    [
      calling('a'),
      calling('b'),
      {
        role: 'user',
        content: [
          { type: 'text', text: 'here' },
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
          },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'b', content: 'x' }] },
      user,
    ],
    [
      {
        role: 'assistant',
        content: null,
        tool_calls: ['a', 'b'].map((id) => ({
          id,
          type: 'function',
          function: { name: 'f', arguments: '{}' },
        })),
      },
      { role: 'tool', tool_call_id: 'a', content: '' },
      { role: 'tool', tool_call_id: 'b', content: 'x' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[image(s) returned by tool call a]' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
      { role: 'user', content: 'here' },
      user,
    ],
  ],
  [
    'marks of what to cache',
    [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] }],
    [{ role: 'user', content: [{ type: 'text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit' } }] }],
  ],
  [
    'marks where the model takes none',
    [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] }],
    [{ role: 'user', content: 'x' }],
    { cacheBreakpoints: false },
  ],
  [
    'media',
    [
      {
        role: 'user',
        content: [
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
          { type: 'document', source: { type: 'text', data: 'body' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
        ],
      },
    ],
    [
      {
        role: 'user',
        content: [
          { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
          { type: 'text', text: 'body' },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
        ],
      },
    ],
  ],
]

test('turns become messages that OpenAI accepts', () => {
  for (const [why, messages, expected, takes] of messageCases) {
    assert.deepEqual(written({ messages }, takes).messages, expected, why)
  }
})

test('ids are short, plain and the same in call and result', () => {
  const marked = carrierId('call_1', {
    encrypted: null,
    thoughts: [{ kind: 'thinking', text: 'hm', redacted: false, encrypted: claude }],
  })
  for (const id of ['call_1', longId, 'a b:c', marked]) {
    const { messages } = written({
      messages: [calling(id), { role: 'tool', tool_call_id: id, content: 'x' }],
    })
    const [call, result] = messages as readonly Members[]
    const own = (call?.tool_calls as readonly Members[] | undefined)?.[0]?.id
    assert.equal(result?.tool_call_id, own)
    assert.match(own as string, /^[\w-]{1,40}$/)
    assert.equal(own === 'call_1', id === 'call_1' || id === marked)
  }
})

test('names that the format does not allow go under others, and free text as an object', () => {
  const name = 'mcp.server.tool'
  const body = {
    messages: [
      user,
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'write', input: 'x"y' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '' },
    ],
    tools: [
      { type: 'function', function: { name } },
      {
        type: 'custom',
        custom: {
          name: 'write',
          description: 'Writes.',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } },
        },
      },
    ],
    tool_choice: { type: 'function', function: { name } },
  }
  const { text, names, adjusted } = encoded(body)
  const { tools, tool_choice: choice, messages } = JSON.parse(text)
  const target = tools[0].function.name as string
  assert.deepEqual(names.get(target), { name, namespace: null, wrapped: false })
  assert.equal(choice.function.name, target)
  assert.deepEqual(names.get('write'), { name: 'write', namespace: null, wrapped: true })
  assert.deepEqual(tools[1].function.parameters.required, ['input'])
  assert.match(tools[1].function.description, /^Writes\.\n\n.*"lark"/)
  assert.equal(messages[1].tool_calls[0].function.arguments, '{"input":"x\\"y"}')
  assert.deepEqual(
    adjusted.map(({ kind, field }) => `${kind} ${field}`),
    ['adapted tools[1]'],
  )
})

test('schemas and arguments keep every letter', () => {
  const schema = '{"2":1,"1":{"__proto__":9007199254740993,"e":1e21}}'
  const body = `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"name":"f","input_schema":${schema}}],"temperature":0.70,"response_format":{"type":"json_schema","json_schema":{"name":"a b","schema":${schema}}}}`
  const conversation = decodeRequest(encoder.encode(body), limits, nowhere)
  const { text } = encodeRequest(conversation, { model: 'm', capabilities: all })
  assert.ok(text.includes(`"parameters":${schema}`))
  assert.ok(text.includes(`"schema":${schema}`))
  assert.ok(text.includes('"temperature":0.70'))
  assert.match(text, /"name":"a_b_[a-z0-9]+"/)
})

/** The settings that are written for `more`, and the reported adjustments. */
type SettingCase = readonly [
  more: Members,
  takes: Partial<Capabilities>,
  expected: Members,
  adjustments: readonly string[],
]
const noTools: Partial<Capabilities> = { chatTools: 'without_effort' }
const needsNone: Partial<Capabilities> = { chatTools: 'explicit_none' }
const lowHigh: Partial<Capabilities> = { efforts: ['low', 'high'], thinkingOff: null }
const settingCases: readonly SettingCase[] = [
  [{ max_tokens: 9 }, {}, { max_completion_tokens: 9 }, []],
  [{ max_tokens: 90 }, { outputTokensMax: 50 }, { max_completion_tokens: 50 }, ['adapted max_tokens']],
  [{ stream: true }, {}, { stream: true, stream_options: { include_usage: true } }, []],
  [{ temperature: 1.5 }, { temperatureMax: 1 }, { temperature: 1 }, ['adapted temperature']],
  [{ temperature: 1 }, { sampling: 'none' }, {}, ['dropped temperature']],
  [{ temperature: 1, top_p: 0.5 }, { sampling: 'one_of' }, { temperature: 1 }, ['dropped top_p']],
  [{ top_p: 0.5 }, { sampling: 'one_of' }, { top_p: 0.5 }, []],
  [{ top_p: 0.5 }, { sampling: 'without_reasoning' }, {}, ['dropped top_p']],
  [
    { top_p: 0.5, reasoning_effort: 'none' },
    { sampling: 'without_reasoning' },
    { reasoning_effort: 'none', top_p: 0.5 },
    [],
  ],
  [
    { seed: 1, presence_penalty: 1 },
    { seed: false, penalties: false },
    {},
    ['dropped presence_penalty', 'dropped seed'],
  ],
  [{ stop: ['a', 'b', 'c'] }, { stopsMax: 2 }, { stop: ['a', 'b'] }, ['adapted stop']],
  [{ stop: 'a' }, { stopsMax: 0 }, {}, ['adapted stop']],
  [{ logprobs: true, top_logprobs: 2 }, {}, { logprobs: true, top_logprobs: 2 }, []],
  [{ verbosity: 'low' }, {}, { verbosity: 'low' }, []],
  [{ verbosity: 'low' }, { thinking: 'none' }, {}, ['dropped verbosity']],
  [{ user: 'u' }, {}, { safety_identifier: 'u', prompt_cache_key: 'u' }, []],
  [{ user: 'u', prompt_cache_key: 'k' }, {}, { safety_identifier: 'u', prompt_cache_key: 'k' }, []],
  [{ response_format: { type: 'json_object' } }, {}, { response_format: { type: 'json_object' } }, []],
  [{ web_search_options: {} }, {}, {}, ['dropped web_search_options']],
  [{ reasoning_effort: 'high' }, {}, { reasoning_effort: 'high' }, []],
  [{ reasoning_effort: 'max' }, {}, { reasoning_effort: 'xhigh' }, ['adapted reasoning']],
  [{ reasoning_effort: 'medium' }, lowHigh, { reasoning_effort: 'high' }, ['adapted reasoning']],
  [{ reasoning_effort: 'minimal' }, lowHigh, { reasoning_effort: 'low' }, ['adapted reasoning']],
  [{ reasoning_effort: 'none' }, lowHigh, { reasoning_effort: 'low' }, ['adapted reasoning']],
  [{ reasoning_effort: 'high' }, { thinking: 'none' }, {}, ['dropped reasoning']],
  [{ reasoning_effort: 'none' }, { thinking: 'none' }, {}, []],
  [{ reasoning: { max_tokens: 1_024 } }, {}, { reasoning_effort: 'low' }, ['adapted reasoning']],
  [{ reasoning: { max_tokens: 5_000 } }, {}, { reasoning_effort: 'medium' }, ['adapted reasoning']],
  [{ reasoning: { max_tokens: 10_000 } }, {}, { reasoning_effort: 'high' }, ['adapted reasoning']],
  [{ reasoning: { max_tokens: 0 } }, {}, { reasoning_effort: 'none' }, ['adapted reasoning']],
  [{ reasoning_effort: 'high' }, noTools, { reasoning_effort: 'high' }, []],
  [{ reasoning_effort: 'high', tools: [tool] }, noTools, {}, ['dropped reasoning']],
  [{ tools: [tool] }, noTools, {}, []],
  [{ tools: [tool] }, needsNone, { reasoning_effort: 'none' }, ['adapted reasoning']],
  [{ reasoning_effort: 'none', tools: [tool] }, needsNone, { reasoning_effort: 'none' }, []],
  [
    { tools: [tool], tool_choice: 'required', parallel_tool_calls: false },
    {},
    { tool_choice: 'required', parallel_tool_calls: false },
    [],
  ],
  [
    { tools: [tool], parallel_tool_calls: false },
    { parallelSwitch: false },
    {},
    ['dropped parallel_tool_calls'],
  ],
  [{ tool_choice: 'required', parallel_tool_calls: false }, {}, {}, []],
  [
    {
      tools: [tool],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
    },
    { forcedTools: false },
    {
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
    },
    [],
  ],
]

test('settings are written as far as the model supports them, and reported otherwise', () => {
  for (const [more, takes, expected, adjustments] of settingCases) {
    const { text, adjusted } = encoded(more, takes)
    const { model, messages, tools, ...settings } = JSON.parse(text)
    assert.deepEqual(settings, expected, JSON.stringify(more))
    assert.deepEqual(
      adjusted.map(({ kind, field }) => `${kind} ${field}`),
      adjustments,
      JSON.stringify(more),
    )
  }
  const long = written({ user: 'u'.repeat(65) })
  assert.match(long.safety_identifier as string, /^[a-z0-9]{24}$/)
})

const refusals: readonly (readonly [more: Members, takes: Partial<Capabilities>, pointer: string])[] = [
  [{ tools: [tool] }, { chatTools: 'never' }, 'tools'],
  [{ tools: [tool], tool_choice: 'required' }, { forcedTools: false }, 'tool_choice'],
  [{ tools: [tool], tool_choice: { type: 'function', function: { name: 'g' } } }, {}, 'tool_choice'],
  [{ logprobs: true }, { logprobs: false }, 'logprobs'],
  [
    { response_format: { type: 'json_schema', json_schema: { schema: {} } } },
    { schemaOutput: false },
    'response_format',
  ],
  [
    { response_format: { type: 'json_schema', json_schema: { schema: {} } }, tools: [tool] },
    { schemaWithTools: false },
    'response_format',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: 'https://a/b' }] }] },
    { inputs: ['text'] },
    'messages[0].content[0]',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'file', file: { file_url: 'https://a/b' } }] }] },
    {},
    'messages[0].content[0]',
  ],
  [
    {
      messages: [
        { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'ogg' } }] },
      ],
    },
    {},
    'messages[0].content[0]',
  ],
]

test('what can neither be carried nor be left out is refused with its place', () => {
  for (const [more, takes, pointer] of refusals) {
    assert.throws(
      () => encoded(more, takes),
      (error) => error instanceof WireError && error.code === 'untranslatable' && error.pointer === pointer,
      JSON.stringify(more),
    )
  }
})

/** Without the field that the row names: at the top, or in the first message, part or tool. */
function without(body: Members, field: string): Members {
  const copy = structuredClone(body) as Record<string, unknown>
  const path = field.replaceAll('[]', '.0').split('.')
  let holder = copy
  for (const step of path.slice(0, -1)) holder = holder[step] as Record<string, unknown>
  const last = path.at(-1) ?? ''
  if (last === 'custom') copy.tools = undefined
  else if (last === 'input_audio') copy.messages = [user]
  else delete holder[last]
  if (field === 'logprobs') delete copy.top_logprobs
  return copy
}

test('the policy table matches the body that is encoded again', () => {
  assert.equal(new Set(policy.map(({ field }) => field)).size, policy.length)
  for (const { field, to, note, example } of policy) {
    assert.ok(note.split(' ').length <= 12, note)
    const fate = to['openai-chat']
    const body = { model: 'm', messages: [user], ...example }
    const read = (members: Members) => decodeRequest(encoder.encode(JSON.stringify(members)), limits, nowhere)
    const conversation = read(body)
    assert.ok(
      conversation.fields.some(({ name }) => name === field),
      `${field} is noted`,
    )
    if (fate === 'refused') {
      assert.throws(() => applyPolicy(policy, conversation.fields, 'openai-chat'), WireError, field)
      continue
    }
    const target = { model: 'm', capabilities: all }
    const isSame =
      encodeRequest(conversation, target).text === encodeRequest(read(without(body, field)), target).text
    assert.equal(isSame, fate === 'dropped', `${field} is ${fate}`)
    const adjustments = applyPolicy(policy, conversation.fields, 'openai-chat').filter(
      ({ why }) => why === note,
    )
    assert.equal(adjustments.length > 0, fate === 'dropped', `${field} is told`)
  }
})

test('an unknown field is reported, and no carrier of ours goes upstream', () => {
  const { fields: members } = decodeRequest(
    encoder.encode('{"model":"m","messages":[{"role":"user","content":"x"}],"provider":{"order":["x"]}}'),
    limits,
    nowhere,
  )
  assert.deepEqual(
    applyPolicy(policy, members, 'openai-chat').map(({ field }) => field),
    ['provider'],
  )
  const details = [{ type: 'reasoning.text', text: 'hm', signature: tagged(claude) }]
  const { text } = encoded({
    messages: [user, { role: 'assistant', content: 'x', reasoning_details: details }],
  })
  assert.ok(!text.includes('tg1'))
})
