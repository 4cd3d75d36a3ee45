/**
 * The positions of media bytes in a body, and the type that the caller claims.
 * Must not decode them: their size and type are all that is known here.
 */
import type { Media, MediaKind } from './format.ts'
import type { Span } from './json/byte-patch.ts'
import type { Json } from './json/json.ts'
import type { MediaPart, MediaSource } from './translation/neutral.ts'

/** Bytes searched for the head of a data URL. */
const headBytesMax = 256
const comma = 0x2c

/** Media whose base64 text is the content of a string. */
export function embedded(json: Json, value: number, kind: MediaKind, mediaType: string): Media {
  return { kind, span: contentOf(json, value), mediaType: mediaType.toLowerCase() }
}

/** Media behind an address, or inside it where the address is a data URL. */
export function addressed(json: Json, value: number, kind: MediaKind): Media {
  const content = contentOf(json, value)
  const head = dataUrlHead(json, value, content)
  if (head === null) return { kind, span: null, mediaType: '' }
  return { kind, span: { start: head.end, end: content.end }, mediaType: head.mediaType }
}

/** Reads a member that holds a data URL from some clients and plain base64 from others. */
export function embeddedOrDataUrl(json: Json, value: number, kind: MediaKind): Media {
  const media = addressed(json, value, kind)
  return media.span === null ? embedded(json, value, kind, '') : media
}

/** Bytes of a body that are media; 0 behind an address. */
export function mediaLength({ span }: Media): number {
  return span === null ? 0 : span.end - span.start
}

/** Video has sound; a document of a known type has none, of any other type it is unknown. */
export function canHoldAudio({ kind, mediaType }: Media): boolean {
  return kind === 'audio' || kind === 'video' || (kind === 'document' && !silentTypes.test(mediaType))
}

const silentTypes = /^(?:application\/(?:pdf|json|xml|msword|rtf|vnd\..*)|text\/.*)$/

function contentOf(json: Json, value: number): Span {
  return { start: json.start(value) + 1, end: json.end(value) - 1 }
}

/** `data:image/png;base64,` as far as its comma; null for any other address. */
function dataUrlHead(
  json: Json,
  value: number,
  content: Span,
): { readonly end: number; readonly mediaType: string } | null {
  const lookedThrough = Math.min(content.end, content.start + headBytesMax)
  let end = content.start
  while (end < lookedThrough && json.byte(end) !== comma) end += 1
  if (end === lookedThrough) return null
  const written = json.written({ start: content.start, end })
  // Some clients escape every slash; a comma is never part of an escape.
  const head = json.isEscaped(value) ? (JSON.parse(`"${written}"`) as string) : written
  const mediaType = /^\s*data:([^;]*)/i.exec(head)?.[1]
  return mediaType === undefined ? null : { end: end + 1, mediaType: mediaType.trim().toLowerCase() }
}

/** The medium of an image part; some clients send documents and audio in one. */
export function mediumOfImage(source: MediaSource): MediaPart['medium'] {
  const mediaType = source.kind === 'base64' ? source.mediaType : source.kind === 'text' ? 'text/plain' : ''
  if (mediaType === 'application/pdf' || mediaType.startsWith('text/')) return 'document'
  return mediaType.startsWith('audio/') ? 'audio' : 'image'
}
