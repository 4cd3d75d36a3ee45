/** A short deterministic fingerprint of a text, for names and IDs that are derived from longer ones. Not for secrets. */

const seeds = [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35] as const

/** 24 letters and digits; two texts that anybody meets do not share one. */
export function textHash(text: string): string {
  return seeds.map((seed) => lane(text, seed)).join('')
}

/** The first eight of them, at a third of the cost: enough among the few texts of one request. */
export function shortHash(text: string): string {
  return lane(text, seeds[0])
}

/** 53 bits of cyrb53: github.com/bryc/code/blob/master/jshash/experimental/cyrb53.js (public domain). */
function lane(text: string, seed: number): string {
  let high = 0xdeadbeef ^ seed
  let low = 0x41c6ce57 ^ seed
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  const number = 4294967296 * (2097151 & low) + (high >>> 0)
  return number.toString(36).padStart(11, '0').slice(-8)
}
