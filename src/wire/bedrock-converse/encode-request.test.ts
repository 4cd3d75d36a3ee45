/** Conversations as Converse requests: the order of messages, tools and their results, media, settings, and what is rejected. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sandboxCapabilities } from '../../providers/sandbox.ts'
import { type ReadLimits, WireError } from '../format.ts'
import { openaiChatCodec } from '../openai-chat/index.ts'
import { patchLimit } from '../request-fields.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import { encodeRequest } from './encode-request.ts'
import { extractRequest } from './extract-request.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 250_000, integerMax: 1_000_000 }
const able: Capabilities = {
  ...sandboxCapabilities,
  thinking: 'effort',
  efforts: ['low', 'medium'],
  temperatureMax: 1,
  stopsMax: 4,
  resultMedia: true,
  prefill: true,
  outputTokensMax: 5_000,
}
const encoder = new TextEncoder()
const address = { model: 'amazon.nova-pro-v1:0', stream: false }

/** A chat request as it goes to Bedrock. */
function written(chat: object, capabilities: Partial<Capabilities> = {}) {
  const body = encoder.encode(JSON.stringify({ model: 'm', ...chat }))
  const conversation = openaiChatCodec.decodeRequest(body, limits, { model: null, stream: false })
  const target = { model: address.model, capabilities: { ...able, ...capabilities } }
  const { text, adjusted } = encodeRequest(conversation, target)
  return {
    text,
    body: JSON.parse(text) as Record<string, unknown>,
    adjusted: adjusted.map(({ field }) => field),
  }
}

function rejection(chat: object, capabilities: Partial<Capabilities> = {}): string {
  try {
    written(chat, capabilities)
  } catch (error) {
    assert.ok(error instanceof WireError)
    assert.equal(error.code, 'untranslatable')
    return error.pointer ?? ''
  }
  assert.fail('it was taken')
}

const user = (content: unknown) => ({ role: 'user', content })
const parameters = { type: 'object', properties: { a: { type: 'integer' } } }
const tool = { type: 'function', function: { name: 'look', description: 'Looks.', parameters } }
const asked = (id: string, args = '{"a": 1}') => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: args },
})
const history = [
  user('Look.'),
  { role: 'assistant', content: '', tool_calls: [asked('call_1'), asked('call_2', '')] },
  { role: 'tool', tool_call_id: 'call_2', content: 'two' },
  { role: 'tool', tool_call_id: 'call_1', content: '' },
]

test('instructions, turns and settings have their places, and the model is not in the body', () => {
  const { text, body, adjusted } = written({
    messages: [
      { role: 'system', content: 'Be brief.' },
      user('One.'),
      user('Two.'),
      { role: 'assistant', content: 'Three.' },
      { role: 'system', content: 'Now be long.' },
      user('  '),
    ],
    max_tokens: 9_000,
    temperature: 1.5,
    top_p: 0.25,
    stop: ['END'],
    seed: 7,
    reasoning_effort: 'high',
  })
  assert.deepEqual(body, {
    system: [{ text: 'Be brief.' }],
    messages: [
      { role: 'user', content: [{ text: 'One.' }, { text: 'Two.' }] },
      { role: 'assistant', content: [{ text: 'Three.' }] },
      { role: 'user', content: [{ text: '<system-reminder>\nNow be long.\n</system-reminder>' }] },
    ],
    inferenceConfig: { maxTokens: 5_000, temperature: 1, topP: 0.25, stopSequences: ['END'] },
    additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } },
  })
  assert.deepEqual(adjusted.sort(), ['max_tokens', 'reasoning', 'seed', 'temperature'])
  assert.ok(text.startsWith('{"system":'))
})

test('results of tools come first, in the order of their calls, and say something', () => {
  const { body } = written({
    messages: [...history, user('And now?')],
    tools: [tool],
    tool_choice: 'required',
  })
  assert.deepEqual(body.toolConfig, {
    tools: [{ toolSpec: { name: 'look', description: 'Looks.', inputSchema: { json: parameters } } }],
    toolChoice: { any: {} },
  })
  assert.deepEqual(body.messages, [
    { role: 'user', content: [{ text: 'Look.' }] },
    {
      role: 'assistant',
      content: [
        { toolUse: { toolUseId: 'call_1', name: 'look', input: { a: 1 } } },
        { toolUse: { toolUseId: 'call_2', name: 'look', input: {} } },
      ],
    },
    {
      role: 'user',
      content: [
        { toolResult: { toolUseId: 'call_1', content: [{ text: '.' }] } },
        { toolResult: { toolUseId: 'call_2', content: [{ text: 'two' }] } },
        { text: 'And now?' },
      ],
    },
  ])
})

