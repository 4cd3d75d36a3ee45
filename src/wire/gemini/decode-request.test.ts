/** Gemini requests in the neutral form: both spellings, calls with and without IDs, reasoning of every vendor, schemas, settings. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ReadLimits, WireError } from '../dialect.ts'
import { RawJson } from '../json/text.ts'
import type { Conversation, ConversationPart, ThinkingPart } from '../translation/neutral.ts'
import { carrierId, taggedBase64 } from '../translation/reasoning-carriers.ts'
import { decodeRequest } from './decode-request.ts'
import { jsonSchemaOf } from './decode-request-schema.ts'
import { clientStandIn } from './encrypted-reasoning.ts'
import { geminiPolicy } from './request-policy-table.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 250_000, integerMax: 1_000_000 }
const encoder = new TextEncoder()
const hi = [{ role: 'user', parts: [{ text: 'hi' }] }]

const decode = (body: unknown): Conversation =>
  decodeRequest(encoder.encode(typeof body === 'string' ? body : JSON.stringify(body)), limits, {
    model: 'm',
    stream: true,
  })
/** What the parts of a model's content become. */
const modelParts = (...parts: object[]): readonly ConversationPart[] =>
  decode({ contents: [...hi, { role: 'model', parts }] }).turns[1]?.parts ?? []
const userParts = (...parts: object[]): readonly ConversationPart[] =>
  decode({ contents: [{ role: 'user', parts }] }).turns[0]?.parts ?? []

const text = (written: string) => ({ kind: 'text', text: written, cache: null, citations: [] })
const thinking = (written: string, encrypted: ThinkingPart['encrypted'], redacted = false) => ({
  kind: 'thinking',
  text: written,
  redacted,
  encrypted,
})
const google = { vendor: 'google', data: 'c2ln' } as const
const anthropic = { vendor: 'anthropic', data: 'EqQB/x==' } as const
const tag = taggedBase64(anthropic)
const call = { functionCall: { name: 'f', args: {} } }

const parts: [name: string, input: object[], parts: object[]][] = [
  ['text', [{ text: 'a' }, { text: '' }], [text('a')]],
  ['a thought of Google', [{ text: 't', thought: true, thoughtSignature: 'c2ln' }], [thinking('t', google)]],
  ['a thought without encrypted', [{ text: 't', thought: true }], [thinking('t', null)]],
  [
    'a signature on a text stands before it',
    [{ text: 'a', thought_signature: 'c2ln' }],
    [thinking('', google), text('a')],
  ],
  [
    'a signature alone',
    [{ text: 'a' }, { text: '', thoughtSignature: 'c2ln' }],
    [text('a'), thinking('', google)],
  ],
  [
    'a thought of another vendor',
    [{ text: 't', thought: true, thoughtSignature: tag }],
    [thinking('t', anthropic)],
  ],
  [
    'one that came in pieces',
    [
      { text: 'a', thought: true },
      { text: 'b', thought: true },
      { text: '', thought: true, thoughtSignature: tag },
    ],
    [thinking('ab', anthropic)],
  ],
  [
    'one that its vendor hides',
    [
      {
        text: '',
        thought: true,
        thoughtSignature: taggedBase64({ vendor: 'anthropic', data: 'redacted:abc' }),
      },
    ],
    [thinking('', { vendor: 'anthropic', data: 'abc' }, true)],
  ],
  [
    'a damaged tag',
    [{ text: 't', thought: true, thoughtSignature: tag.slice(0, -6) }, { text: 'a' }],
    [text('a')],
  ],
  [
    'what no other format has',
    [{ executableCode: { code: '1' } }],
    [{ kind: 'other', type: 'executableCode', pointer: 'contents[1].parts[0]' }],
  ],
]

test('parts of the model', () => {
  for (const [name, input, expected] of parts) assert.deepEqual(modelParts(...input), expected, name)
})

const encryptedValues: [name: string, part: object, encrypted: object | null][] = [
  ['its own', { ...call, thoughtSignature: 'c2ln' }, google],
  ['none', call, null],
  ['a stand-in', { ...call, thoughtSignature: 'c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=' }, null],
  ['the stand-in of our answers', { ...call, thoughtSignature: clientStandIn }, null],
  ['a stand-in in plain letters', { ...call, thoughtSignature: 'skip_thought_signature_validator' }, null],
  [
    'the other stand-in',
    { ...call, thoughtSignature: 'Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv' },
    null,
  ],
  ['our tag of its own', { ...call, thoughtSignature: taggedBase64(google) }, google],
  ['the tag of another', { ...call, thoughtSignature: tag }, null],
  [
    'in the id',
    { functionCall: { ...call.functionCall, id: carrierId('x', { encrypted: google, thoughts: [] }) } },
    google,
  ],
]

