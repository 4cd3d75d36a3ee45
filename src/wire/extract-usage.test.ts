/**
 * Reported usage in each format: disjoint classes from counters that contain each other, sub-requests that the top level leaves
 * out, and nothing negative or unsaid from broken numbers. What streams report over time is in tap-stream.test.ts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { usageOf } from '../../test/support/neutral-values.ts'
import * as anthropic from './anthropic/extract-usage.ts'
import * as gemini from './gemini/extract-usage.ts'
import * as chat from './openai-chat/extract-usage.ts'
import { openaiResponses } from './openai-responses/index.ts'
import type { RawUsage, ReportedTotals, Usage } from './usage.ts'

type Format = 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini'
type Reported = Readonly<Record<string, unknown>>

const raw: Readonly<Record<Format, (...reports: readonly unknown[]) => RawUsage>> = {
  'openai-chat'(...reports) {
    const draft = chat.chatReport()
    for (const usage of reports) chat.readUsage(draft, { usage })
    return draft.rawUsage()
  },
  'openai-responses': (usage) =>
    openaiResponses.extractResponse(Buffer.from(JSON.stringify({ output: [], usage })), 10).rawUsage,
  anthropic(...reports) {
    const draft = anthropic.messagesReport()
    for (const usage of reports) anthropic.readUsage(draft, usage)
    return draft.rawUsage()
  },
  gemini(...reports) {
    const draft = gemini.geminiReport()
    for (const usageMetadata of reports) gemini.readUsage(draft, { usageMetadata })
    return draft.rawUsage()
  },
}
const toUsage: Readonly<Record<Format, (raw: RawUsage) => Usage>> = {
  'openai-chat': chat.toUsage,
  'openai-responses': openaiResponses.toUsage,
  anthropic: anthropic.toUsage,
  gemini: gemini.toUsage,
}
const totals: Readonly<Record<Format, (raw: RawUsage) => ReportedTotals>> = {
  'openai-chat': chat.reportedTotals,
  'openai-responses': openaiResponses.reportedTotals,
  anthropic: anthropic.reportedTotals,
  gemini: gemini.reportedTotals,
}

type Row = readonly [name: string, reports: unknown, expected: Partial<Usage>]

const message = { type: 'message', input_tokens: 23_000, output_tokens: 1_000 }
const compaction = {
  type: 'compaction',
  input_tokens: 180_000,
  output_tokens: 3_500,
  cache_read_input_tokens: 40,
}
const top = { input_tokens: 23_000, output_tokens: 1_000 }
const counted = { inputUncached: 23_000, output: 1_000 }
const within = (...iterations: readonly unknown[]) => ({ ...top, iterations })
const writes = (sum: number, short: number, long: number) => ({
  cache_creation_input_tokens: sum,
  cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
})
const audio = (tokenCount: number, modality = 'AUDIO') => [{ modality, tokenCount }]

/** A list of reports where there are several. */
const rows: Readonly<Record<Format, readonly Row[]>> = {
  'openai-chat': [
    ['nothing', undefined, {}],
    ['null', null, {}],
    ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, {}],
    [
      'all classes',
      {
        ...{ prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
        prompt_tokens_details: {
          cached_tokens: 30,
          cache_write_tokens: 20,
          audio_tokens: 10,
          text_tokens: 90,
        },
        completion_tokens_details: { reasoning_tokens: 25, audio_tokens: 5, rejected_prediction_tokens: 3 },
      },
      {
        ...{ inputUncached: 40, cacheRead: 30, cacheWrite5m: 20, inputAudio: 10 },
        ...{ output: 45, outputAudio: 5, reasoning: 25 },
      },
    ],
    [
      'details that are null',
      { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: null },
      { inputUncached: 9, output: 2 },
    ],
    [
      'hits by another name',
      { prompt_tokens: 9, prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 5 },
      { inputUncached: 5, cacheRead: 4 },
    ],
    [
      'reasoning that only the total counts',
      {
        ...{ prompt_tokens: 10, completion_tokens: 5, total_tokens: 35 },
        completion_tokens_details: { reasoning_tokens: 20 },
      },
      { inputUncached: 10, output: 25, reasoning: 20 },
    ],
    [
      'more cached than there is',
      { prompt_tokens: 5, prompt_tokens_details: { cached_tokens: 9 } },
      { cacheRead: 5, unknown: ['prompt_tokens_details.cached_tokens'] },
    ],
    ['negative', { prompt_tokens: -5, completion_tokens: 3 }, { output: 3, unknown: ['prompt_tokens'] }],
    ['a string', { prompt_tokens: '5', completion_tokens: 3 }, { output: 3, unknown: ['prompt_tokens'] }],
    ['a fraction', { prompt_tokens: 4.2 }, { inputUncached: 5, unknown: ['prompt_tokens'] }],
    ['out of bounds', { completion_tokens: 1e20 }, { unknown: ['completion_tokens'] }],
    [
      'a total out of bounds',
      { prompt_tokens: 2, completion_tokens: 3, total_tokens: 1e20 },
      { inputUncached: 2, output: 3, unknown: ['total_tokens'] },
    ],
    ['no usage object', [[1, 2]], { unknown: ['usage'] }],
    [
      'a counter of no class',
      { prompt_tokens: 1, num_sources_used: 3 },
      { inputUncached: 1, unknown: ['num_sources_used'] },
    ],
    ['an unused counter of no class', { prompt_tokens: 1, num_sources_used: 0 }, { inputUncached: 1 }],
    [
      'a nested one',
      { prompt_tokens_details: { video_tokens: 7 } },
      { unknown: ['prompt_tokens_details.video_tokens'] },
    ],
    ['times and costs', { prompt_tokens: 1, queue_time: 0.1, cost: 0.002 }, { inputUncached: 1 }],
    [
      'names of prototypes',
      JSON.parse('{"__proto__":5,"constructor":{"a":1},"prompt_tokens":2}'),
      { inputUncached: 2, unknown: ['__proto__', 'constructor.a'] },
    ],
    [
      'null takes no number back',
      [{ prompt_tokens: 10, completion_tokens: 4 }, { prompt_tokens: null, completion_tokens: 9 }, null],
      { inputUncached: 10, output: 9 },
    ],
    ['nor does 0', [{ prompt_tokens: 10 }, { prompt_tokens: 0 }], { inputUncached: 10 }],
    ['and what follows a 0 counts', [{ prompt_tokens: 0 }, { prompt_tokens: 10 }], { inputUncached: 10 }],
  ],
  'openai-responses': [
    [
      'all classes',
      {
        ...{ input_tokens: 100, output_tokens: 50, total_tokens: 150 },
        input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
        output_tokens_details: { reasoning_tokens: 20 },
      },
      { inputUncached: 10, cacheRead: 60, cacheWrite5m: 30, output: 50, reasoning: 20 },
    ],
  ],
  anthropic: [
    ['nothing', [undefined, null], {}],
    ['the top level alone', top, counted],
    ['one sampling', within(message), counted],
    [
      'a summary before it',
      within(compaction, message),
      { inputUncached: 203_000, output: 4_500, cacheRead: 40 },
    ],
    [
      'samplings that the top level lacks',
      { input_tokens: 5, iterations: [message, message] },
      { inputUncached: 46_000, output: 2_000 },
    ],
    [
      'the same iterations told twice',
      [within(compaction), within(compaction, message)],
      { inputUncached: 203_000, output: 4_500, cacheRead: 40 },
    ],
    [
      'writes of a summary by lifetime',
      within({ type: 'compaction', ...writes(9, 0, 9) }),
      { cacheWrite1h: 9, ...counted },
    ],
    [
      'an advisor’s tokens',
      within(message, { type: 'advisor_message', model: 'dear', input_tokens: 9 }),
      { ...counted, unknown: ['iterations.advisor_message'] },
    ],
    [
      'a fallback’s tokens',
      within({ type: 'fallback_message', input_tokens: 9 }),
      { ...counted, unknown: ['iterations.fallback_message'] },
    ],
    [
      'iterations that are none',
      within(7, { type: 'toString' }),
      { ...counted, unknown: ['iterations', 'iterations.toString'] },
    ],
    ['no list of iterations', { ...top, iterations: null }, counted],
    ['legacy writes without a split', { cache_creation_input_tokens: 30 }, { cacheWrite5m: 30 }],
    ['a split that exceeds the sum', writes(1, 4, 5), { cacheWrite5m: 4, cacheWrite1h: 5 }],
    ['a rest between both', writes(10, 4, 5), { cacheWrite5m: 5, cacheWrite1h: 5 }],
    [
      'thinking',
      { output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } },
      { output: 9, reasoning: 4 },
    ],
    [
      'more thinking than output',
      { output_tokens: 9, output_tokens_details: { thinking_tokens: 14 } },
      { output: 9, reasoning: 9, unknown: ['output_tokens_details.thinking_tokens'] },
    ],
    [
      'tools',
      { server_tool_use: { web_search_requests: 2, web_fetch_requests: 1, tool_search_requests: 3 } },
      { fees: { web_search: 2, web_fetch: 1, tool_search: 3 } },
    ],
    [
      'an unknown tool',
      { server_tool_use: { telepathy_requests: 2 } },
      { unknown: ['server_tool_use.telepathy_requests'] },
    ],
    [
      'broken numbers',
      { input_tokens: -1, output_tokens: '9', cache_read_input_tokens: 1e12 },
      { unknown: ['cache_read_input_tokens', 'input_tokens', 'output_tokens'] },
    ],
    ['a credit', { ...top, fallback_credit: { status: {} } }, { ...counted, unknown: ['fallback_credit'] }],
    ['defaults', { service_tier: 'standard', speed: 'standard', inference_geo: 'not_available' }, {}],
    [
      'other places',
      { service_tier: 'batch', speed: 'fast', inference_geo: 'us' },
      { servedOptions: ['service_tier:batch', 'speed:fast', 'inference_geo:us'] },
    ],
  ],
  gemini: [
    [
      'prompt and candidates',
      { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 },
      { inputUncached: 5, output: 3 },
    ],
    [
      'thoughts stand beside the candidates',
      { promptTokenCount: 5, candidatesTokenCount: 3, thoughtsTokenCount: 4, totalTokenCount: 12 },
      { inputUncached: 5, output: 7, reasoning: 4 },
    ],
    [
      'the cache is in the prompt',
      { promptTokenCount: 10, cachedContentTokenCount: 8, totalTokenCount: 10 },
      { inputUncached: 2, cacheRead: 8 },
    ],
    [
      'results of tools stand beside the prompt',
      { promptTokenCount: 10, toolUsePromptTokenCount: 7, totalTokenCount: 17 },
      { inputUncached: 17 },
    ],
    [
      'audio in',
      { promptTokenCount: 10, promptTokensDetails: audio(4) },
      { inputUncached: 6, inputAudio: 4 },
    ],
    [
      'audio in, some of it from the cache',
      {
        ...{ promptTokenCount: 10, cachedContentTokenCount: 5 },
        ...{ promptTokensDetails: audio(4), cacheTokensDetails: audio(3) },
      },
      { inputUncached: 4, cacheRead: 5, inputAudio: 1 },
    ],
    [
      'audio out',
      { promptTokenCount: 1, candidatesTokenCount: 9, candidatesTokensDetails: audio(8) },
      { inputUncached: 1, output: 1, outputAudio: 8 },
    ],
    [
      'the last event counts, also where it counts less',
      [
        { promptTokenCount: 5, candidatesTokenCount: 50, promptTokensDetails: audio(3) },
        { promptTokenCount: 6, candidatesTokenCount: 4, totalTokenCount: 10 },
      ],
      { inputUncached: 6, output: 4 },
    ],
    [
      'an event that takes back all of the output takes back nothing',
      [
        { promptTokenCount: 5, candidatesTokenCount: 50, thoughtsTokenCount: 7, totalTokenCount: 62 },
        { promptTokenCount: 6, totalTokenCount: 6 },
      ],
      { inputUncached: 6, output: 57, reasoning: 7 },
    ],
    [
      'an event that counts nothing changes nothing',
      [{ promptTokenCount: 5 }, { trafficType: 'ON_DEMAND' }],
      { inputUncached: 5 },
    ],
    ['a tier', { serviceTier: 'PRIORITY' }, { servedOptions: ['service_tier:priority'] }],
    [
      'the tier as Vertex AI names it',
      { trafficType: 'ON_DEMAND_PRIORITY' },
      { servedOptions: ['service_tier:priority'] },
    ],
    ['bought capacity', { trafficType: 'PROVISIONED_THROUGHPUT' }, {}],
    ['the usual tier', { serviceTier: 'standard' }, {}],
    [
      'a total that is more',
      { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 9 },
      { inputUncached: 1, output: 1, unknown: ['totalTokenCount'] },
    ],
    ['a counter that nobody knows', { videoTokenCount: 4 }, { unknown: ['videoTokenCount'] }],
    [
      'images out',
      { candidatesTokenCount: 5, candidatesTokensDetails: audio(5, 'IMAGE') },
      { output: 5, unknown: ['candidatesTokensDetails.IMAGE'] },
    ],
    [
      'a medium that nobody knows',
      { promptTokenCount: 1, promptTokensDetails: audio(1, 'SMELL') },
      { inputUncached: 1, unknown: ['promptTokensDetails.SMELL'] },
    ],
    [
      'more cached than sent',
      { promptTokenCount: 3, cachedContentTokenCount: 9 },
      { cacheRead: 3, unknown: ['cachedContentTokenCount'] },
    ],
    ['less than nothing', { promptTokenCount: -3 }, { unknown: ['promptTokenCount'] }],
  ],
}

