/**
 * The size of an image, from the first bytes of its file: PNG, JPEG, GIF and WebP. It decodes no image
 * and uses the numbers only for estimates.
 */

export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** How far to search for the size of a JPEG: it follows the camera's metadata. */
const headCharactersMax = 256 * 1024

/** undefined: another format, or no size where it should be. */
export function pictureSize(base64: string): PictureSize | undefined {
  const bytes = Buffer.from(base64.slice(0, headCharactersMax), 'base64')
  const size = readers.map((read) => read(bytes)).find((found) => found !== undefined)
  return size === undefined || size.width === 0 || size.height === 0 ? undefined : size
}

type PictureReader = (bytes: Buffer) => PictureSize | undefined

const readers: readonly PictureReader[] = [pngSize, jpegSize, gifSize, webpSize]

function pngSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 1, 4) !== 'PNG') return undefined
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function gifSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 3) !== 'GIF') return undefined
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

/** Walks the segments to the start-of-frame segment, which has the size. */
function jpegSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] ?? 0
    if (isFrame(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    at += 2 + Math.max(2, bytes.readUInt16BE(at + 2))
  }
  return undefined
}

/** C0 to CF, without the three that are tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

/** Three layouts: lossy, lossless, extended. */
function webpSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 8, 12) !== 'WEBP') return undefined
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}
