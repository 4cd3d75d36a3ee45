/** Progress of a count in memory shared by two threads: written by the counting one, read by the waiting one. */

const tokensAt = 0
const restAt = 1

/** Creates the progress of a text of this many bytes, nothing counted yet. */
export function newProgress(bytes: number): Int32Array {
  const progress = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  progress[restAt] = bytes
  return progress
}

/** `tokens` in all until now, and the bytes that are not counted yet. */
export function noteProgress(progress: Int32Array, tokens: number, restBytes: number): void {
  // In this order, a read between the two stores sees too many tokens, never too few.
  Atomics.store(progress, tokensAt, tokens)
  Atomics.store(progress, restAt, restBytes)
}

/** The tokens counted so far plus one for each remaining byte: a token is at least one byte. */
export function boundedTokens(progress: Int32Array): number {
  const rest = Atomics.load(progress, restAt)
  return rest + Atomics.load(progress, tokensAt)
}
