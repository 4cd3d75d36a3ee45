/**
 * Durations counted in buckets that grow by a quarter of an octave, so that the counts of any number of rows can be
 * added and their quantiles are right within 10 % or 1 ms. Pure; the stored form never changes its meaning.
 */

const perOctave = 4
/** The last bucket takes everything above 3.9 hours, which no request reaches. */
export const bucketsMax = 96

/** The longest duration of each bucket, in whole milliseconds. */
const upper: readonly number[] = Array.from({ length: bucketsMax }, (_, index) =>
  Math.floor(2 ** (index / perOctave)),
)

/** Counts by bucket; what lies beyond the end of the array is 0. */
export type Histogram = number[]

/** The first bucket whose longest duration is no shorter; halves of a range of 96. */
export function bucketOf(ms: number): number {
  let [low, high] = [0, bucketsMax - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((upper[middle] ?? 0) >= ms) high = middle
    else low = middle + 1
  }
  return low
}

export function count(histogram: Histogram, bucket: number, times = 1): void {
  while (histogram.length <= bucket) histogram.push(0)
  histogram[bucket] = (histogram[bucket] ?? 0) + times
}

/** Adds the counts of `other`. */
export function addCounts(histogram: Histogram, other: readonly number[]): void {
  for (const [bucket, times] of other.entries()) if (times > 0) count(histogram, bucket, times)
}

/**
 * The duration in milliseconds that a `share` of all does not exceed, by nearest rank: the geometric middle of its
 * bucket; null when nothing was counted.
 */
export function quantile(histogram: readonly number[], share: number): number | null {
  const total = histogram.reduce((sum, times) => sum + times, 0)
  if (total === 0) return null
  const rank = Math.max(1, Math.ceil(share * total))
  let seen = 0
  const bucket = histogram.findIndex((times) => {
    seen += times
    return seen >= rank
  })
  const longest = upper[bucket] ?? 0
  const shortest = (upper[bucket - 1] ?? 0) + (bucket === 0 ? 0 : 1)
  return Math.round(Math.sqrt(Math.max(1, shortest) * longest))
}

/** Bytes for any histogram: for each bucket its index, and a count below 2^49. */
const bytesMax = bucketsMax * 8

export const newScratch = (): Uint8Array => new Uint8Array(bytesMax)

/**
 * For each nonempty bucket: its index, then its count in groups of seven bits, the lowest first. The bytes are
 * in `scratch` and are valid until it is used again.
 */
export function toBytes(histogram: readonly number[], scratch: Uint8Array = newScratch()): Uint8Array {
  let end = 0
  for (let bucket = 0; bucket < histogram.length; bucket += 1) {
    let left = histogram[bucket] ?? 0
    if (left === 0) continue
    scratch[end++] = bucket
    for (; left > 127; left = Math.floor(left / 128)) scratch[end++] = (left % 128) | 128
    scratch[end++] = left
  }
  return scratch.subarray(0, end)
}

/** Adds what `toBytes` wrote. */
export function addBytes(histogram: Histogram, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const bucket = bytes[at] ?? 0
    let times = 0
    let weight = 1
    for (at += 1; ; at += 1, weight *= 128) {
      const byte = bytes[at] ?? 0
      times += (byte & 127) * weight
      if (byte < 128) break
    }
    at += 1
    count(histogram, bucket, times)
  }
}
