/** Messages requests: what can change the price is named or rejected, tools are capped, splices touch only their fields. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ReadLimits, type RequestPatch, WireError } from '../dialect.ts'
import { applyEdits } from '../json/json.ts'
import { readBetas } from '../request-fields.ts'
import { extractRequest, type MessagesFields, patchRequest } from './extract-request.ts'
import { messagesBetas } from './request-price-table.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 10_000, integerMax: 1_000_000_000 }
const encoder = new TextEncoder()
const base = { model: 'claude-x', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] }

const bodyOf = (more: Readonly<Record<string, unknown>> = {}) => JSON.stringify({ ...base, ...more })
const userMessage = (...content: unknown[]) => bodyOf({ messages: [{ role: 'user', content }] })

function read(body: string): MessagesFields {
  return extractRequest(encoder.encode(body), limits)
}

function failure(body: string): string {
  try {
    read(body)
    return 'accepted'
  } catch (error) {
    assert.ok(error instanceof WireError, String(error))
    return `${error.code} ${error.pointer ?? ''}: ${error.message}`
  }
}

/** Options and server tools, or the error's code and pointer. */
function outcome(body: string): string {
  try {
    const { options, serverTools } = read(body)
    return [
      ...options.map(({ name, pointer }) => `${name} at ${pointer}`),
      ...serverTools.map(({ meter, usesMax, pointer }) => `${meter}:${usesMax} at ${pointer}`),
    ].join(', ')
  } catch (error) {
    assert.ok(error instanceof WireError, String(error))
    return `${error.code} ${error.pointer}`
  }
}

const ephemeral = { type: 'ephemeral' }
const free: Readonly<Record<string, unknown>>[] = [
  {},
  // As coding agents send it.
  {
    system: [
      { type: 'text', text: 'x-anthropic-billing-header: cc' },
      { type: 'text', text: 's', cache_control: ephemeral },
    ],
    metadata: { user_id: '{"device_id":"d"}' },
    thinking: { type: 'adaptive', display: 'omitted' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    output_config: { effort: 'high', task_budget: { type: 'tokens', total: 5 } },
    service_tier: 'auto',
    stream: true,
    tools: [
      {
        name: 'Bash',
        input_schema: { type: 'object', properties: { speed: {}, Speed: {} } },
        defer_loading: true,
      },
    ],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: ephemeral }] },
      { role: 'system', content: [{ type: 'text', text: 's' }], output_config: { effort: 'low' } },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { type: 'x', Type: 'y' } }],
      },
    ],
  },
  { service_tier: 'standard_only', speed: 'standard', inference_geo: 'global' },
  {
    speed: null,
    inference_geo: null,
    service_tier: null,
    container: null,
    thread: null,
    context_management: null,
  },
  { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] }, fallbacks: [], mcp_servers: [] },
  {
    billing_policy: { type: 'billing_policy', bill_to: 'self' },
    diagnostics: { previous_message_id: 'msg_1' },
  },
  {
    tools: [
      { type: 'custom', name: 'a' },
      { type: 'bash_20250124' },
      { type: 'text_editor_20250728' },
      { type: 'computer_20251124' },
    ],
  },
  {
    tools: [
      { type: 'memory_20250818' },
      { type: 'computer_toolset_20260801' },
      { type: 'browser_toolset_20260801' },
    ],
  },
]

test('what clients send by default and what costs only its tokens is free', () => {
  for (const more of free) assert.equal(outcome(bodyOf(more)), '', JSON.stringify(more))
})

