/** Wait times as upstreams report them, valid and invalid. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { retryAfter } from './retry-after.ts'

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
