/** Chat requests: what can change the price is named or rejected, numbers are checked, splices touch only their fields. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ReadLimits, type RequestPatch, WireError } from '../dialect.ts'
import { applyEdits } from '../json/json.ts'
import { type ChatFields, extractRequest, patchRequest, usageEvent } from './extract-request.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 10_000, integerMax: 1_000_000_000 }
const encoder = new TextEncoder()
const messages = [{ role: 'user', content: 'hi' }]

/** The body as text, its members as given; `raw` members are written as they are. */
function bodyOf(more: Readonly<Record<string, unknown>> = {}, raw = ''): string {
  const body = JSON.stringify({ model: 'gpt-x', messages, ...more })
  return raw === '' ? body : `${body.slice(0, -1)},${raw}}`
}

function read(body: string): ChatFields {
  return extractRequest(encoder.encode(body), limits)
}

/** The options' names and pointers, or the error's code and pointer. */
function outcome(body: string): string {
  try {
    return read(body)
      .options.map(({ name, pointer }) => `${name} at ${pointer}`)
      .join(', ')
  } catch (error) {
    assert.ok(error instanceof WireError, String(error))
    return `${error.code} ${error.pointer}`
  }
}

const free: Readonly<Record<string, unknown>>[] = [
  {},
  { service_tier: 'auto' },
  { service_tier: 'default' },
  { service_tier: null },
  { store: true, metadata: { tier: 'flex' }, user: 'u', safety_identifier: 's', prompt_cache_key: 'k' },
  { modalities: ['text'], audio: null, prediction: null, web_search_options: null },
  { background: false, previous_response_id: null, conversation: null, prompt: null },
  { prompt_cache_retention: '24h', prompt_cache_options: { mode: 'explicit', ttl: '30m' } },
  { moderation: { model: 'omni-moderation-latest' } },
  { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'web_search', ttl: '12h' } } }] },
  { tools: [{ type: 'custom', custom: { name: 'c' } }], tool_choice: 'auto', parallel_tool_calls: true },
  {
    tools: [],
    functions: [{ name: 'f', parameters: { type: 'object' } }],
    plugins: [],
    enable_search: false,
  },
  { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'mcp' } } } },
  {
    reasoning_effort: 'high',
    verbosity: 'low',
    seed: 1,
    logprobs: true,
    top_logprobs: 20,
    x_unknown: { any: 1 },
  },
  {
    messages: [
      { role: 'assistant', content: null, tool_calls: [{ function: { arguments: '{"file_id":"x"}' } }] },
    ],
  },
]

test('what costs only its tokens has no option', () => {
  for (const more of free) assert.equal(outcome(bodyOf(more)), '', JSON.stringify(more))
})

const priced: [more: Readonly<Record<string, unknown>>, outcome: string][] = [
  [{ service_tier: 'flex' }, 'service_tier:flex at service_tier'],
  [{ service_tier: 'priority' }, 'service_tier:priority at service_tier'],
  [{ service_tier: 'fast' }, 'service_tier:fast at service_tier'],
  [{ service_tier: 'toString' }, 'service_tier:toString at service_tier'],
  [{ service_tier: 5 }, 'invalid_value service_tier'],
  [{ service_tier: 'x'.repeat(65) }, 'invalid_value service_tier'],
  [{ modalities: ['text', 'audio'] }, 'modality:audio at modalities[1]'],
  [{ audio: { voice: 'a' } }, 'modality:audio at audio'],
  [{ prediction: { type: 'content', content: 'x' } }, 'prediction at prediction'],
  [{ web_search_options: {} }, 'web_search_options at web_search_options'],
  [{ prompt_cache_options: { ttl: '12h' } }, 'prompt_cache_ttl:12h at prompt_cache_options.ttl'],
  [{ search_parameters: { mode: 'on' } }, 'search_parameters at search_parameters'],
  [{ plugins: [{ id: 'web' }] }, 'plugins at plugins'],
  [{ background: true }, 'unpriced_option background'],
  [{ deferred: true }, 'unpriced_option deferred'],
  [{ data_sources: [{ type: 'azure_search' }] }, 'data_sources at data_sources'],
  [
    { extra_body: { google: { cached_content: 'cachedContents/1' } } },
    'reference_not_owned extra_body.google.cached_content',
  ],
  [{ previous_response_id: 'resp_1' }, 'reference_not_owned previous_response_id'],
  [{ conversation: { id: 'c' } }, 'reference_not_owned conversation'],
  [{ prompt: { id: 'p' } }, 'reference_not_owned prompt'],
  [{ tools: [{ type: 'function' }, { type: 'mcp', server_url: 'x' }] }, 'unpriced_option tools[1].type'],
  [{ tools: [{ type: 'web_search_preview' }] }, 'unpriced_option tools[0].type'],
  [{ tools: [{ type: 7 }] }, 'invalid_value tools[0].type'],
]