for (const format of Object.keys(rows) as Format[]) {
  test(`${format}: reports become disjoint classes`, () => {
    for (const [name, reports, expected] of rows[format]) {
      const found = toUsage[format](raw[format](...(Array.isArray(reports) ? reports : [reports])))
      assert.deepEqual({ ...found, unknown: [...found.unknown].sort() }, usageOf(expected), name)
    }
  })
}

/** `in` and `out`: a plausible number was reported for it. */
const reported: readonly [format: Format, report: Reported | null, totals: string][] = [
  ['openai-chat', { prompt_tokens: 0, completion_tokens: 3 }, 'in out'],
  ['openai-chat', { prompt_tokens: -1, completion_tokens: 3 }, 'out'],
  ['openai-chat', { prompt_tokens: '7', completion_tokens: 3 }, 'out'],
  ['openai-chat', { prompt_tokens: null, completion_tokens: 3 }, 'out'],
  ['openai-chat', { prompt_tokens: 1e20, completion_tokens: 3 }, 'out'],
  ['openai-chat', { prompt_tokens: Number.NaN, completion_tokens: 3 }, 'out'],
  ['openai-chat', null, ''],
  ['openai-responses', { input_tokens: 1, output_tokens: 2 }, 'in out'],
  ['anthropic', { input_tokens: 5, output_tokens: 0 }, 'in out'],
  ['anthropic', { input_tokens: 5, output_tokens: -4 }, 'in'],
  ['gemini', { trafficType: 'ON_DEMAND' }, ''],
  ['gemini', { promptTokenCount: 0 }, 'in'],
  // A total reveals output that is not counted separately.
  ['gemini', { promptTokenCount: 4, totalTokenCount: 4 }, 'in out'],
  ['gemini', { promptTokenCount: 4, candidatesTokenCount: 0 }, 'in out'],
  ['gemini', { candidatesTokenCount: 2 }, 'out'],
  ['gemini', { promptTokenCount: 1e12 }, ''],
  ['gemini', { promptTokenCount: 4, candidatesTokenCount: 1e20, totalTokenCount: 9 }, 'in'],
  ['gemini', { promptTokenCount: 4, candidatesTokenCount: '7', totalTokenCount: 9 }, 'in'],
  ['gemini', { promptTokenCount: 4, candidatesTokenCount: null, totalTokenCount: 9 }, 'in out'],
  ['gemini', { promptTokenCount: 4, candidatesTokenCount: 5, thoughtsTokenCount: 1e20 }, 'in'],
  ['gemini', { promptTokenCount: 4, toolUsePromptTokenCount: 1e20, candidatesTokenCount: 5 }, 'out'],
]

