/** Messages usage: sub-requests that the top level leaves out are added, broken counters clamped and flagged. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Usage } from '../usage.ts'
import { messagesReport, readOpeningUsage, readUsage, reportedTotals, toUsage } from './extract-usage.ts'

const usageOf = (...reports: readonly unknown[]): Usage => {
  const draft = messagesReport()
  for (const report of reports) readUsage(draft, report)
  return toUsage(draft.rawUsage())
}

const message = { type: 'message', input_tokens: 23_000, output_tokens: 1_000 }
const compaction = {
  type: 'compaction',
  input_tokens: 180_000,
  output_tokens: 3_500,
  cache_read_input_tokens: 40,
}
const top = { input_tokens: 23_000, output_tokens: 1_000 }

const cases: [name: string, reports: readonly unknown[], expected: Partial<Usage>][] = [
  ['nothing', [undefined, null], { inputUncached: 0, output: 0, unknown: [] }],
  ['the top level alone', [top], { inputUncached: 23_000, output: 1_000 }],
  ['one sampling', [{ ...top, iterations: [message] }], { inputUncached: 23_000, output: 1_000 }],
  [
    'a summary before it',
    [{ ...top, iterations: [compaction, message] }],
    { inputUncached: 203_000, output: 4_500, cacheRead: 40 },
  ],
  [
    'samplings that the top level lacks',
    [{ input_tokens: 5, iterations: [message, message] }],
    { inputUncached: 46_000 },
  ],
  [
    'the same iterations told twice',
    [
      { ...top, iterations: [compaction] },
      { ...top, iterations: [compaction, message] },
    ],
    { inputUncached: 203_000 },
  ],
  [
    'writes of a summary by lifetime',
    [
      {
        ...top,
        iterations: [
          {
            type: 'compaction',
            cache_creation_input_tokens: 9,
            cache_creation: { ephemeral_1h_input_tokens: 9 },
          },
        ],
      },
    ],
    { cacheWrite5m: 0, cacheWrite1h: 9 },
  ],
  [
    'an advisor’s tokens',
    [{ ...top, iterations: [message, { type: 'advisor_message', model: 'dear', input_tokens: 9 }] }],
    { inputUncached: 23_000, unknown: ['iterations.advisor_message'] },
  ],
  [
    'a fallback’s tokens',
    [{ ...top, iterations: [{ type: 'fallback_message', input_tokens: 9 }] }],
    { unknown: ['iterations.fallback_message'] },
  ],
  [
    'iterations that are none',
    [{ ...top, iterations: [7, { type: 'toString' }] }],
    { unknown: ['iterations', 'iterations.toString'] },
  ],
  ['no list of iterations', [{ ...top, iterations: null }], { inputUncached: 23_000, unknown: [] }],
  [
    'legacy writes without a split',
    [{ cache_creation_input_tokens: 30 }],
    { cacheWrite5m: 30, cacheWrite1h: 0 },
  ],
  [
    'a split that exceeds the sum',
    [
      {
        cache_creation_input_tokens: 1,
        cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 },
      },
    ],
    { cacheWrite5m: 4, cacheWrite1h: 5 },
  ],
  [
    'a rest between both',
    [
      {
        cache_creation_input_tokens: 10,
        cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 },
      },
    ],
    { cacheWrite5m: 5, cacheWrite1h: 5 },
  ],
  [
    'thinking',
    [{ output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } }],
    { output: 9, reasoning: 4 },
  ],
  [
    'more thinking than output',
    [{ output_tokens: 9, output_tokens_details: { thinking_tokens: 14 } }],
    { reasoning: 9, unknown: ['output_tokens_details.thinking_tokens'] },
  ],
  [
    'tools',
    [{ server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 } }],
    { fees: { web_search: 2, web_fetch: 1 } },
  ],
  ['a search among tools', [{ server_tool_use: { tool_search_requests: 2 } }], { fees: { tool_search: 2 } }],
  [
    'an unknown tool',
    [{ server_tool_use: { telepathy_requests: 2 } }],
    { fees: {}, unknown: ['server_tool_use.telepathy_requests'] },
  ],
  [
    'broken numbers',
    [{ input_tokens: -1, output_tokens: '9', cache_read_input_tokens: 1e12 }],
    {
      inputUncached: 0,
      output: 0,
      cacheRead: 0,
      unknown: ['output_tokens', 'input_tokens', 'cache_read_input_tokens'],
    },
  ],
  [
    'a credit',
    [{ ...top, fallback_credit: { status: { type: 'redeemed' } } }],
    { unknown: ['fallback_credit'] },
  ],
  [
    'defaults',
    [{ service_tier: 'standard', speed: 'standard', inference_geo: 'not_available' }],
    { ranAt: [], unknown: [] },
  ],
  [
    'other places',
    [{ service_tier: 'batch', speed: 'fast', inference_geo: 'us' }],
    { ranAt: ['service_tier:batch', 'speed:fast', 'inference_geo:us'] },
  ],
]

test('reports become disjoint classes', () => {
  for (const [name, reports, expected] of cases) {
    const { unknown, ...rest } = expected
    const usage = usageOf(...reports)
    assert.partialDeepStrictEqual(usage, rest, name)
    if (unknown !== undefined) assert.deepEqual([...usage.unknown].sort(), [...unknown].sort(), name)
  }
})

test('whatever is reported, classes are whole and never negative', () => {
  const number = fc.oneof(
    fc.integer({ min: -10, max: 2_000 }),
    fc.double(),
    fc.constantFrom(null, '5', [], 1e300),
  )
  const names = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']
  const counted = fc.record(Object.fromEntries(names.map((name) => [name, number])), { requiredKeys: [] })
  const iteration = fc
    .tuple(counted, fc.constantFrom('message', 'compaction', 'other', 7))
    .map(([fields, type]) => ({ ...fields, type }))
  fc.assert(
    fc.property(counted, fc.array(iteration, { maxLength: 3 }), counted, (first, iterations, last) => {
      const { fees, ranAt, unknown, ...classes } = usageOf(first, { ...last, iterations })
      for (const [name, tokens] of Object.entries(classes)) {
        assert.ok(Number.isSafeInteger(tokens) && tokens >= 0, `${name} ${tokens}`)
      }
      assert.ok(classes.reasoning <= classes.output)
    }),
    { numRuns: 3_000 },
  )
})

test('the placeholder output count in message_start is not reported as output', () => {
  const draft = messagesReport()
  readOpeningUsage(draft, { input_tokens: 5, output_tokens: 1 })
  assert.deepEqual(reportedTotals(draft.rawUsage()), { input: true, output: false })
  readUsage(draft, { output_tokens: 0 })
  assert.deepEqual(reportedTotals(draft.rawUsage()), { input: true, output: true })
  readUsage(draft, { output_tokens: -4 })
  assert.deepEqual(reportedTotals(draft.rawUsage()), { input: true, output: false })
})