test('what changes the price is an option, or refused', () => {
  for (const [more, expected] of priced) assert.equal(outcome(bodyOf(more)), expected, JSON.stringify(more))
})

const partCases: [part: unknown, outcome: string][] = [
  [{ type: 'text', text: 'x' }, ''],
  [{ type: 'text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit' } }, ''],
  [
    { type: 'text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } },
    'prompt_cache_ttl:12h at messages[0].content[0].prompt_cache_breakpoint.ttl',
  ],
  [
    { type: 'video_url', video_url: { url: 'https://x' } },
    'unpriced_option messages[0].content[0].video_url',
  ],
]

test('parts of messages are read by what they hold', () => {
  for (const [part, expected] of partCases) {
    assert.equal(
      outcome(bodyOf({ messages: [{ role: 'user', content: [part] }] })),
      expected,
      JSON.stringify(part),
    )
  }
  const audioMessage = { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }
  assert.equal(outcome(bodyOf(audioMessage)), 'reference_not_owned messages[0].audio.id')
})

test('media are reported with the position of their bytes', () => {
  const data = 'iVBORw0KGgo='
  const content = [
    { type: 'image_url', image_url: { url: `data:image/PNG;base64,${data}` } },
    { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'high' } },
    { type: 'image_url', image_url: `DATA:image/webp;charset=x;base64,${data}` },
    { type: 'input_audio', input_audio: { data, format: 'mp3' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${data}` } },
    { type: 'file', file: { file_data: data } },
    { type: 'file', file: { file_url: 'https://example.com/a.pdf' } },
  ]
  const expected: [kind: string, mediaType: string, bytes: string | null][] = [
    ['image', 'image/png', data],
    ['image', '', null],
    ['image', 'image/webp', data],
    ['audio', 'audio/mp3', data],
    ['document', 'application/pdf', data],
    ['document', '', data],
    ['document', '', null],
  ]
  const plain = bodyOf({ messages: [{ role: 'user', content }] })
  for (const body of [plain, plain.replaceAll('/', '\\/')]) {
    const found = read(body).media.map(({ kind, mediaType, span }) => [
      kind,
      mediaType,
      span === null ? null : Buffer.from(body).subarray(span.start, span.end).toString(),
    ])
    assert.deepEqual(found, expected)
  }
})

const missing: [body: string, code: string, message: RegExp][] = [
  ['{}', 'missing_field', /'model'/],
  ['{"model":null,"messages":[]}', 'missing_field', /'model'/],
  ['{"model":"","messages":[]}', 'invalid_value', /model/],
  ['{"model":["a"],"messages":[]}', 'invalid_value', /model/],
  ['{"model":"a"}', 'missing_field', /'messages'/],
  ['{"model":"a","messages":null}', 'missing_field', /'messages'/],
  ['{"model":"a","messages":"hi"}', 'invalid_value', /messages/],
  ['{"model":"a","input":null}', 'missing_field', /messages/],
  ['[]', 'invalid_value', /object/],
  ['"x"', 'invalid_value', /object/],
  ['{"model":"a","messages":[],"stream":"true"}', 'invalid_value', /stream/],
  ['{"model":"a","messages":[],"stream":true,"stream_options":[]}', 'invalid_value', /stream_options/],
  [
    '{"model":"a","messages":[],"stream":true,"stream_options":{"include_usage":1}}',
    'invalid_value',
    /include_usage/,
  ],
  [
    '{"model":"a","messages":[],"stream":true,"stream_options":{"includeUsage":true}}',
    'ambiguous_field',
    /includeUsage/,
  ],
  [
    '{"model":"a","messages":[{"role":"user","content":[{"image_url":"x","imageUrl":"y"}]}]}',
    'ambiguous_field',
    /imageUrl/,
  ],
  [
    '{"model":"a","messages":[],"tools":[{"type":"function","ty\\u0070e":"mcp"}]}',
    'ambiguous_field',
    /tools\[0\]\.type/,
  ],
  ['{"model":"a","messages":[],"MODEL":"b"}', 'ambiguous_field', /MODEL/],
  ['{"model":"a","messages":[],"serviceTier":"flex"}', 'ambiguous_field', /serviceTier/],
  ['{"model":"a","messages":[]', 'invalid_json', /byte/],
]

test('what is missing, malformed or ambiguous is named', () => {
  for (const [body, code, message] of missing) {
    assert.throws(
      () => read(body),
      (error) => error instanceof WireError && error.code === code && message.test(error.message),
      body,
    )
  }
})

test('names below what the caller names are the caller’s own', () => {
  const own = { model: 1, Model: 2, max_tokens: 3, maxTokens: 4, type: 'mcp' }
  const body = bodyOf({
    metadata: own,
    response_format: { json_schema: { schema: { properties: own } } },
    tools: [{ type: 'function', function: { name: 'f', parameters: { properties: own } } }],
    logit_bias: own,
  })
  assert.equal(outcome(body), '')
})

const numbers: [raw: string, outcome: unknown][] = [
  ['"max_tokens":5', 5],
  ['"max_tokens":null', null],
  ['"max_tokens":1024.0', 1024],
  ['"max_completion_tokens":1e3', 1000],
  ['"max_tokens":5,"max_completion_tokens":7', 7],
  ['"max_tokens":9,"max_completion_tokens":7', 9],
  ['"max_tokens":9,"max_completion_tokens":null', 9],
  ['"max_tokens":0', 'invalid_value'],
  ['"max_tokens":-1', 'invalid_value'],
  ['"max_tokens":1.5', 'invalid_value'],
  ['"max_tokens":"5"', 'invalid_value'],
  ['"max_tokens":1e400', 'invalid_value'],
  ['"max_tokens":9007199254740993', 'invalid_value'],
  ['"max_tokens":9223372036854775808', 'invalid_value'],
  ['"max_completion_tokens":0', 'invalid_value'],
  ['"max_tokens":5,"max_tokens":6', 'ambiguous_field'],
  ['"max_tokens":5,"maxTokens":6', 'ambiguous_field'],
  ['"n":0', 'invalid_value'],
  ['"n":-1', 'invalid_value'],
  ['"n":1.5', 'invalid_value'],
  ['"n":true', 'invalid_value'],
]

test('numbers that reach money are whole, in bounds and unambiguous', () => {
  for (const [raw, expected] of numbers) {
    const found = () => read(bodyOf({}, raw)).outputLimit
    if (typeof expected === 'string') {
      assert.throws(found, (error) => error instanceof WireError && error.code === expected, raw)
    } else assert.equal(found(), expected, raw)
  }
  assert.equal(read(bodyOf({}, '"n":3')).choices, 3)
  assert.equal(read(bodyOf({}, '"n":null')).choices, 1)
})

function spliced(body: string, splice: RequestPatch): string {
  const facts = read(body)
  return Buffer.concat(applyEdits(encoder.encode(body), patchRequest(facts, splice))).toString()
}

const head = '{"model":"m","messages":[]'
const splices: [body: string, splice: RequestPatch, result: string][] = [
  [`${head}}`, {}, `${head}}`],
  [`${head}}`, { model: 'a"b' }, '{"model":"a\\"b","messages":[]}'],
  [`${head},"max_tokens":9}`, { outputLimit: 7 }, `${head},"max_tokens":7}`],
  [`${head},"max_tokens": 9 }`, { outputLimit: 9 }, `${head},"max_tokens": 9 }`],
  [
    `${head},"max_tokens":9,"max_completion_tokens":5}`,
    { outputLimit: 6 },
    `${head},"max_tokens":6,"max_completion_tokens":5}`,
  ],
  [
    `${head},"max_tokens":9,"max_completion_tokens":8}`,
    { outputLimit: 6 },
    `${head},"max_tokens":6,"max_completion_tokens":6}`,
  ],
  [`${head}}`, { outputLimit: 7 }, '{"max_completion_tokens":7,"model":"m","messages":[]}'],
  [`${head},"max_completion_tokens":null}`, { outputLimit: 7 }, `${head},"max_completion_tokens":7}`],
  [
    `${head},"max_tokens":null}`,
    { outputLimit: 7 },
    '{"max_completion_tokens":7,"model":"m","messages":[],"max_tokens":null}',
  ],
  [
    `${head},"stream":true}`,
    {},
    '{"stream_options":{"include_usage":true},"model":"m","messages":[],"stream":true}',
  ],
  [
    `${head},"stream":true}`,
    { outputLimit: 7 },
    '{"max_completion_tokens":7,"stream_options":{"include_usage":true},"model":"m","messages":[],"stream":true}',
  ],
  [
    `${head},"stream":true,"stream_options":null}`,
    {},
    `${head},"stream":true,"stream_options":{"include_usage":true}}`,
  ],
  [
    `${head},"stream":true,"stream_options":{ }}`,
    {},
    `${head},"stream":true,"stream_options":{"include_usage":true }}`,
  ],
  [
    `${head},"stream":true,"stream_options":{"include_obfuscation":false}}`,
    {},
    `${head},"stream":true,"stream_options":{"include_usage":true,"include_obfuscation":false}}`,
  ],
  [
    `${head},"stream":true,"stream_options":{"include_usage":false}}`,
    {},
    `${head},"stream":true,"stream_options":{"include_usage":true}}`,
  ],
  [
    `${head},"stream":true,"stream_options":{"include_usage":null}}`,
    {},
    `${head},"stream":true,"stream_options":{"include_usage":true}}`,
  ],
  [
    `${head},"stream":true,"stream_options":{"include_usage":true}}`,
    {},
    `${head},"stream":true,"stream_options":{"include_usage":true}}`,
  ],
  [
    `${head},"stream":false,"stream_options":{"x":1}}`,
    {},
    `${head},"stream":false,"stream_options":{"x":1}}`,
  ],
]

test('a splice writes what it must and nothing else', () => {
  for (const [body, splice, result] of splices) assert.equal(spliced(body, splice), result, body)
})

test('the usage event is the caller’s when the caller asked for it', () => {
  assert.equal(usageEvent(read(bodyOf({ stream: true }))), 'drop')
  assert.equal(usageEvent(read(bodyOf({ stream: true, stream_options: { include_usage: true } }))), 'relay')
  assert.equal(usageEvent(read(bodyOf({ stream_options: {} }))), 'relay')
})

test('however a body is written, a splice equals the change made on objects', () => {
  const bodies = fc.record(
    {
      model: fc.string({ minLength: 1 }),
      messages: fc.array(
        fc.record({ role: fc.constantFrom('user', 'system'), content: fc.string({ unit: 'binary' }) }),
        { maxLength: 3 },
      ),
      max_tokens: fc.option(fc.integer({ min: 1, max: 100_000 })),
      max_completion_tokens: fc.option(fc.integer({ min: 1, max: 100_000 })),
      stream: fc.boolean(),
      stream_options: fc.option(
        fc.record({ include_usage: fc.boolean(), other: fc.jsonValue() }, { requiredKeys: [] }),
      ),
      metadata: fc.jsonValue(),
    },
    { requiredKeys: ['model', 'messages'] },
  )
  const splices = fc.record(
    { model: fc.string({ minLength: 1 }), outputLimit: fc.integer({ min: 1, max: 100_000 }) },
    { requiredKeys: [] },
  )
  const orders = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 7 })
  fc.assert(
    fc.property(bodies, splices, orders, fc.constantFrom(0, 1, '\t'), (body, splice, order, space) => {
      const entries = Object.entries(body)
      const shuffled = order.flatMap((index) => (entries[index] === undefined ? [] : [entries[index]]))
      const text = JSON.stringify(Object.fromEntries(shuffled), null, space)
      assert.deepEqual(JSON.parse(spliced(text, splice)), JSON.parse(JSON.stringify(changed(body, splice))))
    }),
    { numRuns: 500 },
  )
})

interface Limited {
  readonly max_tokens?: number | null
  readonly max_completion_tokens?: number | null
  readonly stream?: boolean
  readonly stream_options?: object | null
}

/** The splice, made on objects. */
function changed(body: Limited, { model, outputLimit }: RequestPatch): Record<string, unknown> {
  const result: Record<string, unknown> = { ...body, ...(model === undefined ? {} : { model }) }
  if (outputLimit !== undefined) {
    const limitFields = (['max_tokens', 'max_completion_tokens'] as const).filter(
      (name) => typeof body[name] === 'number',
    )
    for (const name of limitFields) result[name] = Math.min(body[name] ?? 0, outputLimit)
    if (limitFields.length === 0) result.max_completion_tokens = outputLimit
  }
  if (body.stream === true) result.stream_options = { ...body.stream_options, include_usage: true }
  return result
}

test('a conversation is identified by the first user message', () => {
  const conversation = [
    { role: 'system', content: 's' },
    { role: 'user', content: 'first' },
    { role: 'assistant', content: 'a' },
  ]
  const span = (body: string) => {
    const { start, end } = read(body).conversationSpan
    return body.slice(start, end)
  }
  assert.equal(span(bodyOf({ messages: conversation })), 'first')
  assert.equal(span(bodyOf({ messages: [...conversation, { role: 'user', content: 'next' }] })), 'first')
  assert.equal(span(bodyOf({ messages: conversation.slice(0, 1) })), JSON.stringify(conversation[0]))
  assert.equal(span(bodyOf({ messages: [] })), '[]')
})

const block = (part: unknown) => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }, part] }],
})
const asIsCases: readonly (readonly [asIs: boolean, more: Readonly<Record<string, unknown>>])[] = [
  [true, {}],
  [true, block({ type: 'image_url', image_url: { url: 'https://a/b' } })],
  [true, block({ type: 'text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit' } })],
  [true, block({ type: 'thinking', thinking: [{ type: 'text', text: 'x' }] })],
  [true, { messages: [{ role: 'assistant', reasoning_content: 'x', content: 'x' }] }],
  [true, { tools: [{ type: 'function', function: { name: 'f', parameters: { cache_control: 1 } } }] }],
  [true, { tools: [{ type: 'custom', custom: { name: 'c' } }], functions: [{ name: 'f' }] }],
  [true, { thinking: { type: 'enabled' }, system: null, reasoning: null }],
  [false, block({ type: 'thinking', thinking: 'x', signature: 's' })],
  [false, block({ type: 'tool_use', id: 'a', name: 'f', input: {} })],
  [false, block({ type: 'tool_result', tool_use_id: 'a', content: 'x' })],
  [false, block({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } })],
  [false, block({ type: 'document', source: { type: 'text', data: 'x' } })],
  [false, block({ type: 'input_text', text: 'x' })],
  [false, block({ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } })],
  [false, { messages: [{ role: 'user', content: 'x', cache_control: { type: 'ephemeral' } }] }],
  [false, { system: 'x' }],
  [false, { reasoning: { effort: 'high' } }],
  [false, { tools: [{ name: 'f', input_schema: {} }] }],
  [false, { tools: [{ type: 'function', name: 'f', parameters: {} }] }],
  [false, { tools: [{ type: 'custom', name: 'f', input_schema: {} }] }],
  [false, { tools: [{ type: 'function', function: { name: 'f' }, cache_control: { type: 'ephemeral' } }] }],
  [false, { tools: [{ type: 'function', function: { name: 'f', cache_control: { type: 'ephemeral' } } }] }],
]

test('a body that mixes formats cannot be forwarded unchanged', () => {
  for (const [asIs, more] of asIsCases)
    assert.equal(read(bodyOf(more)).canPassThrough, asIs, JSON.stringify(more))
  assert.equal(read(bodyOf({ reasoning: { effort: 'high' } })).effort, 'high')
  assert.equal(read(bodyOf({ functions: [{ name: 'f' }] })).functionTools, true)
})

test('a body with input and without messages is a Responses body', () => {
  const facts = read('{"model":"a","input":"hi","stream":true,"max_output_tokens":9}')
  assert.deepEqual(
    [facts.writtenAs, facts.canPassThrough, facts.model, facts.stream, facts.outputLimit],
    ['openai-responses', false, 'a', true, 9],
  )
  assert.equal(usageEvent(facts), 'relay')
  assert.equal(read('{"model":"a","input":"hi","messages":[]}').writtenAs, 'openai-chat')
})