const priced: [more: Readonly<Record<string, unknown>>, outcome: string][] = [
  [{ service_tier: 'priority' }, 'service_tier:priority at service_tier'],
  [{ speed: 'fast' }, 'speed:fast at speed'],
  [{ inference_geo: 'us' }, 'inference_geo:us at inference_geo'],
  [{ inference_geo: 7 }, 'invalid_value inference_geo'],
  [{ fallbacks: 'default' }, 'fallbacks at fallbacks'],
  [{ fallbacks: [{ model: 'dear' }] }, 'fallbacks at fallbacks'],
  [{ fallback_credit_token: 't' }, 'fallback_credit_token at fallback_credit_token'],
  [{ compaction: { type: 'summarize' } }, 'compaction at compaction'],
  [
    { context_management: { edits: [{ type: 'clear_thinking_20251015' }, { type: 'compact_20260112' }] } },
    'context_management:compact at context_management.edits[1].type',
  ],
  [{ mcp_servers: [{ type: 'url', url: 'https://x' }] }, 'mcp:null at mcp_servers'],
  [{ billing_policy: { bill_to: 'user_profile' } }, 'bill_to:user_profile at billing_policy.bill_to'],
  [{ container: 'container_1' }, 'reference_not_owned container'],
  [{ container: { skills: [{ skill_id: 's' }] } }, 'reference_not_owned container'],
  [{ thread: { type: 'create' } }, 'reference_not_owned thread'],
  [
    { thread: { type: 'continue', previous_message_id: 'm' } },
    'reference_not_owned thread.previous_message_id',
  ],
  [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'web_search:null at tools[0]'],
  [{ tools: [{ type: 'web_search_20260318', max_uses: 8 }] }, 'web_search:8 at tools[0]'],
  [{ tools: [{ type: 'web_fetch_20250910', max_uses: null }] }, 'web_fetch:null at tools[0]'],
  [{ tools: [{ type: 'code_execution_20260120' }] }, 'code_execution:null at tools[0]'],
  [{ tools: [{ type: 'tool_search_tool_regex_20251119' }] }, 'tool_search:null at tools[0]'],
  [{ tools: [{ type: 'tool_search_tool_bm25' }] }, 'tool_search:null at tools[0]'],
  [{ tools: [{ type: 'advisor_20260301', model: 'dear', max_uses: 2 }] }, 'advisor:2 at tools[0]'],
  [{ tools: [{ name: 'a' }, { type: 'mcp_toolset', mcp_server_name: 'x' }] }, 'mcp:null at tools[1]'],
  [{ tools: [{ type: 'toString' }] }, 'toString:null at tools[0]'],
  [{ tools: [{ type: 'telepathy_20270101' }] }, 'telepathy:null at tools[0]'],
  [{ tools: [{ type: 'web_search_20250305', max_uses: 1.5 }] }, 'invalid_value tools[0].max_uses'],
  [{ tools: [{ type: 'web_search_20250305', maxUses: 1 }] }, 'ambiguous_field tools[0].maxUses'],
  [{ tools: [{ type: 'custom', Type: 'web_search_20250305' }] }, 'ambiguous_field tools[0].Type'],
]

test('what changes the price is an option, a tool with a meter, or refused', () => {
  for (const [more, expected] of priced) assert.equal(outcome(bodyOf(more)), expected, JSON.stringify(more))
})

test('a tool defined in the middle of a conversation is a tool', () => {
  const addition = (definition: unknown) =>
    userMessage({ type: 'tool_addition', tool: { type: 'tool_definition', definition } })
  assert.equal(
    outcome(addition({ type: 'web_search_20260209' })),
    'web_search:null at messages[0].content[0].tool.definition',
  )
  assert.equal(outcome(addition({ name: 'mine', input_schema: {} })), '')
  assert.equal(
    outcome(userMessage({ type: 'tool_addition', tool: { type: 'tool_reference', name: 'x' } })),
    '',
  )
})

const blocks: [block: unknown, outcome: string][] = [
  [
    {
      type: 'code_execution_tool_result',
      content: { content: [{ type: 'code_execution_output', file_id: 'f' }] },
    },
    '',
  ],
  [
    { type: 'text', text: 't', cache_control: { type: 'ephemeral', ttl: '24h' } },
    'unpriced_option messages[0].content[0].cache_control.ttl',
  ],
  [
    { type: 'text', text: 't', cacheControl: ephemeral },
    'ambiguous_field messages[0].content[0].cacheControl',
  ],
  [
    { type: 'image', source: { type: 'url', url: 'a', URL: 'b' } },
    'ambiguous_field messages[0].content[0].source.URL',
  ],
  [{ type: 'future_block', whatever: { file_id: 'x' } }, ''],
]