test('only plausible numbers are reported totals', () => {
  for (const [format, report, expected] of reported) {
    const { input, output } = totals[format](raw[format](report))
    const words = [input ? 'in' : '', output ? 'out' : ''].filter((word) => word !== '').join(' ')
    assert.equal(words, expected, JSON.stringify(report))
  }
  // The output in message_start is a placeholder.
  const draft = anthropic.messagesReport()
  anthropic.readOpeningUsage(draft, { input_tokens: 5, output_tokens: 1 })
  assert.deepEqual(anthropic.reportedTotals(draft.rawUsage()), { input: true, output: false })
  const said = { fields: { prompt_tokens: null }, servedOptions: [], unknown: [], outputShrank: false }
  assert.deepEqual(raw['openai-chat']({ prompt_tokens: null }), said)
})

test('openai-chat: an unknown tier is reported, a broken one flagged', () => {
  for (const [service_tier, servedOptions, unknown] of [
    ['turbo', ['service_tier:turbo'], []],
    ['a b\n', [], ['service_tier']],
    [5, [], ['service_tier']],
  ] as const) {
    const draft = chat.chatReport()
    chat.readUsage(draft, { service_tier })
    assert.deepEqual(chat.toUsage(draft.rawUsage()), usageOf({ servedOptions, unknown }))
  }
})

