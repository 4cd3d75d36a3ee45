/** Conversations as Gemini requests: order, results after their calls, signatures, media, settings by capability. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import { brokenRequestRules } from '../../../test/support/rules/gemini.ts'
import { type ReadLimits, WireError } from '../dialect.ts'
import { RawJson } from '../json/text.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type {
  Conversation,
  ConversationPart,
  ConversationTurn,
  MediaPart,
  Reasoning,
  Tool,
} from '../translation/neutral.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeRequest } from './encode-request.ts'
import { standIn } from './encrypted-reasoning.ts'
import { extractRequest } from './extract-request.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 250_000, integerMax: 1_000_000 }
const capabilities: Capabilities = {
  sampling: 'all',
  temperatureMax: 2,
  topK: true,
  penalties: true,
  seed: true,
  stopsMax: 5,
  logprobs: true,
  thinking: 'level',
  efforts: ['low', 'medium', 'high'],
  thinkingOff: null,
  budget: null,
  bindsThinking: false,
  signedCalls: true,
  forcedTools: true,
  prefill: true,
  midSystem: false,
  parallelSwitch: false,
  schemaOutput: true,
  schemaWithTools: true,
  cacheBreakpoints: false,
  resultMedia: true,
  inputs: ['text', 'image', 'audio', 'document'],
  chatTools: 'always',
  outputTokensMax: 65_536,
}
const budgeted: Capabilities = {
  ...capabilities,
  thinking: 'budget',
  budget: { min: 128, max: 32_768 },
  efforts: [],
}

const text = (written: string): ConversationPart => ({
  kind: 'text',
  text: written,
  cache: null,
  citations: [],
})
const google = (data: string) => ({ vendor: 'google', data }) as const
const thought = (
  written: string,
  encrypted: { vendor: 'google' | 'anthropic'; data: string } | null,
): ConversationPart => ({
  kind: 'thinking',
  text: written,
  redacted: false,
  encrypted,
})
const call = (id: string, more: object = {}): ConversationPart => ({
  kind: 'call',
  id,
  name: 'f',
  namespace: null,
  form: 'json',
  input: '{}',
  encrypted: null,
  pointer: `call ${id}`,
  ...more,
})
const result = (callId: string, more: object = {}): ConversationPart => ({
  kind: 'result',
  callId,
  name: null,
  content: [{ kind: 'text', text: `of ${callId}`, cache: null, citations: [] }],
  json: null,
  isError: false,
  cache: null,
  pointer: `result ${callId}`,
  ...more,
})
const image: MediaPart = {
  kind: 'media',
  medium: 'image',
  source: { kind: 'base64', mediaType: 'image/png', data: 'QUJD' },
  title: null,
  detail: null,
  cache: null,
  pointer: 'the image',
}
const inlined = { inlineData: { mimeType: 'image/png', data: 'QUJD' } }
const turn = (role: ConversationTurn['role'], ...parts: readonly ConversationPart[]): ConversationTurn => ({
  role,
  parts,
})
const hi = turn('user', text('hi'))
const tool: Tool = {
  name: 'f',
  namespace: null,
  description: 'Does it.',
  form: 'json',
  schema: new RawJson('{"type":"object"}'),
  format: null,
  strict: null,
  cache: null,
  pointer: 'tools[0]',
}

const conversation = (more: Partial<Conversation>): Conversation => ({
  model: 'm',
  stream: false,
  turns: [hi],
  tools: [],
  providerTools: [],
  toolChoice: null,
  parallelCalls: null,
  outputLimit: null,
  sampling: {
    temperature: null,
    topP: null,
    topK: null,
    presencePenalty: null,
    frequencyPenalty: null,
    seed: null,
  },
  stops: [],
  reasoning: { effort: null, budget: null, summaries: false },
  format: null,
  verbosity: null,
  user: null,
  cacheKey: null,
  logprobs: null,
  fields: [],
  responseOptions: { includeUsage: false, echo: [], tools: [], logprobs: false },
  ...more,
})

type Body = Record<string, unknown> & { contents: { role: string; parts: object[] }[] }

function encode(more: Partial<Conversation>, of: Capabilities = capabilities) {
  const encoded = encodeRequest(conversation(more), { model: 'm', capabilities: of })
  const body = JSON.parse(encoded.text) as Body
  assert.deepEqual(brokenRequestRules(body, of), [])
  extractRequest(new TextEncoder().encode(encoded.text), limits, { model: 'm', stream: false })
  return { ...encoded, body }
}

/** The contents, without roles: users and models take turns. */
const written = (...turns: readonly ConversationTurn[]) =>
  encode({ turns }).body.contents.map(({ parts }) => parts)