test('a history with calls has tools, whatever this turn may call', () => {
  const anyObject = { json: { type: 'object', properties: {} } }
  const without = written({ messages: history })
  assert.deepEqual(without.body.toolConfig, {
    tools: [{ toolSpec: { name: 'look', inputSchema: anyObject } }],
  })
  assert.deepEqual(without.adjusted, ['tools'])
  const none = written({ messages: history, tools: [tool], tool_choice: 'none' })
  assert.ok('toolConfig' in none.body)
  assert.deepEqual(none.adjusted, ['tool_choice'])
  const fresh = written({ messages: [user('Hello.')], tools: [tool], tool_choice: 'none' })
  assert.equal('toolConfig' in fresh.body, false)
})

test('one tool is forced by its name', () => {
  const choice = { type: 'function', function: { name: 'look' } }
  const { body } = written({ messages: [user('Look.')], tools: [tool], tool_choice: choice })
  assert.deepEqual((body.toolConfig as { toolChoice: object }).toolChoice, { tool: { name: 'look' } })
})

test('a conversation begins with the user', () => {
  const { body } = written({ messages: [{ role: 'assistant', content: 'Hello.' }, user('Go on.')] })
  assert.deepEqual((body.messages as readonly object[])[0], { role: 'user', content: [{ text: '.' }] })
})

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } }
const document = {
  type: 'file',
  file: { filename: 'x.pdf', file_data: 'data:application/pdf;base64,QUJDRA==' },
}

test('images and documents are blocks with their bytes, and a document has a text next to it', () => {
  const { text, body } = written({ messages: [user([image, document])] })
  const png = { image: { format: 'png', source: { bytes: 'QUJD' } } }
  const pdf = { document: { format: 'pdf', name: 'document-2', source: { bytes: 'QUJDRA==' } } }
  assert.deepEqual(body.messages, [{ role: 'user', content: [png, pdf, { text: '.' }] }])
  const { media } = extractRequest(encoder.encode(text), limits, address)
  assert.deepEqual(
    media.map(({ kind, mediaType, span }) => [kind, mediaType, text.slice(span?.start, span?.end)]),
    [
      ['image', 'image/png', 'QUJD'],
      ['document', 'application/pdf', 'QUJDRA=='],
    ],
  )
})

test('JSON is asked for in words', () => {
  const { body, adjusted } = written({ messages: [user('Hi.')], response_format: { type: 'json_object' } })
  assert.match(JSON.stringify(body.system), /one JSON object/)
  assert.deepEqual(adjusted, ['response_format'])
})

const schema = { type: 'json_schema', json_schema: { name: 'a', schema: parameters } }
const rejected: readonly (readonly [
  what: string,
  chat: object,
  pointer: string,
  capabilities?: Partial<Capabilities>,
])[] = [
  ['a schema', { messages: [user('Hi.')], response_format: schema }, 'response_format'],
  ['log probabilities', { messages: [user('Hi.')], logprobs: true }, 'logprobs'],
  [
    'an image behind an address',
    { messages: [user([{ type: 'image_url', image_url: { url: 'https://e.example/a.png' } }])] },
    'messages[0].content[0]',
  ],
  [
    'a picture of another type',
    { messages: [user([{ type: 'image_url', image_url: { url: 'data:image/tiff;base64,QUJD' } }])] },
    'messages[0].content[0]',
  ],
  [
    'an image for a model without eyes',
    { messages: [user([image])] },
    'messages[0].content[0]',
    { inputs: ['text'] },
  ],
  ['a call without its result', { messages: history.slice(0, 3) }, 'messages[1].tool_calls[0].function'],
  [
    'a forced tool',
    { messages: [user('Hi.')], tools: [tool], tool_choice: 'required' },
    'tool_choice',
    { forcedTools: false },
  ],
  [
    'the beginning of an answer',
    { messages: [user('Hi.'), { role: 'assistant', content: 'A' }] },
    'messages',
    { prefill: false },
  ],
]

for (const [what, chat, pointer, capabilities] of rejected) {
  test(`rejected: ${what}`, () => assert.equal(rejection(chat, capabilities), pointer))
}