const searched = (...queries: readonly string[]) => ({
  candidates: [{ groundingMetadata: { webSearchQueries: queries } }],
})
const pictures = { webSearchQueries: ['a'], imageSearchQueries: ['a', 'b', 'b', ''] }
const grounded: readonly [
  name: string,
  events: readonly Reported[],
  fees: Readonly<Record<string, number>>,
][] = [
  ['different searches', [searched('a', 'b', 'a', '', ' ')], { web_search: 2 }],
  ['searches for pictures', [{ candidates: [{ groundingMetadata: pictures }] }], { web_search: 3 }],
  [
    'events that repeat or add',
    [searched('a'), searched('a', 'b'), { usageMetadata: {} }],
    { web_search: 2 },
  ],
  ['empty searches', [searched('', '')], {}],
  [
    'maps',
    [{ candidates: [{ groundingMetadata: { groundingChunks: [{ maps: {} }, { maps: {} }] } }] }],
    { google_maps: 1 },
  ],
]

test('gemini: grounding is charged by use', () => {
  for (const [name, events, fees] of grounded) {
    const draft = gemini.geminiReport()
    for (const event of events) gemini.readUsage(draft, event)
    assert.deepEqual(gemini.toUsage(draft.rawUsage()).fees, fees, name)
  }
})