const called = (id: string, thoughtSignature?: string) => ({
  functionCall: { id, name: 'f', args: {} },
  ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
})
const answered = (id: string, response: object = { output: `of ${id}` }, more: object = {}) => ({
  functionResponse: { id, name: 'f', response, ...more },
})

const histories: [name: string, turns: ConversationTurn[], contents: object[][]][] = [
  ['text', [turn('user', text('a'), text('')), turn('user', text('b'))], [[{ text: 'a' }, { text: 'b' }]]],
  ['nothing', [], [[{ text: '' }]]],
  ['instructions alone', [turn('system', text('s'))], [[{ text: '' }]]],
  [
    'a model that speaks first',
    [turn('assistant', call('a')), turn('user', result('a'))],
    [[{ text: '' }], [called('a', standIn)], [answered('a')]],
  ],
  [
    'results behind their calls, in the order of the calls, alone',
    [
      hi,
      turn('assistant', text('x'), call('a'), call('b')),
      turn('user', text('more'), result('b')),
      turn('user', result('a')),
    ],
    [
      [{ text: 'hi' }],
      [{ text: 'x' }, called('a', standIn), called('b')],
      [answered('a'), answered('b')],
      [{ text: 'more' }],
    ],
  ],
  [
    'instructions later keep their place',
    [hi, turn('assistant', call('a')), turn('system', text('s')), turn('user', result('a'), text('b'))],
    [
      [{ text: 'hi' }],
      [called('a', standIn)],
      [answered('a')],
      [{ text: '<system-reminder>\ns\n</system-reminder>' }, { text: 'b' }],
    ],
  ],
  [
    'two calls with one id',
    [
      hi,
      turn('assistant', call('a'), call('a')),
      turn('user', result('a'), result('a', { content: [], json: '{"n":2}' })),
    ],
    [[{ text: 'hi' }], [called('a', standIn), called('a')], [answered('a'), answered('a', { n: 2 })]],
  ],
  [
    'signatures of Google come back where they were',
    [
      hi,
      turn(
        'assistant',
        thought('t', google('czE=')),
        thought('', google('czI=')),
        text('x'),
        call('a', { encrypted: google('czM=') }),
        call('b'),
      ),
      turn('user', result('a'), result('b')),
    ],
    [
      [{ text: 'hi' }],
      [
        { text: 't', thought: true, thoughtSignature: 'czE=' },
        { text: 'x' },
        called('a', 'czM='),
        called('b'),
      ],
      [answered('a'), answered('b')],
    ],
  ],
  [
    'a signature without a thought is left out',
    [hi, turn('assistant', text('x'), thought('', google('czI=')))],
    [[{ text: 'hi' }], [{ text: 'x' }]],
  ],
  [
    'thoughts of others are left out',
    [
      hi,
      turn('assistant', thought('t', { vendor: 'anthropic', data: 'c2ln' }), thought('t', null), text('x')),
      hi,
    ],
    [[{ text: 'hi' }], [{ text: 'x' }], [{ text: 'hi' }]],
  ],
  ['a model that said nothing', [hi, turn('assistant', text('')), hi], [[{ text: 'hi' }], [{ text: 'hi' }]]],
  [
    'a refusal',
    [hi, turn('assistant', { kind: 'refusal', text: 'no' })],
    [[{ text: 'hi' }], [{ text: 'no' }]],
  ],
  [
    'errors of tools',
    [hi, turn('assistant', call('a')), turn('user', result('a', { isError: true }))],
    [[{ text: 'hi' }], [called('a', standIn)], [answered('a', { error: 'of a' })]],
  ],
  [
    'every step is signed, also those of earlier turns',
    [
      hi,
      turn('assistant', call('a')),
      turn('user', result('a')),
      turn('assistant', call('b')),
      turn('user', result('b')),
      turn('assistant', text('x')),
      hi,
    ],
    [
      [{ text: 'hi' }],
      [called('a', standIn)],
      [answered('a')],
      [called('b', standIn)],
      [answered('b')],
      [{ text: 'x' }],
      [{ text: 'hi' }],
    ],
  ],
]

