/**
 * The maximum cost of media by their size, where no formula of the provider bounds them: coarse, free, and a bound for what
 * ordinary programs write. A file that exceeds it on purpose is written off on its sender's account, see docs/decisions/0035. Pure.
 */
import type { Media } from '../wire/format.ts'
import { mediaLength } from '../wire/media.ts'

/** Limits of a document's pages: maximum tokens of a page, its image and its text, and maximum number of pages. */
export interface PageFacts {
  readonly tokensMax: number
  /** More pages are rejected by the provider. */
  readonly pagesMax: number
}

/** Even a page of one line has its own objects, fonts and an entry in the table of objects. */
const pageBytesMin = 1_000
/** Text in it is packed to about a quarter, and has about four bytes a token. */
const textTokensPerByte = 1
/** Office files are compressed text plus data that no model reads. */
const packedTokensPerByte = 3

/** null: its length is unknown, because it is behind a URL. */
export function tokensBySize(media: Media, page: PageFacts): number | null {
  const bytes = media.span === null ? media.bytes : Math.ceil((mediaLength(media) * 3) / 4)
  if (bytes === undefined) return null
  if (media.kind !== 'document' || isText.test(media.mediaType)) return bytes
  if (!isPdf(media)) return bytes * packedTokensPerByte
  const pages = Math.min(Math.ceil(bytes / pageBytesMin), page.pagesMax)
  return pages * page.tokensMax + bytes * textTokensPerByte
}

/**
 * Whether a file can contain more than its size suggests. Text has at most one token per byte, and images have formulas; other files
 * can be compressed, or sampled so slowly that a few bytes last long.
 */
export function canExceedItsSize({ kind, mediaType, span }: Media): boolean {
  if (kind === 'image') return false
  return kind !== 'document' || span === null || !isText.test(mediaType)
}

const isText = /^(?:text\/.*|application\/(?:json|xml|.*\+(?:json|xml)))$/

/** Also a document of a type that is not given: most are. */
export function isPdf({ kind, mediaType }: Media): boolean {
  return kind === 'document' && (mediaType === '' || mediaType === 'application/pdf')
}
