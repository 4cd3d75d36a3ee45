/** Token-counting bodies: read as requests and forwarded unchanged, cut to what is counted, answered in the right shape. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ClientCountingFormat,
  countBody,
  countRequest,
  isClientCountingFormat,
  isUpstreamCountingFormat,
  readCount,
  writeCount,
} from './counting.ts'
import { applyEdits } from './json/json.ts'

const limits = { depthMax: 64, valuesMax: 10_000, integerMax: 1_000_000_000 }
const bytes = (text: string) => Buffer.from(text)

interface Case {
  readonly name: string
  readonly format: ClientCountingFormat
  readonly sent: string
  readonly read: string
}

const cases: readonly Case[] = [
  {
    name: 'Messages without a limit',
    format: 'anthropic',
    sent: '  { "messages": [], "model": "é" }',
    read: '  {"max_tokens":1000000, "messages": [], "model": "é" }',
  },
  { name: 'Messages with a limit', format: 'anthropic', sent: '{"max_tokens":5}', read: '{"max_tokens":5}' },
  { name: 'an empty Messages body', format: 'anthropic', sent: '{}', read: '{"max_tokens":1000000}' },
  { name: 'no object', format: 'anthropic', sent: '[1]', read: '[1]' },
  { name: 'Responses', format: 'openai-responses', sent: '{"input":"a"}', read: '{"input":"a"}' },
  { name: 'Gemini contents', format: 'gemini', sent: '{"contents":[]}', read: '{"contents":[]}' },
  {
    name: 'a wrapped Gemini request',
    format: 'gemini',
    sent: '{"a":1, "generateContentRequest" : {"model":"models/m","contents":[]} }',
    read: '{"model":"models/m","contents":[]}',
  },
  {
    name: 'a wrapped Gemini request in the other spelling',
    format: 'gemini',
    sent: '{"generate_content_request":{"contents":[]}}',
    read: '{"contents":[]}',
  },
  {
    name: 'a Gemini request wrapped in something else',
    format: 'gemini',
    sent: '{"generateContentRequest":[1]}',
    read: '{"generateContentRequest":[1]}',
  },
]

for (const { name, format, sent, read } of cases) {
  test(`${name}: read as a request, and restored byte for byte`, () => {
    const request = countRequest(format, bytes(sent), limits)
    assert.equal(Buffer.from(request.body).toString(), read)
    const restored = [request.before, ...applyEdits(request.body, request.restoring), request.after]
    assert.equal(Buffer.concat(restored).toString(), sent)
  })
}

test('a wrapped request tells where it names its model', () => {
  const { body, modelSpan } = countRequest(
    'gemini',
    bytes('{"generateContentRequest":{"contents":[{"model":1}],"model":"models/m"}}'),
    limits,
  )
  assert.ok(modelSpan !== null)
  assert.equal(Buffer.from(body.subarray(modelSpan.start, modelSpan.end)).toString(), '"models/m"')
})

const whole = {
  anthropic:
    '{"model":"m","tools":[ {"a": 1.0} ],"system":"s","messages":[],"max_tokens":5,"stream":true,"temperature":1,"thinking":{},"metadata":{}}',
  'openai-responses':
    '{"model":"m","tools":[],"instructions":"s","input":[{"b":"\\u00e9"}],"max_output_tokens":5,"store":false,"reasoning":{},"include":[]}',
  gemini:
    '{"contents":[{"parts":[]}],"tools":[],"generationConfig":{"a":1},"serviceTier":"flex","model":"models/other"}',
} as const

const cut = {
  anthropic: '{"model":"m","tools":[ {"a": 1.0} ],"system":"s","messages":[],"thinking":{}}',
  'openai-responses': '{"model":"m","tools":[],"instructions":"s","input":[{"b":"\\u00e9"}],"reasoning":{}}',
  gemini:
    '{"generateContentRequest":{"model":"models/m","contents":[{"parts":[]}],"tools":[],"generationConfig":{"a":1}}}',
} as const

const formats = ['anthropic', 'openai-responses', 'gemini'] as const

for (const format of formats) {
  test(`${format}: what does not count is cut, the rest stays as it was written`, () => {
    assert.equal(countBody(format, bytes(whole[format]), { model: 'm', limits }), cut[format])
  })

  test(`${format}: a number that is written is read again`, () => {
    for (const tokens of [0, 19, 401_468]) {
      assert.equal(readCount(format, bytes(writeCount(format, tokens))), tokens)
    }
  })

  test(`${format}: what is not a number is ignored`, () => {
    const name = format === 'gemini' ? 'totalTokens' : 'input_tokens'
    for (const value of ['-1', '1.5', '1e300', '"7"', 'null', '[]']) {
      assert.equal(readCount(format, bytes(`{"${name}":${value}}`)), null)
    }
    for (const body of ['', '[]', '{}', '<html>', '{"tokens":1}'])
      assert.equal(readCount(format, bytes(body)), null)
  })
}

const hosted = {
  'vertex-claude': [
    'anthropic',
    '{"model":"m","tools":[ {"a": 1.0} ],"system":"s","messages":[],"thinking":{}}',
    'input_tokens',
  ],
  'vertex-gemini': [
    'gemini',
    '{"contents":[{"parts":[]}],"tools":[],"generationConfig":{"a":1}}',
    'totalTokens',
  ],
  'bedrock-claude': [
    'anthropic',
    `{"input":{"invokeModel":{"body":"${btoa('{"anthropic_version":"bedrock-2023-05-31","max_tokens":64000,"tools":[ {"a": 1.0} ],"system":"s","messages":[],"thinking":{}}')}"}}}`,
    'inputTokens',
  ],
} as const

for (const [shape, [format, body, name]] of Object.entries(hosted) as [
  keyof typeof hosted,
  (typeof hosted)[keyof typeof hosted],
][]) {
  test(`${shape}: a host gets what it takes, and its number is read`, () => {
    assert.equal(countBody(shape, bytes(whole[format]), { model: 'm', limits }), body)
    assert.equal(readCount(shape, bytes(`{"${name}":19}`)), 19)
  })
}

for (const shape of ['vertex-claude', 'bedrock-claude'] as const) {
  test(`${shape}: the schema of a structured output counts, as it is billed`, () => {
    const schema = '"output_config":{"format":{"type":"json_schema","schema":{}}}'
    const sent = countBody(shape, bytes(`{"messages":[],${schema}}`), { model: 'm', limits })
    const { input } = JSON.parse(sent) as { input?: { invokeModel: { body: string } } }
    assert.ok((input === undefined ? sent : atob(input.invokeModel.body)).includes(schema), sent)
  })
}

test('bedrock-claude: a long request in base64 is the same request', () => {
  const messages = `"messages":["${'é'.repeat(20_000)}"]`
  const sent = countBody('bedrock-claude', bytes(`{${messages}}`), { model: 'm', limits })
  const { input } = JSON.parse(sent) as { input: { invokeModel: { body: string } } }
  assert.ok(Buffer.from(input.invokeModel.body, 'base64').toString().endsWith(`,${messages}}`))
})

test('tokens cannot be asked for in the chat format', () => {
  const formats = ['openai-chat', 'openai-embeddings', 'anthropic'] as const
  assert.deepEqual(formats.filter(isClientCountingFormat), ['anthropic'])
  assert.deepEqual(formats.filter(isUpstreamCountingFormat), ['anthropic'])
})
