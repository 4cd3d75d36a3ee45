/**
 * Decompresses responses of upstreams that compress although `identity` was requested. The output is read chunk by chunk, so that
 * whoever reads it can stop at a limit, and a small response that decompresses to a large one fills no memory.
 */
import type { Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'

/** Write the body to it and end it; pausable, and destroyed to stop. */
export type ContentDecoder = Transform

/** The largest window that RFC 9659 allows for this encoding: 8 MiB. */
const zstd = { params: { [constants.ZSTD_d_windowLogMax]: 23 } }

const decoders: ReadonlyMap<string, () => ContentDecoder> = new Map([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress(zstd)],
])

/** undefined: an encoding that is not known, or several. */
export function contentDecoder(encoding: string): ContentDecoder | undefined {
  return decoders.get(encoding.toLowerCase())?.()
}