const anyNumber = fc.oneof(
  fc.integer({ min: -10, max: 2_000 }),
  fc.double(),
  fc.constantFrom(null, '5', true, [], {}, Number.MAX_SAFE_INTEGER, 1e300),
)
const some = (names: readonly string[], value: fc.Arbitrary<unknown> = anyNumber) =>
  fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] })
const modalities = fc.record({
  modality: fc.constantFrom('AUDIO', 'TEXT', 'IMAGE', 'x'),
  tokenCount: anyNumber,
})
const anyReport: Readonly<Record<Format, fc.Arbitrary<object>>> = {
  'openai-chat': fc
    .tuple(
      some(['prompt_tokens', 'completion_tokens', 'total_tokens', 'other']),
      some(['cached_tokens', 'cache_write_tokens', 'audio_tokens']),
      some(['reasoning_tokens', 'audio_tokens']),
    )
    .map(([all, input, output]) => ({
      ...all,
      ...{ prompt_tokens_details: input, completion_tokens_details: output },
    })),
  'openai-responses': some(['input_tokens', 'output_tokens', 'total_tokens']),
  anthropic: fc
    .array(
      some(['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    .map(([last, ...more]) => ({ ...last, iterations: more.map((one) => ({ ...one, type: 'compaction' })) })),
  gemini: fc
    .tuple(
      some(['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'toolUsePromptTokenCount']),
      some(['cachedContentTokenCount', 'totalTokenCount']),
      some(['promptTokensDetails', 'cacheTokensDetails', 'candidatesTokensDetails'], fc.array(modalities)),
    )
    .map((all) => Object.assign({}, ...all) as object),
}

for (const format of Object.keys(rows) as Format[]) {
  test(`${format}: whatever is reported, classes are whole, never negative, and what was said where that is sane`, () => {
    fc.assert(
      fc.property(fc.array(anyReport[format], { minLength: 1, maxLength: 2 }), (reports) => {
        const { fees: _, servedOptions: __, unknown, ...classes } = toUsage[format](raw[format](...reports))
        for (const [name, tokens] of Object.entries(classes))
          assert.ok(Number.isSafeInteger(tokens) && tokens >= 0, `${name} ${tokens}`)
        assert.ok(classes.reasoning <= classes.output)
        assert.equal(new Set(unknown).size, unknown.length)
        const { prompt_tokens: prompt } = reports[0] as { prompt_tokens?: unknown }
        if (unknown.length > 0 || typeof prompt !== 'number' || reports.length > 1) return
        const { inputUncached, cacheRead, cacheWrite5m, inputAudio } = classes
        assert.equal(inputUncached + cacheRead + cacheWrite5m + inputAudio, prompt + 0)
      }),
      { numRuns: 1_000 },
    )
  })
}
