/** Histograms of durations: stored and added without loss, and quantiles as close as they promise. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  addBytes,
  addCounts,
  bucketOf,
  bucketsMax,
  count,
  type Histogram,
  quantile,
  toBytes,
} from './histogram.ts'

const durations = fc.array(
  fc.oneof(
    fc.integer({ min: 0, max: 20 }),
    fc.integer({ min: 0, max: 5_000 }),
    fc.integer({ min: 0, max: 3_600_000 }),
  ),
  { minLength: 1, maxLength: 300 },
)

function histogramOf(values: readonly number[]): Histogram {
  const histogram: Histogram = []
  for (const ms of values) count(histogram, bucketOf(ms))
  return histogram
}

test('a quantile of any sum of rows is within 10 % or 1 ms of the exact one', () => {
  fc.assert(
    fc.property(
      fc.array(durations, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(0.01, 0.5, 0.95, 1),
      (rows, share) => {
        const sum: Histogram = []
        for (const row of rows) addBytes(sum, toBytes(histogramOf(row)))
        const sorted = rows.flat().sort((a, b) => a - b)
        const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0
        const estimate = quantile(sum, share)
        assert.ok(
          estimate !== null && Math.abs(estimate - exact) <= Math.max(1, exact / 10),
          `${estimate} for ${exact}`,
        )
      },
    ),
  )
})

test('what is stored is what was counted, and sums are sums', () => {
  const counts = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 ** 40 })), {
    maxLength: bucketsMax,
  })
  fc.assert(
    fc.property(counts, counts, (first, second) => {
      const sum: Histogram = []
      addBytes(sum, toBytes(first))
      addCounts(sum, second)
      for (let bucket = 0; bucket < bucketsMax; bucket += 1)
        assert.equal(sum[bucket] ?? 0, (first[bucket] ?? 0) + (second[bucket] ?? 0))
    }),
  )
})

test('without anything counted there is no quantile', () => {
  assert.equal(quantile([], 0.5), null)
  assert.equal(quantile([0, 0], 0.5), null)
  assert.deepEqual([...toBytes([0, 0])], [])
})

/** Stored rows must be read with the bounds that they were written with. */
test('the buckets are where they always were', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 10, 100, 1_000, 60_000, 3_600_000, 10 ** 9].map(bucketOf),
    [0, 0, 4, 7, 8, 14, 27, 40, 64, 88, 95],
  )
})
