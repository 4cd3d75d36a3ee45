/**
 * Estimated tokens of images, sound and documents: by their size where it can be read from the
 * bytes, else a usual value. The connectors bound their cost, not this file.
 */
import type { MediaPart } from '../wire/translation/neutral.ts'
import { type PictureSize, pictureSize } from './picture-size.ts'
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

/** Of what lies behind an address; recorded pictures there are reported as 283 to 655 tokens. */
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