test('histories', () => {
  for (const [name, turns, contents] of histories) assert.deepEqual(written(...turns), contents, name)
})

test('models that need no signature get no placeholder', () => {
  const turns = [hi, turn('assistant', call('a')), turn('user', result('a'))]
  const { body } = encode({ turns }, { ...capabilities, signedCalls: false })
  assert.deepEqual(body.contents[1]?.parts, [called('a')])
})

const inputs: [input: string, form: 'json' | 'text', args: string][] = [
  ['', 'json', '{}'],
  ['{"n":9007199254740993,"__proto__":{"1":1}}', 'json', '{"n":9007199254740993,"__proto__":{"1":1}}'],
  ['{"cut":"he', 'json', '{"_raw":"{\\"cut\\":\\"he"}'],
  ['[1]', 'json', '{"_raw":"[1]"}'],
  ['*** patch', 'text', '{"input":"*** patch"}'],
]

test('arguments are objects, as they were written', () => {
  for (const [input, form, args] of inputs) {
    const encoded = encode({
      turns: [hi, turn('assistant', call('a', { input, form })), turn('user', result('a'))],
    })
    assert.ok(encoded.text.includes(`"args":${args}`), encoded.text)
  }
})

test('ids and names are what the format takes, alike in call and result', () => {
  const long = 'x'.repeat(80)
  const more = { name: 'mcp.1/read file', namespace: 'ns' }
  const { body, names } = encode({
    turns: [
      hi,
      turn('assistant', call(long, more), call('a b', { name: '1st' })),
      turn('user', result(long), result('a b')),
    ],
    tools: [{ ...tool, name: '1st' }],
  })
  const calls = body.contents[1]?.parts as { functionCall: { id: string; name: string } }[]
  const responses = body.contents[2]?.parts as { functionResponse: { id: string; name: string } }[]
  for (const [at, { functionCall }] of calls.entries()) {
    assert.equal(responses[at]?.functionResponse.id, functionCall.id)
    assert.equal(responses[at]?.functionResponse.name, functionCall.name)
    assert.ok(functionCall.id.length <= 64)
  }
  assert.deepEqual([...names.values()].map(({ name }) => name).sort(), ['1st', 'mcp.1/read file'])
})

test('media inside a result stay in it, or follow it where the model does not accept them there', () => {
  const turns = [
    hi,
    turn('assistant', call('a')),
    turn('user', result('a', { content: [text('see'), image] }), text('and now?')),
  ]
  const inside = encode({ turns }).body.contents
  assert.deepEqual(inside[2]?.parts, [answered('a', { output: 'see' }, { parts: [inlined] })])
  assert.deepEqual(inside[3]?.parts, [{ text: 'and now?' }])
  const behind = encode({ turns }, { ...capabilities, resultMedia: false }).body.contents
  assert.deepEqual(behind[2]?.parts, [answered('a', { output: 'see' })])
  assert.deepEqual(behind[3]?.parts, [
    { text: '[media returned by tool call a]' },
    inlined,
    { text: 'and now?' },
  ])
})

