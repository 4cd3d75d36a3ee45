/** Chat usage: disjoint meters from counters that contain each other, and nothing negative from broken ones. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { noTokens } from '../../../contract/meters.ts'
import type { Usage } from '../usage.ts'
import { chatReport, readUsage, reportedTotals, toUsage } from './extract-usage.ts'

const usageOf = (...bodies: readonly Record<string, unknown>[]): Usage => {
  const draft = chatReport()
  for (const body of bodies) readUsage(draft, body)
  return toUsage(draft.rawUsage())
}

const nothing: Usage = {
  ...noTokens,
  fees: {},
  ranAt: [],
  unknown: [],
}

const read = 'prompt_tokens_details.cached_tokens'
const cases: [name: string, usage: unknown, expected: Partial<Usage>][] = [
  ['nothing', undefined, {}],
  ['null', null, {}],
  ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, {}],
  [
    'all classes',
    {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 20, audio_tokens: 10, text_tokens: 90 },
      completion_tokens_details: { reasoning_tokens: 25, audio_tokens: 5, rejected_prediction_tokens: 3 },
    },
    {
      ...noTokens,
      inputUncached: 40,
      cacheRead: 30,
      cacheWrite5m: 20,
      inputAudio: 10,
      output: 45,
      outputAudio: 5,
      reasoning: 25,
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
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 35,
      completion_tokens_details: { reasoning_tokens: 20 },
    },
    { inputUncached: 10, output: 25, reasoning: 20 },
  ],
  [
    'more cached than there is',
    { prompt_tokens: 5, prompt_tokens_details: { cached_tokens: 9 } },
    { cacheRead: 5, unknown: [read] },
  ],
  ['negative', { prompt_tokens: -5, completion_tokens: 3 }, { output: 3, unknown: ['prompt_tokens'] }],
  ['a string', { prompt_tokens: '5', completion_tokens: 3 }, { output: 3, unknown: ['prompt_tokens'] }],
  ['a fraction', { prompt_tokens: 4.2 }, { inputUncached: 5, unknown: ['prompt_tokens'] }],
  ['out of bounds', { completion_tokens: 1e20 }, { output: 0, unknown: ['completion_tokens'] }],
  [
    'a total out of bounds',
    { prompt_tokens: 2, completion_tokens: 3, total_tokens: 1e20 },
    { inputUncached: 2, output: 3, unknown: ['total_tokens'] },
  ],
  ['no usage object', [1, 2], { unknown: ['usage'] }],
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
  [
    'times and costs',
    { prompt_tokens: 1, queue_time: 0.1, total_time: 0.5, cost: 0.002 },
    { inputUncached: 1 },
  ],
  [
    'names of prototypes',
    JSON.parse('{"__proto__":5,"constructor":{"a":1},"prompt_tokens":2}'),
    { inputUncached: 2, unknown: ['__proto__', 'constructor.a'] },
  ],
]

test('reports become disjoint classes', () => {
  for (const [name, usage, expected] of cases)
    assert.deepEqual(usageOf({ usage }), { ...nothing, ...expected }, name)
})

test('reports merge field by field, and neither 0 nor null takes a number back', () => {
  const first = { usage: { prompt_tokens: 10, completion_tokens: 4 } }
  assert.equal(usageOf(first, { usage: { prompt_tokens: null, completion_tokens: 9 } }).inputUncached, 10)
  assert.equal(usageOf(first, { usage: { prompt_tokens: 0 } }).inputUncached, 10)
  assert.equal(usageOf({ usage: { prompt_tokens: 0 } }, first).inputUncached, 10)
  assert.equal(usageOf(first, { usage: null }).output, 4)
})

test('reported and missing usage are distinguished', () => {
  assert.deepEqual(chatReport().rawUsage(), { fields: {}, ranAt: [], unknown: [], outputShrank: false })
  const draft = chatReport()
  readUsage(draft, { usage: { prompt_tokens: null } })
  assert.deepEqual(draft.rawUsage().fields, { prompt_tokens: null })
})

test('an unknown tier is reported, a broken one flagged', () => {
  assert.deepEqual(usageOf({ service_tier: 'turbo' }).ranAt, ['service_tier:turbo'])
  assert.deepEqual(usageOf({ service_tier: 'a b\n' }).unknown, ['service_tier'])
  assert.deepEqual(usageOf({ service_tier: 5 }).unknown, ['service_tier'])
})

test('whatever is reported, classes are whole, never negative, and add up to what was said where that is sane', () => {
  const number = fc.oneof(
    fc.integer({ min: -10, max: 2_000 }),
    fc.double(),
    fc.constantFrom(null, '5', true, [], {}, Number.MAX_SAFE_INTEGER, 1e300),
  )
  const usages = fc.record(
    {
      prompt_tokens: number,
      completion_tokens: number,
      total_tokens: number,
      prompt_tokens_details: fc.oneof(
        number,
        fc.record(
          { cached_tokens: number, cache_write_tokens: number, audio_tokens: number },
          { requiredKeys: [] },
        ),
      ),
      completion_tokens_details: fc.record(
        { reasoning_tokens: number, audio_tokens: number },
        { requiredKeys: [] },
      ),
      other: number,
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(usages, (usage) => {
      const { fees, ranAt, unknown, ...classes } = usageOf({ usage })
      for (const [name, tokens] of Object.entries(classes)) {
        assert.ok(Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= 2_000_000_000, `${name} ${tokens}`)
      }
      assert.ok(classes.reasoning <= classes.output)
      if (unknown.length > 0 || typeof usage.prompt_tokens !== 'number') return
      const { inputUncached, cacheRead, cacheWrite5m, inputAudio } = classes
      assert.equal(inputUncached + cacheRead + cacheWrite5m + inputAudio, usage.prompt_tokens + 0)
    }),
    { numRuns: 3_000 },
  )
})

test('only a plausible number is read as a total', () => {
  for (const [value, isTold] of [
    [0, true],
    [7, true],
    [-1, false],
    ['7', false],
    [null, false],
    [1e20, false],
    [Number.NaN, false],
  ] as const) {
    const draft = chatReport()
    readUsage(draft, { usage: { prompt_tokens: value, completion_tokens: 3 } })
    assert.deepEqual(reportedTotals(draft.rawUsage()), { input: isTold, output: true }, String(value))
  }
  assert.deepEqual(reportedTotals(chatReport().rawUsage()), { input: false, output: false })
})
