/** Numbers and times as people read them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bytes,
  count,
  day,
  duration,
  exactTime,
  listTime,
  month,
  percent,
  relative,
  shortCount,
} from './format.ts'

const nowMs = Date.parse('2026-11-21T12:00:00Z')

const cases: readonly (readonly [made: string, expected: string])[] = [
  [count(12_304), '12,304'],
  [shortCount(12_304), '12.3K'],
  [percent(0), '0%'],
  [percent(0.0123), '1.2%'],
  [percent(0.5), '50%'],
  [duration(840), '840 ms'],
  [duration(1_234), '1.23 s'],
  [duration(12_304), '12.3 s'],
  [duration(125_000), '2m 5s'],
  [duration(7_260_000), '2h 1m'],
  [bytes(512), '512 B'],
  [bytes(98_765_432), '94.2 MiB'],
  [relative('2026-11-21T11:59:40Z', nowMs), 'just now'],
  [relative('2026-11-21T10:00:00Z', nowMs), '2 hours ago'],
  [relative('2026-11-24T12:00:00Z', nowMs), 'in 3 days'],
  [listTime('2026-11-21T00:00:09Z', nowMs), '00:00:09'],
  [listTime('2026-11-20T23:59:09Z', nowMs), 'Nov 20, 23:59'],
  [listTime('2025-11-21T12:00:00Z', nowMs), 'Nov 21, 2025, 12:00:00'],
  [exactTime('2026-11-05T23:59:59.999Z'), 'Nov 5, 2026, 23:59:59 UTC'],
  [day('2026-11-05T23:59:59Z'), 'Nov 5, 2026'],
  [month('2026-11-01T00:00:00Z'), 'November 2026'],
]

for (const [made, expected] of cases) test(expected, () => assert.equal(made, expected))