const media: [name: string, part: Partial<MediaPart>, part: object][] = [
  ['an image', {}, inlined],
  [
    'another name of a type',
    { source: { kind: 'base64', mediaType: 'image/JPG', data: 'QUJD' } },
    { inlineData: { mimeType: 'image/jpeg', data: 'QUJD' } },
  ],
  [
    'parameters of a type',
    { medium: 'audio', source: { kind: 'base64', mediaType: 'audio/ogg; codecs=opus', data: 'QUJD' } },
    { inlineData: { mimeType: 'audio/ogg', data: 'QUJD' } },
  ],
  [
    'an address',
    { source: { kind: 'url', mediaType: null, url: 'https://example.com/a.webp?x=1' } },
    { fileData: { mimeType: 'image/webp', fileUri: 'https://example.com/a.webp?x=1' } },
  ],
  [
    'an address that tells nothing',
    { source: { kind: 'url', mediaType: null, url: 'https://example.com/a' } },
    { fileData: { fileUri: 'https://example.com/a' } },
  ],
  ['a text', { medium: 'document', title: 'T', source: { kind: 'text', text: 'x' } }, { text: 'T\n\nx' }],
  [
    'a document',
    { medium: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: 'QUJD' } },
    { inlineData: { mimeType: 'application/pdf', data: 'QUJD' } },
  ],
]

test('media are passed on', () => {
  for (const [name, part, expected] of media) {
    assert.deepEqual(written(turn('user', { ...image, ...part }))[0], [expected], name)
  }
})

const refused: [name: string, input: Partial<Conversation>, pointer: string, of?: Partial<Capabilities>][] = [
  [
    'a picture that moves',
    { turns: [turn('user', { ...image, source: { kind: 'base64', mediaType: 'image/gif', data: 'QUJD' } })] },
    'the image',
  ],
  [
    'a document that is no PDF',
    {
      turns: [
        turn('user', {
          ...image,
          medium: 'document',
          source: { kind: 'base64', mediaType: 'application/msword', data: 'QUJD' },
        }),
      ],
    },
    'the image',
  ],
  [
    'a picture for a model that sees none',
    { turns: [turn('user', image)] },
    'the image',
    { inputs: ['text'] },
  ],
  ['a call without its result', { turns: [hi, turn('assistant', call('a'))] }, 'call a'],
  [
    'one call without its result',
    { turns: [hi, turn('assistant', call('a'), call('b')), turn('user', result('a'))] },
    'call b',
  ],
  ['a result without its call', { turns: [hi, turn('user', result('a'))] }, 'result a'],
  [
    'a result twice',
    { turns: [hi, turn('assistant', call('a')), turn('user', result('a'), result('a'))] },
    'result a',
  ],
  ['an answer that was begun', { turns: [hi, turn('assistant', text('x'))] }, 'messages', { prefill: false }],
  ['an answer of no tokens', { outputLimit: 0 }, 'max_tokens'],
  [
    'a call that must be made',
    { tools: [tool], toolChoice: { kind: 'required' } },
    'tool_choice',
    { forcedTools: false },
  ],
  ['probabilities', { logprobs: 2 }, 'logprobs', { logprobs: false }],
  [
    'a schema',
    { format: { kind: 'schema', name: null, description: null, schema: new RawJson('{}'), strict: null } },
    'response_format',
    { schemaOutput: false },
  ],
  [
    'a schema beside tools',
    {
      tools: [tool],
      format: { kind: 'schema', name: null, description: null, schema: new RawJson('{}'), strict: null },
    },
    'response_format',
    { schemaWithTools: false },
  ],
]

test('what can neither be carried nor be left out is refused by its place', () => {
  for (const [name, input, pointer, of] of refused) {
    assert.throws(
      () => encodeRequest(conversation(input), { model: 'm', capabilities: { ...capabilities, ...of } }),
      (error) => error instanceof WireError && error.code === 'untranslatable' && error.pointer === pointer,
      name,
    )
  }
})

