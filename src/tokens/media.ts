/**
 * Estimated tokens of images, sound and documents: by their size where it can be read from the
 * bytes, else a usual value. The connectors bound their cost, not this file.
 */
import type { MediaPart } from '../wire/translation/neutral.ts'
import type { PictureRule, Weights } from './weights-table.ts'

/** Tokens of one part; its text, where it has one, is counted as text. */
export function mediaTokens({ medium, source }: MediaPart, { picture }: Weights): number {
  if (source.kind === 'text') return 0
  if (medium === 'image') {
    const size = source.kind === 'base64' ? pictureSize(source.data) : undefined
    return pictureTokens(size ?? usualPicture, picture)
  }
  const bytes = source.kind === 'base64' ? (source.data.length * 3) / 4 : usualBytes
  return Math.ceil(bytes / (medium === 'audio' ? soundBytesPerToken : documentBytesPerToken))
}

/** Assumed size of an image given by URL; such images in recordings are reported as 283 to 655 tokens. */
const usualPicture: PictureSize = { width: 640, height: 480 }
const usualBytes = 150_000
/** About 10 tokens a second at 32 kbit/s. */
const soundBytesPerToken = 400
/** A recorded PDF of one page and 13 KB is reported as 219 tokens. */
const documentBytesPerToken = 60

/**
 * Sources: platform.claude.com/docs/en/build-with-claude/vision; platform.openai.com/docs/guides/images-vision
 * (calculating costs); ai.google.dev/gemini-api/docs/image-understanding and /media-resolution.
 */
function pictureTokens(size: PictureSize, rule: PictureRule): number {
  switch (rule.kind) {
    case 'area': {
      const { width, height } = shrunk(size, rule.sideMax / Math.max(size.width, size.height))
      return Math.min(rule.tokensMax, Math.ceil((width * height) / 750))
    }
    case 'tiles': {
      const whole = shrunk(size, 2_048 / Math.max(size.width, size.height))
      const { width, height } = shrunk(whole, 768 / Math.min(whole.width, whole.height))
      return 85 + 170 * Math.ceil(width / 512) * Math.ceil(height / 512)
    }
    case 'patches': {
      const patches = Math.ceil(size.width / 32) * Math.ceil(size.height / 32)
      return Math.ceil(Math.min(1_536, patches) * rule.factor)
    }
    case 'squares': {
      if (size.width <= 384 && size.height <= 384) return 258
      const side = Math.min(768, Math.max(256, Math.floor(Math.min(size.width, size.height) / 1.5)))
      return 258 * (1 + Math.min(24, Math.ceil(size.width / side) * Math.ceil(size.height / side)))
    }
    case 'flat':
      return rule.tokens
  }
}

/** Smaller by `factor`, never larger. */
function shrunk({ width, height }: PictureSize, factor: number): PictureSize {
  const by = Math.min(1, factor)
  return { width: width * by, height: height * by }
}

export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** How far to search for the size of a JPEG: it follows the camera's metadata. */
const headCharactersMax = 256 * 1024

/**
 * The size of an image, from the first bytes of its file: PNG, JPEG, GIF and WebP. It decodes no image. Undefined: another format,
 * or no size where it should be.
 */
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