test('blocks are read by what they hold, however deep', () => {
  for (const [block, expected] of blocks)
    assert.equal(outcome(userMessage(block)), expected, JSON.stringify(block))
})

test('media are reported with the position of their bytes, nested ones too', () => {
  const base64 = (media_type: string, data: string) => ({ type: 'base64', media_type, data })
  const body = userMessage(
    { type: 'image', source: base64('image/PNG', 'AAAA') },
    { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain words' } },
    {
      type: 'document',
      source: { type: 'content', content: [{ type: 'image', source: base64('image/gif', 'BBBB') }] },
    },
    { type: 'tool_result', content: [{ type: 'image', source: base64('image/webp', 'CCCC') }] },
    {
      type: 'web_fetch_tool_result',
      content: { content: { type: 'document', source: base64('application/pdf', 'DDDD') } },
    },
    { type: 'search_result', source: 'https://example.com', content: [{ type: 'text', text: 't' }] },
  )
  const found = read(body).media.map(
    ({ kind, mediaType, span }) =>
      `${kind} ${mediaType} ${span === null ? '-' : body.slice(span.start, span.end)}`,
  )
  assert.deepEqual(found.sort(), [
    'document  -',
    'document application/pdf DDDD',
    'image image/gif BBBB',
    'image image/png AAAA',
    'image image/webp CCCC',
  ])
})

test('cache markers are found in every position', () => {
  const long = { type: 'ephemeral', ttl: '1h' }
  const cases: [more: Readonly<Record<string, unknown>>, lifetimes: string][] = [
    [{}, ''],
    [{ cache_control: null }, ''],
    [{ cache_control: ephemeral }, '5m'],
    [{ cache_control: long }, '1h'],
    [{ system: [{ type: 'text', text: 's', cache_control: long }] }, '1h'],
    [{ tools: [{ name: 'a', cache_control: ephemeral }], cache_control: long }, '1h 5m'],
    [
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'tool_result', content: [{ type: 'text', text: 't', cache_control: long }] }],
          },
        ],
      },
      '1h',
    ],
    [{ tools: [{ name: 'a', input_schema: { cache_control: long } }] }, ''],
  ]
  for (const [more, lifetimes] of cases)
    assert.equal(read(bodyOf(more)).cacheWrites.join(' '), lifetimes, JSON.stringify(more))
})

const refused: [body: string, failure: string][] = [
  ['{"messages":[],"max_tokens":1}', 'missing_field model: model: Field required'],
  ['{"model":"a","messages":[]}', 'missing_field max_tokens: max_tokens: Field required'],
  ['{"model":"a","messages":[],"max_tokens":null}', 'missing_field max_tokens: max_tokens: Field required'],
  ['{"model":"a","max_tokens":1}', 'missing_field messages: messages: Field required'],
  ['{"model":"a","max_tokens":1,"messages":{}}', 'invalid_value messages: messages: must be an array.'],
  ['{"model":1,"max_tokens":1,"messages":[]}', 'invalid_value model: model: must be a string.'],
  ['null', 'invalid_value : The body must be a JSON object.'],
]

test('what is missing is said in the words of this format', () => {
  for (const [body, expected] of refused) assert.equal(failure(body), expected)
})

test('output limits and thinking budgets are whole and in bounds', () => {
  const limit = (raw: string) => bodyOf().replace('"max_tokens":100', `"max_tokens":${raw}`)
  for (const [raw, tokens] of [
    ['0', 0],
    ['1', 1],
    ['1e3', 1000],
    ['64000.0', 64_000],
  ] as const) {
    assert.equal(read(limit(raw)).outputLimit, tokens)
  }
  for (const raw of ['-1', '1.5', '"5"', '1e400', '9007199254740993', 'true', '[1]']) {
    assert.match(failure(limit(raw)), /^invalid_value max_tokens/, raw)
  }
  assert.match(failure(limit('5,"max_tokens":6')), /^ambiguous_field max_tokens/)
  assert.match(failure(limit('5,"max\\u005ftokens":6')), /^ambiguous_field max_tokens/)
  assert.equal(read(bodyOf({ thinking: { type: 'enabled', budget_tokens: 2048 } })).thinkingBudget, 2048)
  assert.equal(read(bodyOf({ thinking: { type: 'adaptive' } })).thinkingBudget, null)
  assert.match(
    failure(bodyOf({ thinking: { type: 'enabled', budget_tokens: -5 } })),
    /^invalid_value thinking\.budget_tokens/,
  )
})