test('signatures of calls', () => {
  for (const [name, part, encrypted] of encryptedValues) {
    const [found] = modelParts(part)
    assert.ok(found?.kind === 'call')
    assert.deepEqual(found.encrypted, encrypted, name)
  }
})

test('reasoning in an ID precedes its call, once', () => {
  const thought = thinking('t', anthropic) as ThinkingPart
  const id = carrierId('toolu_1', { encrypted: null, thoughts: [thought] })
  const marked = { functionCall: { id, name: 'f', args: {} } }
  const kinds = (found: readonly ConversationPart[]) => found.map(({ kind }) => kind)
  const alone = modelParts({ text: 'a' }, marked)
  assert.deepEqual(kinds(alone), ['text', 'thinking', 'call'])
  assert.deepEqual(alone[1], thought)
  assert.equal(alone[2]?.kind === 'call' && alone[2].id, 'toolu_1')
  const both = modelParts({ text: 't', thought: true, thoughtSignature: tag }, { text: 'a' }, marked)
  assert.deepEqual(kinds(both), ['thinking', 'text', 'call'])
  const lost = modelParts({ text: 't', thought: true }, marked)
  assert.deepEqual(lost.slice(0, 2), [thinking('t', null), thought])
})

test('stream chunks that a library stored as contents are one turn', () => {
  const model = (...parts: object[]) => ({ role: 'model', parts })
  const pieces = [
    model({ text: 'one ', thought: true }),
    model({ text: 'thought', thought: true }),
    model({ text: '', thought: true, thoughtSignature: tag }),
    model(call),
    model(call),
  ]
  const response = { functionResponse: { name: 'f', response: { output: 'x' } } }
  const { turns } = decode({ contents: [...hi, ...pieces, { role: 'user', parts: [response, response] }] })
  assert.deepEqual(
    turns.map(({ role, parts }) => [role, parts.map(({ kind }) => kind)]),
    [
      ['user', ['text']],
      ['assistant', ['thinking', 'call', 'call']],
      ['user', ['result', 'result']],
    ],
  )
  assert.deepEqual(turns[1]?.parts[0], thinking('one thought', anthropic))
  const ids = turns.flatMap((turn) => turn.parts.map((part) => (part.kind === 'result' ? part.callId : '')))
  assert.deepEqual(ids.slice(-2), ['call_0', 'call_1'])
})

test('arguments stay as they are written', () => {
  const args = '{"__proto__":1,"n":9007199254740993,"e":"\\u00e9","1":1e21}'
  const body = `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args": ${args}}},{"functionCall":{"name":"g"}}]}]}`
  const [first, second] = decode(body).turns[0]?.parts ?? []
  assert.equal(first?.kind === 'call' && first.input, args)
  assert.equal(second?.kind === 'call' && second.input, '{}')
})

/** Ids of calls in order, then the ids that the results name. */
function idsOf(calls: object[], responses: object[]): readonly string[] {
  const { turns } = decode({
    contents: [
      { role: 'model', parts: calls.map((functionCall) => ({ functionCall })) },
      {
        role: 'function',
        parts: responses.map((response) => ({ functionResponse: { response: {}, ...response } })),
      },
    ],
  })
  return turns
    .flatMap((turn) => turn.parts)
    .map((part) => (part.kind === 'call' ? part.id : part.kind === 'result' ? part.callId : ''))
}

