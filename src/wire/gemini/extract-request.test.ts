/** Gemini requests: the facts in both spellings, what is rejected, and the few bytes that a splice changes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import type { ReadLimits } from '../dialect.ts'
import { WireError } from '../dialect.ts'
import { applyEdits } from '../json/json.ts'
import { extractRequest, type GeminiFields, patchRequest } from './extract-request.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 250_000, integerMax: 1_000_000 }
const address = { model: 'gemini-x', stream: true }
const encoder = new TextEncoder()
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]

const read = (body: unknown): GeminiFields =>
  extractRequest(encoder.encode(typeof body === 'string' ? body : JSON.stringify(body)), limits, address)
const withParts = (...parts: object[]) => ({ contents: [{ role: 'user', parts }] })
const withSettings = (generationConfig: object) => ({ contents, generationConfig })

test('model and streaming come from the address', () => {
  const facts = read({ contents })
  assert.equal(facts.model, 'gemini-x')
  assert.equal(facts.stream, true)
  assert.equal(facts.modelSpan, null)
  assert.equal(facts.outputLimit, null)
  assert.equal(facts.choices, 1)
  assert.deepEqual(facts.cacheWrites, [])
})

const cases: [name: string, body: unknown, facts: object][] = [
  ['a limit', withSettings({ maxOutputTokens: 9 }), { outputLimit: 9 }],
  [
    'a limit, the other spelling',
    { contents, generation_config: { max_output_tokens: 9.0 } },
    { outputLimit: 9 },
  ],
  ['no limit', withSettings({ maxOutputTokens: null }), { outputLimit: null }],
  ['candidates', withSettings({ candidateCount: 3 }), { choices: 3 }],
  ['a budget', withSettings({ thinkingConfig: { thinkingBudget: 512 } }), { thinkingBudget: 512 }],
  ['no thinking', withSettings({ thinkingConfig: { thinking_budget: 0 } }), { thinkingBudget: 0 }],
  [
    'a budget that the model chooses',
    withSettings({ thinkingConfig: { thinkingBudget: -1 } }),
    { thinkingBudget: null },
  ],
  ['a level', withSettings({ thinkingConfig: { thinkingLevel: 'HIGH' } }), { effort: 'high' }],
  ['a level in lower case', withSettings({ thinking_config: { thinking_level: 'low' } }), { effort: 'low' }],
  [
    'functions',
    { contents, tools: [{ functionDeclarations: [{ name: 'f' }] }] },
    { functionTools: true, serverTools: [] },
  ],
  [
    'functions in one object',
    { contents, tools: { function_declarations: [{ name: 'f' }] } },
    { functionTools: true },
  ],
  ['one content for a list', { contents: contents[0] }, { choices: 1 }],
  ['the model of the address again', { contents, model: 'models/gemini-x' }, { model: 'gemini-x' }],
]

test('facts are read in both spellings', () => {
  for (const [name, body, facts] of cases) assert.partialDeepStrictEqual(read(body), facts, name)
})

const priced: [name: string, body: unknown, options: string[]][] = [
  ['nothing', { contents, serviceTier: 'standard', store: true, labels: { a: 'b' } }, []],
  ['a tier', { contents, serviceTier: 'FLEX' }, ['service_tier:flex']],
  ['a tier with its prefix', { contents, service_tier: 'SERVICE_TIER_PRIORITY' }, ['service_tier:priority']],
  ['text', withSettings({ responseModalities: ['TEXT', 'text'] }), []],
  [
    'images and speech',
    withSettings({ response_modalities: ['Text', 'IMAGE', 'AUDIO'] }),
    ['modality:image', 'modality:audio'],
  ],
  ['one modality for a list', withSettings({ responseModalities: 'IMAGE' }), ['modality:image']],
  ['the newer way', withSettings({ responseFormat: [{ text: {} }, { image: {} }] }), ['modality:image']],
  ['speech', withSettings({ speechConfig: {} }), ['modality:audio']],
  ['sizes of images', withSettings({ imageConfig: {} }), ['modality:image']],
  ['a usual resolution', withSettings({ mediaResolution: 'MEDIA_RESOLUTION_HIGH' }), []],
  [
    'a dear resolution',
    withParts({ text: 'x', mediaResolution: { level: 'MEDIA_RESOLUTION_ULTRA_HIGH' } }),
    ['media_resolution:ultra_high'],
  ],
  [
    'a resolution in tokens',
    withParts({ text: 'x', media_resolution: { num_tokens: 9 } }),
    ['media_resolution:num_tokens'],
  ],
  ['another model', withSettings({ routingConfig: { autoMode: {} } }), ['routing_config']],
  ['screening', { contents, modelArmorConfig: { promptTemplateName: 'x' } }, ['model_armor']],
]

test('what changes the price is named', () => {
  for (const [name, body, options] of priced) {
    assert.deepEqual(
      read(body).options.map((option) => option.name),
      options,
      name,
    )
  }
})

const tools: [tool: object, meter: string][] = [
  [{ googleSearch: {} }, 'web_search'],
  [{ google_search: {} }, 'web_search'],
  [{ googleSearchRetrieval: {} }, 'web_search'],
  [{ urlContext: {} }, 'web_fetch'],
  [{ codeExecution: {} }, 'code_execution'],
  [{ googleMaps: {} }, 'google_maps'],
  [{ fileSearch: {} }, 'file_search'],
  [{ computerUse: {} }, 'computer_use'],
  [{ newThing: {} }, 'new_thing'],
]

test('provider tools are reported, and none of them can be capped', () => {
  for (const [tool, meter] of tools) {
    const [found] = read({ contents, tools: [{ functionDeclarations: [] }, tool] }).serverTools
    assert.equal(found?.meter, meter)
    assert.equal(found?.capPatch, null)
    assert.equal(found?.pointer, `tools[1].${Object.keys(tool)[0]}`)
  }
})

test('media are reported with the position of their bytes', () => {
  const body = JSON.stringify({
    contents: [
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'image/PNG', data: 'QUJD' } },
          { inline_data: { mime_type: 'audio/wav', data: 'REVG' } },
          { inlineData: { mimeType: 'application/pdf', data: 'R0hJ' } },
          { fileData: { fileUri: 'https://example.com/a.png', mimeType: 'image/png' } },
          {
            functionResponse: {
              name: 'f',
              response: { inlineData: 'x' },
              parts: [{ inlineData: { mimeType: 'image/png', data: 'SktM' } }],
            },
          },
        ],
      },
    ],
    systemInstruction: { parts: [{ inlineData: { mimeType: 'image/webp', data: 'TU5P' } }] },
  })
  const bytes = encoder.encode(body)
  const { media } = read(body)
  const seen = media.map(({ kind, span, mediaType }) => [
    kind,
    mediaType,
    span === null ? null : Buffer.from(bytes.subarray(span.start, span.end)).toString(),
  ])
  assert.deepEqual(seen, [
    ['image', 'image/png', null],
    ['image', 'image/png', 'QUJD'],
    ['audio', 'audio/wav', 'REVG'],
    ['document', 'application/pdf', 'R0hJ'],
    ['image', 'image/png', 'SktM'],
    ['image', 'image/webp', 'TU5P'],
  ])
})

const file = (fileUri: string, mimeType?: string) => withParts({ fileData: { fileUri, mimeType } })
const refused: [name: string, body: unknown, code: string, pointer?: string][] = [
  ['no object', [], 'invalid_value'],
  ['no JSON', '{"contents":', 'invalid_json'],
  ['no contents', {}, 'missing_field', 'contents'],
  ['null contents', { contents: null }, 'missing_field', 'contents'],
  ['contents that are text', { contents: 'hi' }, 'invalid_value', 'contents'],
  ['another model', { contents, model: 'gemini-y' }, 'invalid_value', 'model'],
  [
    'a cache at the provider',
    { contents, cachedContent: 'cachedContents/x' },
    'reference_not_owned',
    'cachedContent',
  ],
  [
    'the same, the other spelling',
    { contents, cached_content: 'x' },
    'reference_not_owned',
    'cached_content',
  ],
  ['an answer at the provider', { contents, continuationToken: 'x' }, 'reference_not_owned'],
  ['a bucket to write to', { contents, outputConfig: { outputUriPrefix: 'gs://b/' } }, 'reference_not_owned'],
  [
    'the same, as libraries call it',
    { contents, generation_output_config: { outputUriPrefix: 'gs://b/' } },
    'reference_not_owned',
  ],
  ['a bucket', file('gs://bucket/a.png', 'image/png'), 'reference_not_owned'],
  [
    'a limit of none',
    withSettings({ maxOutputTokens: 0 }),
    'invalid_value',
    'generationConfig.maxOutputTokens',
  ],
  ['a limit in words', withSettings({ maxOutputTokens: '100' }), 'invalid_value'],
  ['a limit without end', withSettings({ maxOutputTokens: 1e300 }), 'invalid_value'],
  ['no candidates', withSettings({ candidateCount: 0 }), 'invalid_value'],
  ['settings that are a list', { contents, generationConfig: [{ maxOutputTokens: 1 }] }, 'invalid_value'],
  ['a limit twice', withSettings({ maxOutputTokens: 1, max_output_tokens: 100 }), 'ambiguous_field'],
  ['settings twice', { contents, generationConfig: {}, generation_config: {} }, 'ambiguous_field'],
  ['another spelling', withSettings({ MaxOutputTokens: 5 }), 'ambiguous_field'],
  ['half of another spelling', withSettings({ maxOutput_tokens: 5 }), 'ambiguous_field'],
  ['an escaped name', '{"contents":[],"generationConfig":{"maxOutput\\u0054okens":5}}', 'ambiguous_field'],
  ['a tier that is a number', { contents, serviceTier: 2 }, 'invalid_value', 'serviceTier'],
  [
    'too many tools',
    { contents, tools: Array.from({ length: 33 }, () => ({ googleSearch: {} })) },
    'invalid_value',
  ],
]

const videos: readonly (readonly [name: string, body: unknown])[] = [
  ['its bytes', withParts({ inlineData: { mimeType: 'video/mp4', data: 'QUJD' } })],
  ['its address', file('https://example.com/a', 'VIDEO/mp4')],
  ['a page of videos', file('https://www.youtube.com/watch?v=1')],
  ['a page of videos, called a picture', file('https://youtu.be/1', 'image/png')],
]
test('video is known by its type or its address', () => {
  for (const [name, body] of videos)
    assert.deepEqual(
      read(body).media.map(({ kind }) => kind),
      ['video'],
      name,
    )
})

test('what cannot be read, bounded or priced is refused by its place', () => {
  for (const [name, body, code, pointer] of refused) {
    assert.throws(
      () => read(body),
      (error) =>
        error instanceof WireError &&
        error.code === code &&
        (pointer === undefined || error.pointer === pointer),
      name,
    )
  }
  assert.throws(
    () => extractRequest(encoder.encode('{}'), limits, { model: null, stream: false }),
    (error) => error instanceof WireError && error.code === 'missing_field' && error.pointer === 'model',
  )
})

const splices: [body: string, tokens: number, spliced: string][] = [
  ['{"contents":[]}', 7, '{"generationConfig":{"maxOutputTokens":7},"contents":[]}'],
  [
    '{ "contents":[], "generationConfig" : { } }',
    7,
    '{ "contents":[], "generationConfig" : {"maxOutputTokens":7 } }',
  ],
  ['{"contents":[],"generationConfig":null}', 7, '{"contents":[],"generationConfig":{"maxOutputTokens":7}}'],
  [
    '{"contents":[],"generationConfig":{"topK":1}}',
    7,
    '{"contents":[],"generationConfig":{"maxOutputTokens":7,"topK":1}}',
  ],
  [
    '{"contents":[],"generation_config":{"max_output_tokens":100}}',
    7,
    '{"contents":[],"generation_config":{"max_output_tokens":7}}',
  ],
  [
    '{"contents":[],"generationConfig":{"maxOutputTokens":null}}',
    7,
    '{"contents":[],"generationConfig":{"maxOutputTokens":7}}',
  ],
  [
    '{"contents":[],"generationConfig":{"maxOutputTokens":5}}',
    7,
    '{"contents":[],"generationConfig":{"maxOutputTokens":5}}',
  ],
]

test('a splice lowers the limit, or writes it, and changes nothing else', () => {
  for (const [body, outputLimit, expected] of splices) {
    const bytes = encoder.encode(body)
    const edits = patchRequest(read(body), { outputLimit, model: 'other', serverToolUsesMax: 2 })
    const spliced = Buffer.concat(applyEdits(bytes, edits)).toString()
    assert.equal(spliced, expected)
    assert.deepEqual(JSON.parse(spliced), JSON.parse(expected))
  }
  assert.deepEqual(patchRequest(read({ contents }), {}), [])
})

test('recorded requests are read, except for objects stored at the provider', () => {
  for (const { name, request } of fixtureCases('gemini')) {
    if (request === undefined) continue
    if (name === 'explicit-cache') {
      assert.throws(() => extractRequest(request, limits, address), WireError)
      continue
    }
    const facts = extractRequest(request, limits, address)
    const parsed = JSON.parse(request.toString()) as {
      contents: { role: string }[]
      generationConfig?: object
    }
    const opening = parsed.contents.find(({ role }) => role === 'user')
    const { start, end } = facts.conversationSpan
    assert.ok(start < end && JSON.stringify(opening).includes(request.subarray(start, end).toString()), name)
    const spliced = Buffer.concat(applyEdits(request, patchRequest(facts, { outputLimit: 3 })))
    const config = { ...parsed.generationConfig, maxOutputTokens: 3 }
    assert.deepEqual(JSON.parse(spliced.toString()), { ...parsed, generationConfig: config }, name)
  }
})
