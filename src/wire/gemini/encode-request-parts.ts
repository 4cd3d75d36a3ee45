/**
 * Single parts of a conversation as parts of Gemini contents. Media are passed on unchanged, never
 * fetched. Throws WireError `untranslatable` naming the part that the model does not accept.
 */

import { isRecord, parsed } from '../json/parsed.ts'
import { type JsonOut, RawJson } from '../json/text.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type { MediaPart } from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'

/** https://ai.google.dev/gemini-api/docs/image-understanding#supported-formats */
const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif']
/** https://ai.google.dev/gemini-api/docs/document-processing#document-types */
const documentTypes = /^(application\/pdf|text\/)/
const otherNames: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'application/x-pdf': 'application/pdf',
}
const typesByEnding: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  wav: 'audio/wav',
  mp3: 'audio/mp3',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  aac: 'audio/aac',
  pdf: 'application/pdf',
  txt: 'text/plain',
}

/** The medium as a part: its bytes, its address, or the text that it is. */
export function mediaPart(part: MediaPart, capabilities: Capabilities): JsonOut {
  const { source, medium, title, pointer } = part
  if (source.kind === 'text') {
    return { text: title === null ? source.text : `${title}\n\n${source.text}` }
  }
  if (!capabilities.inputs.includes(medium))
    throw untranslatable(pointer, `the model does not support ${medium}`)
  const mimeType = mediaTypeOf(part)
  if (source.kind === 'base64') return { inlineData: { mimeType, data: source.data } }
  return { fileData: mimeType === undefined ? { fileUri: source.url } : { mimeType, fileUri: source.url } }
}

/** Google's name of the type; undefined if unknown. */
function mediaTypeOf({ source, medium, pointer }: MediaPart): string | undefined {
  const written = source.kind === 'text' ? null : source.mediaType
  const mediaType = (written ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const type =
    mediaType === '' && source.kind === 'url'
      ? typeByEnding(source.url)
      : (otherNames[mediaType] ?? mediaType)
  if (type === undefined) return undefined
  const isKnown =
    medium === 'audio'
      ? type.startsWith('audio/')
      : medium === 'image'
        ? imageTypes.includes(type)
        : documentTypes.test(type)
  if (!isKnown) throw untranslatable(pointer, `media type '${type}' is not supported`)
  return type
}

function typeByEnding(url: string): string | undefined {
  const ending = /\.([a-z0-9]{1,5})(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase()
  return ending !== undefined && Object.hasOwn(typesByEnding, ending) ? typesByEnding[ending] : undefined
}

/** The input of a call as the object that the format demands; what a limit cut stays readable in `_raw`. */
export function argsOf(input: string, form: 'json' | 'text'): JsonOut {
  if (form === 'text') return { input }
  // Some languages write an empty object as an empty list.
  if (input.trim() === '' || /^\s*\[\s*\]\s*$/.test(input)) return {}
  return isRecord(parsed(input)) ? new RawJson(input) : { _raw: input }
}