const pairs: [name: string, calls: object[], responses: object[], ids: string[]][] = [
  [
    'ids',
    [
      { name: 'f', id: 'a' },
      { name: 'f', id: 'b' },
    ],
    [
      { name: 'f', id: 'b' },
      { name: 'f', id: 'a' },
    ],
    ['a', 'b', 'b', 'a'],
  ],
  [
    'names',
    [{ name: 'f' }, { name: 'g' }],
    [{ name: 'g' }, { name: 'f' }],
    ['call_0', 'call_1', 'call_1', 'call_0'],
  ],
  [
    'one name twice, in order',
    [{ name: 'f' }, { name: 'f' }],
    [{ name: 'f' }, { name: 'f' }],
    ['call_0', 'call_1', 'call_0', 'call_1'],
  ],
  ['an id of the caller for a call without', [{ name: 'f' }], [{ name: 'f', id: 'z' }], ['call_0', 'call_0']],
  ['no id for a call with one', [{ name: 'f', id: 'a' }], [{ name: 'f' }], ['a', 'a']],
  ['another name', [{ name: 'f' }], [{ name: 'x' }], ['call_0', 'call_0']],
  [
    'marked ids',
    [{ name: 'f', id: carrierId('a', { encrypted: google, thoughts: [] }) }],
    [{ name: 'f', id: carrierId('a', { encrypted: google, thoughts: [] }) }],
    ['a', 'a'],
  ],
  ['nothing to answer', [], [{ name: 'f', id: 'z' }], ['z']],
]

test('results find their calls', () => {
  for (const [name, calls, responses, ids] of pairs) {
    assert.deepEqual(
      idsOf(calls.length === 0 ? [] : calls, responses).filter((id) => id !== ''),
      ids,
      name,
    )
  }
})

test('calls without an id are numbered through the whole conversation', () => {
  const step = [
    { role: 'model', parts: [call] },
    { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
  ]
  const { turns } = decode({ contents: [...hi, ...step, ...step] })
  const ids = turns.flatMap(({ parts: found }) =>
    found.map((part) => (part.kind === 'call' ? part.id : part.kind === 'result' ? part.callId : '')),
  )
  assert.deepEqual(ids, ['', 'call_0', 'call_0', 'call_1', 'call_1'])
})

const results: [name: string, response: object, part: object][] = [
  ['output', { response: { output: 'a' } }, { content: [text('a')], json: null, isError: false }],
  ['no output', { response: { output: '' } }, { content: [], json: null, isError: false }],
  ['error', { response: { error: 'e' } }, { content: [text('e')], json: null, isError: true }],
  [
    'an object',
    { response: { output: { a: 1 } } },
    { content: [], json: '{"output":{"a":1}}', isError: false },
  ],
  ['another member', { response: { result: 'a' } }, { content: [], json: '{"result":"a"}', isError: false }],
  ['an output and more', { response: { output: 'a', b: 1 } }, { json: '{"output":"a","b":1}' }],
]

test('results of functions', () => {
  for (const [name, response, expected] of results) {
    const [part] = userParts({ functionResponse: { name: 'f', ...response } })
    assert.partialDeepStrictEqual(part, { kind: 'result', name: 'f', ...expected }, name)
  }
  const media = { inline_data: { mime_type: 'image/png', data: 'QUJD', display_name: 'a.png' } }
  const [part] = userParts({ functionResponse: { name: 'f', response: { output: 'a' }, parts: [media] } })
  assert.ok(part?.kind === 'result')
  assert.deepEqual(
    part.content.map(({ kind }) => kind),
    ['text', 'media'],
  )
})

const media: [name: string, part: object, expected: object][] = [
  [
    'an image',
    { inlineData: { mimeType: 'image/PNG', data: 'QUJD' } },
    { medium: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'QUJD' } },
  ],
  [
    'the other alphabet',
    { inlineData: { mimeType: 'audio/wav', data: '-_\nA=' } },
    { medium: 'audio', source: { kind: 'base64', mediaType: 'audio/wav', data: '+/A=' } },
  ],
  ['a document', { inlineData: { mimeType: 'application/pdf', data: 'QUJD' } }, { medium: 'document' }],
  [
    'plain text',
    { inlineData: { mimeType: 'text/plain', data: 'w6k=' } },
    { medium: 'document', source: { kind: 'text', text: 'é' } },
  ],
  [
    'an address',
    { fileData: { fileUri: 'https://example.com/a', mimeType: 'image/png' } },
    { medium: 'image', source: { kind: 'url', mediaType: 'image/png', url: 'https://example.com/a' } },
  ],
  [
    'an address alone',
    { file_data: { file_uri: 'https://example.com/a' } },
    { medium: 'document', source: { kind: 'url', mediaType: null, url: 'https://example.com/a' } },
  ],
]

