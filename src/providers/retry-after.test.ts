/** Wait times as upstreams report them, valid and invalid. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { retryAfter, waitInWords } from './retry-after.ts'

const date = 'Fri, 20 Nov 2026 10:00:00 GMT'

const cases: readonly (readonly [Readonly<Record<string, string>>, number | null])[] = [
  [{}, null],
  [{ 'retry-after': '16' }, 16_000],
  [{ 'retry-after': '1.5' }, 1_500],
  [{ 'retry-after': '0' }, null],
  [{ 'retry-after': '-1' }, null],
  [{ 'retry-after': '1000000000' }, 300_000],
  [{ 'retry-after': '9'.repeat(400) }, null],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': 'NaN' }, null],
  [{ 'retry-after': 'Infinity' }, null],
  [{ 'retry-after': '0x10' }, null],
  [{ 'retry-after': '1e9' }, null],
  [{ 'retry-after-ms': '250', 'retry-after': '16' }, 250],
  [{ 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT', date }, 30_000],
  [{ 'retry-after': 'Fri, 20 Nov 2026 09:00:00 GMT', date }, null],
  [{ 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT' }, null],
  [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1m2.5s' }, 62_500],
  [{ 'x-ratelimit-remaining-requests': '7', 'x-ratelimit-reset-requests': '1m2s' }, null],
  [
    {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '20ms',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '6s',
    },
    6_000,
  ],
  [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1h' }, 300_000],
  [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': 'never' }, null],
  [
    {
      'anthropic-ratelimit-tokens-remaining': '0',
      'anthropic-ratelimit-tokens-reset': '2026-11-20T10:00:12Z',
      date,
    },
    12_000,
  ],
  [
    {
      'anthropic-ratelimit-tokens-remaining': '0',
      'anthropic-ratelimit-tokens-reset': '2026-11-20T10:00:12Z',
    },
    null,
  ],
]

for (const [headers, expect] of cases) {
  test(`${JSON.stringify(headers).slice(0, 120)} → ${expect}`, () => {
    assert.equal(retryAfter(new Map(Object.entries(headers))), expect)
  })
}

const sentences: readonly (readonly [string, number | null])[] = [
  [
    'Rate limit reached for gpt-5 in organization x on tokens per min: Limit 1. Please try again in 17s. Visit',
    17_000,
  ],
  ['Please try again in 1.898s.', 1_898],
  ['Please try again in 20ms. Visit', 20],
  ['Please try again in 6m0s.', 360_000],
  ['Please retry in 48.5s.', 48_500],
  ['Please retry after 17 seconds.', 17_000],
  ['Try again in 2 minutes', 120_000],
  ['try again in 1 hour 2 min', 3_720_000],
  ['Please try again in 17 songs', null],
  ['Please try again later', null],
  ['try again in -5s', null],
]

for (const [sentence, expect] of sentences) {
  test(`a wait in words: ${sentence.slice(-30)} → ${expect}`, () =>
    assert.equal(waitInWords(sentence), expect))
}

test('whatever the headers say, the wait is absent or between 0 and its cap', () => {
  const names = [
    'retry-after',
    'retry-after-ms',
    'date',
    'x-ratelimit-remaining-tokens',
    'x-ratelimit-reset-tokens',
    'anthropic-ratelimit-requests-remaining',
    'anthropic-ratelimit-requests-reset',
  ]
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom('0', '-1', date, '2026-11-20T10:00:12Z', '99h', '1ms', '1e400'),
    fc.double().map(String),
    fc.integer().map(String),
  )
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), value), (headers) => {
      const wait = retryAfter(new Map(Object.entries(headers)))
      assert.ok(wait === null || (wait > 0 && wait <= 300_000 && Number.isInteger(wait)), String(wait))
    }),
    { numRuns: 2_000 },
  )
})
