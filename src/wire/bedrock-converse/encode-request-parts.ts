/**
 * Media as blocks of Converse: bytes in base64, since it fetches nothing. Throws WireError naming what the model does not
 * accept. API_runtime_ImageBlock, API_runtime_DocumentBlock, 2026-11.
 */
import type { JsonOut } from '../json/text.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type { MediaPart } from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'

const imageFormats: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

const documentFormats: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
}

const encoder = new TextEncoder()

/** `place` keeps the names of a message's documents apart; names of the caller's could hold instructions, so they are not sent. */
export function mediaBlock(part: MediaPart, { inputs }: Capabilities, place: number): JsonOut {
  const { medium, source, pointer } = part
  if (medium === 'audio' || !inputs.includes(medium)) {
    throw untranslatable(pointer, `the model does not support ${medium}`)
  }
  if (source.kind === 'url') throw untranslatable(pointer, 'media must be sent in base64')
  const mediaType = source.kind === 'text' ? 'text/plain' : source.mediaType
  const formats = medium === 'image' ? imageFormats : documentFormats
  const format = Object.hasOwn(formats, mediaType) ? formats[mediaType] : undefined
  if (format === undefined) throw untranslatable(pointer, `media type '${mediaType}' is not supported`)
  const bytes = source.kind === 'text' ? base64(source.text) : source.data
  return medium === 'image'
    ? { image: { format, source: { bytes } } }
    : { document: { format, name: `document-${place + 1}`, source: { bytes } } }
}

function base64(text: string): string {
  let binary = ''
  for (const byte of encoder.encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary)
}
