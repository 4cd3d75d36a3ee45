/** Histograms of durations: stored and added without loss, and quantiles as close as they promise. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addBytes, addCounts, bucketOf, bucketsMax, type Histogram, toBytes } from './histogram.ts'

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

/** Stored rows must be read with the bounds that they were written with. */
test('the buckets are where they always were', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 10, 100, 1_000, 60_000, 3_600_000, 10 ** 9].map(bucketOf),
    [0, 0, 4, 7, 8, 14, 27, 40, 64, 88, 95],
  )
})