test('media', () => {
  for (const [name, part, expected] of media) {
    const [found] = userParts(part)
    assert.partialDeepStrictEqual(
      found,
      { kind: 'media', pointer: 'contents[0].parts[0]', ...expected },
      name,
    )
  }
})

test('instructions, one object for a list, and roles', () => {
  const { turns } = decode({
    system_instruction: { parts: { text: 'be brief' } },
    contents: { parts: { text: 'hi' } },
  })
  assert.deepEqual(
    turns.map(({ role }) => role),
    ['system', 'user'],
  )
  for (const role of ['assistant', 'constructor', '__proto__']) {
    assert.throws(
      () => decode({ contents: [{ role, parts: [] }] }),
      (error) => error instanceof WireError && error.pointer === 'contents[0].role',
      role,
    )
  }
})

const schemas: [name: string, own: string, json: string][] = [
  [
    'types',
    '{"type":"OBJECT","properties":{"a":{"type":"STRING"}}}',
    '{"type":"object","properties":{"a":{"type":"string"}}}',
  ],
  [
    'a schema that is one already',
    '{ "type" : "object","properties":{"type":{"type":"string"}} }',
    '{ "type" : "object","properties":{"type":{"type":"string"}} }',
  ],
  [
    'names of the caller',
    '{"properties":{"type":{"type":"STRING"},"any_of":{"type":"INTEGER"}}}',
    '{"properties":{"type":{"type":"string"},"any_of":{"type":"integer"}}}',
  ],
  ['null', '{"type":"STRING","nullable":true}', '{"type":["string","null"],"nullable":true}'],
  [
    'counts',
    '{"type":"ARRAY","min_items":"1","maxItems":"9","items":{"type":"NUMBER"}}',
    '{"type":"array","minItems":1,"maxItems":9,"items":{"type":"number"}}',
  ],
  [
    'lists of schemas',
    '{"any_of":[{"type":"STRING"},{"type":"BOOLEAN"}]}',
    '{"anyOf":[{"type":"string"},{"type":"boolean"}]}',
  ],
  [
    'values are left alone',
    '{"enum":["STRING"],"default":{"type":"X"},"example":9007199254740993}',
    '{"enum":["STRING"],"default":{"type":"X"},"example":9007199254740993}',
  ],
]

test('schemas become JSON Schema by as few edits as possible', () => {
  for (const [name, own, json] of schemas) assert.equal(jsonSchemaOf(new RawJson(own)).text, json, name)
})