function spliced(body: string, splice: RequestPatch): string {
  return Buffer.concat(applyEdits(encoder.encode(body), patchRequest(read(body), splice))).toString()
}

const head = '{"messages":[],"model":"m","max_tokens":9'
const splices: [body: string, splice: RequestPatch, result: string][] = [
  [`${head}}`, {}, `${head}}`],
  [
    `${head}}`,
    { model: 'n', outputLimit: 7, serverToolUsesMax: 5 },
    '{"messages":[],"model":"n","max_tokens":7}',
  ],
  [`${head}}`, { outputLimit: 9 }, `${head}}`],
  [`${head}}`, { outputLimit: 10 }, `${head}}`],
  [
    `${head},"tools":[{"type":"web_search_20250305"},{"type":"web_fetch_20250910","max_uses":9},{"name":"a"}]}`,
    { serverToolUsesMax: 5 },
    `${head},"tools":[{"max_uses":5,"type":"web_search_20250305"},{"type":"web_fetch_20250910","max_uses":5},{"name":"a"}]}`,
  ],
  [
    `${head},"tools":[{"max_uses":3,"type":"web_search_20250305"},{"type":"web_search_20260209","max_uses":null}]}`,
    { serverToolUsesMax: 5 },
    `${head},"tools":[{"max_uses":3,"type":"web_search_20250305"},{"type":"web_search_20260209","max_uses":5}]}`,
  ],
  // A tool that knows no cap would be refused with one.
  [
    `${head},"tools":[{"type":"code_execution_20250825"}]}`,
    { serverToolUsesMax: 5 },
    `${head},"tools":[{"type":"code_execution_20250825"}]}`,
  ],
]

test('a splice writes what it must and nothing else', () => {
  for (const [body, splice, result] of splices) assert.equal(spliced(body, splice), result, body)
})

test('betas change the price only where the table says so, and unknown ones are named', () => {
  const read = (value: string | string[]) => readBetas(messagesBetas, { 'anthropic-beta': value })
  const harmless = [
    'claude-code-20250219,context-1m-2025-08-07, interleaved-thinking-2025-05-14,fast-mode-2026-02-01',
    'output-300k-2026-03-24,context-management-2025-06-27,,fast-mode-2031-02-01',
    '',
  ]
  for (const value of harmless) assert.deepEqual(read(value), { options: [], unknown: [] }, value)
  const options = [{ name: 'beta:user-profiles-billing', pointer: 'anthropic-beta' }]
  const unknown = ['anthropic-beta: unheard-of-2030-01-01']
  const priced = 'User-Profiles-Billing-2026-10-01'
  assert.deepEqual(read(`Unheard-of-2030-01-01, ${priced}`), { options, unknown })
  assert.deepEqual(read(['unheard-of-2030-01-01', priced]), { options, unknown })
})

test('many tools and options in one body are refused, long names are cut', () => {
  const many = (one: unknown) => Array.from({ length: 2_000 }, () => one)
  assert.match(
    failure(bodyOf({ tools: many({ type: 'web_search_20250305' }) })),
    /^invalid_value tools\[32\]\.type/,
  )
  assert.match(failure(bodyOf({ tools: [{ type: 'x'.repeat(1_000) }] })), /^invalid_value tools\[0\]\.type/)
  const edits = Array.from({ length: 100 }, (_, index) => ({ type: `edit${index}` }))
  assert.match(
    failure(bodyOf({ context_management: { edits } })),
    /^invalid_value context_management\.edits\[16\]\.type/,
  )
  const same = { edits: many({ type: 'compact_20260112' }) }
  assert.equal(
    outcome(bodyOf({ context_management: same })),
    'context_management:compact at context_management.edits[0].type',
  )
  const long = bodyOf({ [`a${'_'.repeat(1_000)}`]: 1, A: 2 })
  assert.ok(failure(long).length < 300)
})
