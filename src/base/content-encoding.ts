/** The encodings of HTTP bodies that can be decompressed. */
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

/** The value of `accept-encoding` that names them. */
export const acceptedEncodings = 'zstd, gzip, br, deflate'

/**
 * Makes decoders, which decompress off the calling thread, chunk by chunk, so that whoever reads the output can stop at a limit, and a small body
 * that decompresses to a large one fills no memory. Undefined: an encoding that is not known, or several.
 */
export function findDecoder(encoding: string): (() => ContentDecoder) | undefined {
  return decoders.get(encoding.trim().toLowerCase())
}