test('a limit above what the model can write is lowered and said', () => {
  const { body, adjusted } = encode({ outputLimit: 128_000 })
  assert.deepEqual(body.generationConfig, { maxOutputTokens: 65_536 })
  assert.deepEqual(
    adjusted.map(({ kind, field }) => [kind, field]),
    [['adapted', 'max_tokens']],
  )
})

test('tools, instructions and contents come first, and then all settings', () => {
  const { body } = encode({
    turns: [turn('system', text('a'), text('')), turn('system', text('b')), hi],
    tools: [tool, { ...tool, name: 'g', schema: new RawJson('{ }'), description: null }],
    toolChoice: { kind: 'one', name: 'f', namespace: null },
    outputLimit: 9,
  })
  assert.deepEqual(body, {
    tools: [
      {
        functionDeclarations: [
          { name: 'f', description: 'Does it.', parametersJsonSchema: { type: 'object' } },
          { name: 'g' },
        ],
      },
    ],
    systemInstruction: { parts: [{ text: 'a' }, { text: 'b' }] },
    contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    generationConfig: { maxOutputTokens: 9 },
  })
  assert.deepEqual(Object.keys(body), [
    'tools',
    'systemInstruction',
    'contents',
    'toolConfig',
    'generationConfig',
  ])
})

test('tools of free text are wrapped, also when they are chosen by name', () => {
  const format = new RawJson('{"syntax":"lark"}')
  const custom: Tool = { ...tool, name: 'apply patch', form: 'text', schema: null, format }
  const { body, names } = encode({
    tools: [custom],
    toolChoice: { kind: 'one', name: 'apply patch', namespace: null },
  })
  const [[name = '', caller] = []] = [...names]
  assert.deepEqual(caller, { name: 'apply patch', namespace: null, wrapped: true })
  const declared = {
    name,
    description: 'Does it.\n\nFormat of the input: {"syntax":"lark"}',
    parametersJsonSchema: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
  }
  assert.deepEqual(body.tools, [{ functionDeclarations: [declared] }])
  assert.deepEqual(body.toolConfig, { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [name] } })
})