const choices: [config: object, choice: object | null][] = [
  [{}, null],
  [{ mode: 'MODE_UNSPECIFIED' }, null],
  [{ mode: 'auto' }, { kind: 'auto' }],
  [{ mode: 'NONE' }, { kind: 'none' }],
  [{ mode: 'any' }, { kind: 'required' }],
  [
    { mode: 'ANY', allowedFunctionNames: ['f'] },
    { kind: 'one', name: 'f', namespace: null },
  ],
  [
    { mode: 'ANY', allowed_function_names: ['f', 'g'] },
    { kind: 'some', required: true, names: ['f', 'g'] },
  ],
  [{ mode: 'VALIDATED' }, { kind: 'validated' }],
  [
    { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
    { kind: 'some', required: false, names: ['f'] },
  ],
]

test('the choice of tools', () => {
  for (const [functionCallingConfig, choice] of choices) {
    assert.deepEqual(decode({ contents: hi, toolConfig: { functionCallingConfig } }).toolChoice, choice)
  }
})

test('a function without a name is refused by its place', () => {
  assert.throws(
    () =>
      decode({ contents: hi, tools: [{ functionDeclarations: Array.from({ length: 200_000 }, () => 1) }] }),
    (error) => error instanceof WireError && error.pointer === 'tools[0].functionDeclarations[0]',
  )
})

test('tools of the caller, and of the provider', () => {
  const { tools, providerTools } = decode({
    contents: hi,
    tools: [
      {
        function_declarations: [
          { name: 'f', description: 'd', parameters: { type: 'OBJECT' } },
          { name: 'g', parametersJsonSchema: { a: 1 } },
          { name: 'h' },
        ],
      },
      { googleSearch: {} },
      { codeExecution: {} },
    ],
  })
  assert.deepEqual(
    tools.map(({ name, description, schema }) => [name, description, schema?.text ?? null]),
    [
      ['f', 'd', '{"type":"object"}'],
      ['g', null, '{"a":1}'],
      ['h', null, null],
    ],
  )
  assert.deepEqual(
    providerTools.map(({ name, pointer }) => [name, pointer]),
    [
      ['web_search', 'tools[1].googleSearch'],
      ['code_execution', 'tools[2].codeExecution'],
    ],
  )
})

const settings: [generationConfig: object, expected: object][] = [
  [
    { temperature: 0.5, topP: 1, topK: 40, seed: -1, presencePenalty: 1, frequency_penalty: 2 },
    {
      sampling: {
        temperature: '0.5',
        topP: '1',
        topK: '40',
        seed: '-1',
        presencePenalty: '1',
        frequencyPenalty: '2',
      },
    },
  ],
  [
    { maxOutputTokens: 5, stopSequences: ['a', 'b'] },
    { outputLimit: 5, stops: ['a', 'b'] },
  ],
  [
    { thinkingConfig: { thinkingBudget: -1, includeThoughts: true } },
    { reasoning: { effort: null, budget: -1, summaries: true } },
  ],
  [
    { thinkingConfig: { thinkingLevel: 'MINIMAL' } },
    { reasoning: { effort: 'minimal', budget: null, summaries: false } },
  ],
  [{ thinkingConfig: { thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' } }, { reasoning: { effort: null } }],
  [{ responseLogprobs: true }, { logprobs: 0, responseOptions: { logprobs: true } }],
  [{ responseLogprobs: true, logprobs: 4 }, { logprobs: 4 }],
  [{ logprobs: 4 }, { logprobs: null }],
  [{ responseMimeType: 'text/plain' }, { format: null }],
  [{ responseMimeType: 'application/json' }, { format: { kind: 'json' } }],
  [
    { response_mime_type: 'application/json', response_json_schema: { type: 'string' } },
    { format: { kind: 'schema', schema: { text: '{"type":"string"}' } } },
  ],
  [
    { responseMimeType: 'application/json', responseSchema: { type: 'STRING' } },
    { format: { kind: 'schema', schema: { text: '{"type":"string"}' } } },
  ],
  [
    { responseFormat: [{ text: { mimeType: 'APPLICATION_JSON', schema: { a: 1 } } }] },
    { format: { kind: 'schema', schema: { text: '{"a":1}' } } },
  ],
  [{ responseFormat: [{ text: {} }] }, { format: null }],
]

test('settings', () => {
  for (const [generationConfig, expected] of settings) {
    assert.partialDeepStrictEqual(
      decode({ contents: hi, generationConfig }),
      expected,
      JSON.stringify(generationConfig),
    )
  }
  assert.throws(
    () => decode({ contents: hi, generationConfig: { responseMimeType: 'text/x.enum' } }),
    (error) => error instanceof WireError && error.code === 'untranslatable',
  )
})

test('thoughts are hidden from who does not ask for them', () => {
  assert.deepEqual(decode({ contents: hi }).responseOptions.echo, [['hidesThoughts', true]])
  const asking = { thinkingConfig: { includeThoughts: true } }
  assert.deepEqual(decode({ contents: hi, generationConfig: asking }).responseOptions.echo, [])
})

test('what is given has a row and a place; what says nothing is not given', () => {
  const fieldsOf = (body: object) => decode({ contents: hi, ...body }).fields
  for (const { field, example } of geminiPolicy) {
    assert.ok(
      fieldsOf(example).some(({ name }) => name === field),
      field,
    )
  }
  assert.deepEqual(
    fieldsOf({
      serviceTier: 'standard',
      store: false,
      labels: {},
      tools: [],
      safetySettings: null,
      generationConfig: {
        candidateCount: 1,
        responseModalities: ['TEXT'],
        stopSequences: [],
        responseMimeType: 'text/plain',
      },
      toolConfig: { functionCallingConfig: { mode: 'MODE_UNSPECIFIED' } },
    }),
    [],
  )
  assert.deepEqual(fieldsOf({ generation_config: { top_k: 3 }, new_thing: 1 }), [
    { name: 'newThing', pointer: 'new_thing' },
    { name: 'generationConfig.topK', pointer: 'generation_config.top_k' },
  ])
  assert.deepEqual(fieldsOf({ contents: [{ parts: [{ text: 'a', part_metadata: { a: 1 } }] }] }), [
    { name: 'contents[].parts[].partMetadata', pointer: 'contents[0].parts[0].part_metadata' },
  ])
})
