/** The soak prints what it measured: slopes, ranks, metrics and slices. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metricIn, type Outcome, rank, readProcess, type Sample, slopePerHour, table } from './samples.ts'

const minuteMs = 60_000
const sample = (minute: number, residentBytes: number): Sample => ({
  atMs: minute * minuteMs,
  residentBytes,
  heapUsedBytes: 0,
  openFiles: 7,
  activeHandles: 3,
  loopDelayP99Ms: minute,
  loopDelayMaxMs: 2 * minute,
})

test('a slope is the change per hour, and 0 where nothing changes or nothing is known', () => {
  const grown = [0, 1, 2, 3].map((minute) => sample(minute, 1_000 + 10 * minute))
  assert.equal(Math.round(slopePerHour(grown, ({ residentBytes }) => residentBytes)), 600)
  assert.equal(
    slopePerHour([sample(1, 5)], ({ residentBytes }) => residentBytes),
    0,
  )
  assert.equal(
    slopePerHour([], ({ residentBytes }) => residentBytes),
    0,
  )
})

test('a rank is one of the numbers', () => {
  assert.deepEqual([rank([3, 1, 2], 0.5), rank([3, 1, 2], 0.99), rank([], 0.5)], [2, 3, 0])
})

test('a metric is found by its full name', () => {
  const text = '# HELP a_total x\na_total_more 9\na_total 2.5\n'
  assert.deepEqual([metricIn(text, 'a_total'), metricIn(text, 'a')], [2.5, 0])
})

test('each slice has the requests and samples of its time range', () => {
  const outcomes: Outcome[] = [
    { atMs: 0, tookMs: 5, wrong: undefined },
    { atMs: 9 * minuteMs, tookMs: 7, wrong: '503' },
    { atMs: 11 * minuteMs, tookMs: 9, wrong: undefined },
  ]
  const samples = [sample(1, 0), sample(9, 0), sample(12, 0)]
  const [, , first, second] = table(samples, outcomes, 10 * minuteMs).split('\n')
  assert.match(first ?? '', /^\| 0 to 10 \| 2 \| 1 \| 5\.0 \| 7\.0 \|/)
  assert.match(second ?? '', /^\| 10 to 12 \| 1 \| 0 \| 9\.0 \|/)
})

test('this process has memory and open files', () => {
  const { residentBytes, openFiles } = readProcess(process.pid)
  assert.ok(residentBytes > 1e6 && openFiles > 2)
})