const choices: [choice: Conversation['toolChoice'], strict: boolean, config: object | undefined][] = [
  [null, false, undefined],
  [null, true, { mode: 'VALIDATED' }],
  [{ kind: 'auto' }, false, { mode: 'AUTO' }],
  [{ kind: 'none' }, true, { mode: 'NONE' }],
  [{ kind: 'required' }, false, { mode: 'ANY' }],
  [{ kind: 'some', required: true, names: ['f'] }, false, { mode: 'ANY', allowedFunctionNames: ['f'] }],
  [
    { kind: 'some', required: false, names: ['f'] },
    false,
    { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
  ],
]

test('the choice of tools, which means nothing without tools', () => {
  for (const [toolChoice, strict, config] of choices) {
    const { body } = encode({ tools: [{ ...tool, strict }], toolChoice })
    assert.deepEqual(body.toolConfig, config === undefined ? undefined : { functionCallingConfig: config })
    assert.equal(encode({ toolChoice }).body.toolConfig, undefined)
  }
})

test('provider tools and fields for other vendors are omitted, and reported', () => {
  const { body, adjusted } = encode({
    turns: [
      turn('system', text('x-anthropic-billing-header: cch=1'), text('s')),
      turn('user', text('hi'), {
        kind: 'other',
        type: 'web_search_result',
        pointer: 'messages[0].content[1]',
      }),
    ],
    providerTools: [{ name: 'web_search', usesMax: 5, pointer: 'tools[0]' }],
  })
  assert.deepEqual(body.systemInstruction, { parts: [{ text: 's' }] })
  assert.deepEqual(
    adjusted.map(({ kind, field }) => `${kind} ${field}`),
    ['dropped tools[0]', 'dropped system[0]', 'dropped messages[0].content[1]'],
  )
})

const sampling = conversation({}).sampling
const settings: [
  name: string,
  input: Partial<Conversation>,
  config: object | undefined,
  adjustments: string[],
  of?: Partial<Capabilities>,
][] = [
  ['nothing', {}, undefined, []],
  [
    'numbers as they are written',
    {
      sampling: {
        ...sampling,
        temperature: '0.50',
        topP: '1',
        topK: '40',
        seed: '7',
        presencePenalty: '1',
        frequencyPenalty: '-1',
      },
    },
    { temperature: 0.5, topP: 1, topK: 40, presencePenalty: 1, frequencyPenalty: -1, seed: 7 },
    [],
  ],
  [
    'too warm',
    { sampling: { ...sampling, temperature: '1.5' } },
    { temperature: 1 },
    ['adapted temperature'],
    { temperatureMax: 1 },
  ],
  [
    'one of two',
    { sampling: { ...sampling, temperature: '1', topP: '0.5' } },
    { temperature: 1 },
    ['dropped top_p'],
    { sampling: 'one_of' },
  ],
  ['the other of two', { sampling: { ...sampling, topP: '0.5' } }, { topP: 0.5 }, [], { sampling: 'one_of' }],
  [
    'none of it',
    { sampling: { ...sampling, temperature: '1', topK: '3', seed: '7', presencePenalty: '1' } },
    undefined,
    ['dropped temperature', 'dropped top_k', 'dropped presence_penalty', 'dropped seed'],
    { sampling: 'none', penalties: false, seed: false },
  ],
  [
    'a seed that is too long',
    { sampling: { ...sampling, seed: '9007199254740993' } },
    undefined,
    ['dropped seed'],
  ],
  ['stop strings', { stops: ['a', '', 'b'] }, { stopSequences: ['a', 'b'] }, []],
  [
    'too many stop strings',
    { stops: [...'abc'] },
    { stopSequences: ['a', 'b'] },
    ['adapted stop'],
    { stopsMax: 2 },
  ],
  ['no stop strings', { stops: ['a'] }, undefined, ['adapted stop'], { stopsMax: 0 }],
  ['probabilities', { logprobs: 0 }, { responseLogprobs: true }, []],
  ['probabilities of others', { logprobs: 3 }, { responseLogprobs: true, logprobs: 3 }, []],
  ['JSON', { format: { kind: 'json' } }, { responseMimeType: 'application/json' }, []],
  [
    'a schema',
    {
      format: {
        kind: 'schema',
        name: 'n',
        description: 'd',
        schema: new RawJson('{"$ref":"#"}'),
        strict: true,
      },
    },
    { responseMimeType: 'application/json', responseJsonSchema: { $ref: '#' } },
    [],
  ],
]

test('settings, as far as the model takes them', () => {
  for (const [name, input, config, adjustments, of] of settings) {
    const { body, adjusted } = encode(input, { ...capabilities, ...of })
    assert.deepEqual(body.generationConfig, config, name)
    assert.deepEqual(
      adjusted.map(({ kind, field }) => `${kind} ${field}`),
      adjustments,
      name,
    )
  }
})

const reasonings: [
  reasoning: Partial<Reasoning>,
  of: Capabilities,
  config: object | undefined,
  isSaid: boolean,
][] = [
  [{}, capabilities, { includeThoughts: true }, false],
  [{ summaries: false }, capabilities, undefined, false],
  [{ effort: 'low', summaries: false }, capabilities, { thinkingLevel: 'LOW' }, false],
  [{ effort: 'medium' }, capabilities, { thinkingLevel: 'MEDIUM', includeThoughts: true }, false],
  [{ effort: 'minimal' }, capabilities, { thinkingLevel: 'LOW', includeThoughts: true }, true],
  [{ effort: 'none' }, capabilities, { thinkingLevel: 'LOW' }, true],
  [{ effort: 'max' }, capabilities, { thinkingLevel: 'HIGH', includeThoughts: true }, true],
  [
    { effort: 'medium' },
    { ...capabilities, efforts: ['low', 'high'] },
    { thinkingLevel: 'HIGH', includeThoughts: true },
    true,
  ],
  [{ budget: 4_000 }, capabilities, { thinkingLevel: 'LOW', includeThoughts: true }, true],
  [{ budget: 20_000 }, capabilities, { thinkingLevel: 'HIGH', includeThoughts: true }, true],
  [{ budget: -1 }, capabilities, { includeThoughts: true }, false],
  [{ effort: 'low' }, budgeted, { thinkingBudget: 1_024, includeThoughts: true }, false],
  [{ effort: 'high' }, budgeted, { thinkingBudget: 24_576, includeThoughts: true }, false],
  [{ effort: 'max' }, budgeted, { thinkingBudget: 32_768, includeThoughts: true }, false],
  [{ effort: 'none' }, budgeted, { thinkingBudget: 128 }, true],
  [{ effort: 'none' }, { ...budgeted, thinkingOff: 'zero' }, { thinkingBudget: 0 }, false],
  [{ budget: 100_000 }, budgeted, { thinkingBudget: 32_768, includeThoughts: true }, true],
  [{ budget: 64 }, budgeted, { thinkingBudget: 128, includeThoughts: true }, true],
  [{ budget: -1, summaries: true }, budgeted, { thinkingBudget: -1, includeThoughts: true }, false],
  [{ effort: 'low' }, { ...capabilities, thinking: 'none' }, undefined, true],
  [{ effort: 'none', summaries: true }, { ...capabilities, thinking: 'none' }, undefined, false],
]

test('thinking, by level or by budget', () => {
  for (const [fields, of, thinkingConfig, isAdjusted] of reasonings) {
    const reasoning: Reasoning = { effort: null, budget: null, summaries: null, ...fields }
    const { body, adjusted } = encode({ reasoning }, of)
    const name = JSON.stringify([fields, of.thinking])
    assert.deepEqual(body.generationConfig, thinkingConfig && { thinkingConfig }, name)
    assert.deepEqual(
      adjusted.map(({ kind, field }) => `${kind} ${field}`),
      isAdjusted ? [`${of.thinking === 'none' ? 'dropped' : 'adapted'} reasoning`] : [],
      name,
    )
  }
})

/** Steps of an agent: what a turn adds to the history. */
const step = fc.oneof(
  fc
    .record({ say: fc.string({ minLength: 1 }), ask: fc.string({ minLength: 1 }) })
    .map(({ say, ask }) => (): ConversationTurn[] => [turn('assistant', text(say)), turn('user', text(ask))]),
  fc
    .record({
      calls: fc.integer({ min: 1, max: 3 }),
      encrypted: fc.boolean(),
      late: fc.boolean(),
      mid: fc.boolean(),
    })
    .map(({ calls, encrypted, late, mid }) => (at: number): ConversationTurn[] => {
      const ids = Array.from({ length: calls }, (_, index) => `c${at}_${index}`)
      const results = ids.map((id) => result(id))
      return [
        turn(
          'assistant',
          thought('t', { vendor: 'anthropic', data: 'eA==' }),
          ...ids.map((id, index) =>
            call(id, { encrypted: encrypted && index === 0 ? google('c2ln') : null }),
          ),
        ),
        turn('user', ...(late ? results.reverse() : results)),
        ...(mid ? [turn('system', text('note'))] : []),
      ]
    }),
)

test('each turn has the turn before it as its beginning, whatever an agent does', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
      let turns: readonly ConversationTurn[] = [turn('system', text('s')), hi]
      let before = encode({ turns, tools: [tool] })
      for (const [at, more] of steps.entries()) {
        turns = [...turns, ...more(at)]
        const after = encode({ turns, tools: [tool] })
        // All but the brackets that close contents and the last of them.
        const beginning = before.text.slice(0, before.text.indexOf(']}]', before.text.lastIndexOf('"role"')))
        assert.ok(after.text.startsWith(beginning), `${beginning}\n${after.text}`)
        assert.equal(after.text, encode({ turns, tools: [tool] }).text)
        before = after
      }
    }),
    { numRuns: 60 },
  )
})