test('the output limit is read, lowered and written where there is none', () => {
  const spliced = (body: object, outputLimit: number) => {
    const text = JSON.stringify(body)
    const fields = extractRequest(encoder.encode(text), limits, address)
    const patches = patchLimit(fields, { outputLimit })
    let whole = text
    for (const { start, end, text: patch } of [...patches].reverse())
      whole = whole.slice(0, start) + patch + whole.slice(end)
    return [fields.outputLimit, JSON.parse(whole)]
  }
  const messages = [{ role: 'user', content: [{ text: 'Hi.' }] }]
  assert.deepEqual(spliced({ messages }, 70), [null, { inferenceConfig: { maxTokens: 70 }, messages }])
  for (const inferenceConfig of [{}, { topP: 0.5 }]) {
    const whole = { messages, inferenceConfig: { ...inferenceConfig, maxTokens: 70 } }
    assert.deepEqual(spliced({ messages, inferenceConfig }, 70), [null, whole])
  }
  const limited = { messages, inferenceConfig: { maxTokens: 90 } }
  assert.deepEqual(spliced(limited, 70), [90, { messages, inferenceConfig: { maxTokens: 70 } }])
  assert.deepEqual(spliced(limited, 100), [90, limited])
})

test('what changes the price at Bedrock is an option', () => {
  const body = { messages: [], serviceTier: { type: 'priority' } }
  const { options } = extractRequest(encoder.encode(JSON.stringify(body)), limits, address)
  assert.deepEqual(options, [{ name: 'converse:serviceTier', pointer: 'serviceTier' }])
})

const mark = { type: 'ephemeral' }
const marked = (text: string, ttl?: string) => ({
  type: 'text',
  text,
  cache_control: ttl === undefined ? mark : { ...mark, ttl },
})
const point = { cachePoint: { type: 'default' } }

test('cache breakpoints are points behind instructions and content of the user, and cost what a cache write costs', () => {
  const chat = {
    messages: [
      { role: 'system', content: [marked('Be brief.')] },
      user([marked('A long document.', '1h'), { type: 'text', text: 'A question.' }]),
    ],
  }
  const { body, text, adjusted } = written(chat)
  assert.deepEqual(body.system, [{ text: 'Be brief.' }, point])
  assert.deepEqual(body.messages, [
    { role: 'user', content: [{ text: 'A long document.' }, point, { text: 'A question.' }] },
  ])
  assert.deepEqual(adjusted, ['cache_control'], 'an hour is five minutes')
  const { cacheWrites } = extractRequest(encoder.encode(text), limits, address)
  assert.deepEqual(cacheWrites, ['5m'])
  const without = written(chat, { cacheBreakpoints: false })
  assert.doesNotMatch(without.text, /cachePoint/)
  assert.deepEqual(without.adjusted, ['cache_control'])
  assert.deepEqual(extractRequest(encoder.encode(without.text), limits, address).cacheWrites, [])
})

test('a breakpoint of a tool result is a point behind it, wherever it is written', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }
  const withResult = (result: object) =>
    written({
      messages: [
        user('Hello.'),
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', ...result },
      ],
    })
  for (const result of [{ content: 'x', cache_control: mark }, { content: [marked('x')] }]) {
    const { body, text, adjusted } = withResult(result)
    const last = (body.messages as { content: object[] }[]).at(-1)?.content
    assert.deepEqual(
      last?.map((block) => Object.keys(block)[0]),
      ['toolResult', 'cachePoint'],
    )
    assert.ok(!adjusted.includes('cache_control'), adjusted.join())
    assert.deepEqual(extractRequest(encoder.encode(text), limits, address).cacheWrites, ['5m'])
  }
})

test('of more than four breakpoints the last stay, and those of the assistant are left out', () => {
  const many = written({ messages: [user(['a', 'b', 'c', 'd', 'e', 'f'].map((text) => marked(text)))] })
  const [message] = many.body.messages as { content: object[] }[]
  const letters = message!.content.map((block) => ('text' in block ? block.text : '|')).join('')
  assert.equal(letters, 'abc|d|e|f|')
  assert.deepEqual(many.adjusted, ['cache_control'])
  const answered = written({
    messages: [user('Hello.'), { role: 'assistant', content: [marked('Yes?')] }, user([marked('Go on.')])],
  })
  assert.equal(answered.text.match(/cachePoint/g)?.length, 1)
  assert.deepEqual(answered.adjusted, ['cache_control'])
})
