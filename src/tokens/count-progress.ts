/** How far a count has got, in memory that two threads share: written by the one that counts, read by the one that waits. */

const tokensAt = 0
const restAt = 1

/** Of a text of so many bytes, nothing counted yet. */
export function newProgress(bytes: number): Int32Array {
  const progress = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  progress[restAt] = bytes
  return progress
}

/** `tokens` in all until now, and the bytes that are not counted yet. */
export function noteProgress(progress: Int32Array, tokens: number, restBytes: number): void {
  // In this order: whoever reads between the two finds too many tokens, never too few.
  Atomics.store(progress, tokensAt, tokens)
  Atomics.store(progress, restAt, restBytes)
}

/** The tokens counted so far and one for each byte that is left: a token is a byte at least. */
export function boundedTokens(progress: Int32Array): number {
  const rest = Atomics.load(progress, restAt)
  return rest + Atomics.load(progress, tokensAt)
}