type Loose = Record<string, never>

/** Recorded bodies as this encoder would spell them: what means the same is written one way. */
function normal(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => normal('', element))
  if (typeof value !== 'object' || value === null) {
    if (name === 'thinkingLevel') return String(value).toUpperCase()
    return name === 'data' ? String(value).replaceAll('-', '+').replaceAll('_', '/') : value
  }
  const members = Object.entries(value as Loose).map(([key, member]) => {
    const camel = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const isOpen = name === 'args' || name === 'response' || name === 'parametersJsonSchema'
    return [isOpen ? key : camel, isOpen ? member : normal(camel, member)] as const
  })
  return Object.fromEntries(members)
}

/** Legitimate differences: generated IDs, placeholders, empty texts and settings, and the spelling of schemas. */
function comparable(body: Body): unknown {
  const schema = (text: unknown) => JSON.stringify(text ?? null).toLowerCase()
  const config = { ...(body.generationConfig as Loose) } as Record<string, unknown>
  delete config.responseModalities
  if (config.responseSchema !== undefined) {
    config.responseJsonSchema = config.responseSchema
    delete config.responseSchema
  }
  config.responseJsonSchema = schema(config.responseJsonSchema)
  const contents = body.contents
    .map(({ role, parts }) => ({
      role,
      parts: parts
        .map((part) => {
          const { functionCall, functionResponse, thoughtSignature, ...rest } = part as Loose
          const isPlaceholder = /^(skip_|c2tpcF9|Y29udGV4dF9)/.test(thoughtSignature ?? '')
          return {
            ...rest,
            call:
              functionCall === undefined
                ? undefined
                : [(functionCall as Loose).name, (functionCall as Loose).args],
            response:
              functionResponse === undefined ? undefined : { ...(functionResponse as object), id: undefined },
            thoughtSignature: isPlaceholder ? undefined : thoughtSignature,
          }
        })
        .filter((part) => JSON.stringify(part) !== '{"text":""}'),
    }))
    .filter(({ parts }) => parts.length > 0)
  const tools = ((body.tools ?? []) as { functionDeclarations?: Loose[] }[]).flatMap((tool) =>
    (tool.functionDeclarations ?? []).map(({ name, description, parameters, parametersJsonSchema }) => ({
      name,
      description: description || undefined,
      schema: schema(parametersJsonSchema ?? parameters),
    })),
  )
  const mode = (body.toolConfig as { functionCallingConfig?: { mode?: string } } | undefined)
    ?.functionCallingConfig
  return JSON.parse(
    JSON.stringify({
      contents,
      tools,
      system: (body.systemInstruction as { parts?: unknown } | undefined)?.parts,
      calling:
        mode === undefined ? undefined : { ...mode, mode: mode.mode === 'VALIDATED' ? 'AUTO' : mode.mode },
      config,
    }),
  )
}

test('recorded requests come back as they were', () => {
  let count = 0
  for (const { name, request } of fixtureCases('gemini')) {
    if (request === undefined) continue
    count += 1
    const decoded = decodeRequest(request, limits, { model: 'm', stream: false })
    const hasBudget = decoded.reasoning.budget !== null
    const of: Capabilities = hasBudget
      ? { ...budgeted, budget: { min: 0, max: 24_576 }, thinkingOff: 'zero' }
      : { ...capabilities, efforts: ['minimal', 'low', 'medium', 'high'] }
    const encoded = encodeRequest(decoded, { model: 'm', capabilities: of })
    const body = JSON.parse(encoded.text) as Body
    assert.deepEqual(brokenRequestRules(body, of), [], name)
    const recorded = normal('', JSON.parse(request.toString())) as Body
    assert.deepEqual(comparable(body), comparable(recorded), name)
  }
  if (count > 0) assert.equal(count, 48)
})
