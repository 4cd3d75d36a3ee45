/**
 * The parts of a chat message's content → neutral parts: those of the format itself, and those of Messages
 * and Responses, which some clients send. Media are referenced, never fetched or checked.
 */
import { WireError } from '../format.ts'
import type { View } from '../json/view.ts'
import { mediumOfImage } from '../media.ts'
import type {
  CacheLifetime,
  ConversationPart,
  EncryptedReasoning,
  MediaPart,
  MediaSource,
  RequestField,
  TextPart,
  ThinkingPart,
} from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { readId, readTag } from '../translation/reasoning-carriers.ts'
import { encryptedForms } from './encrypted-reasoning.ts'

/** Where fields with a row in the policy table are noted. */
export type ChatFieldList = RequestField[]

type ReadPart = (part: View, fields: ChatFieldList) => readonly ConversationPart[]

const readers: ReadonlyMap<string, ReadPart> = new Map<string, ReadPart>([
  ['text', textPart],
  ['input_text', textPart],
  ['output_text', textPart],
  ['refusal', refusalPart],
  ['image_url', imagePart],
  ['input_image', imagePart],
  ['input_audio', audioPart],
  ['audio_url', (part, fields) => addressPart(part, 'audio', fields)],
  ['document_url', (part, fields) => addressPart(part, 'document', fields)],
  ['file', (part, fields) => filePart(part.get('file') ?? part, part, fields)],
  ['input_file', (part, fields) => filePart(part, part, fields)],
  ['image', (part, fields) => sourcePart(part, 'image', fields)],
  ['document', (part, fields) => sourcePart(part, 'document', fields)],
  ['search_result', searchPart],
  ['thinking', thinkingPart],
  ['redacted_thinking', redactedPart],
  ['tool_use', callPart],
  ['tool_result', resultPart],
])

/** Messages blocks that report tools run by the provider. */
const providerBlock = /_(tool_use|tool_result)$/

/** Content that is a string, parts, or one part. Empty text says nothing and is left out. */
export function readContent(content: View | undefined, fields: ChatFieldList): readonly ConversationPart[] {
  if (content === undefined) return []
  if (content.isText) return textOf(content.text(), null)
  if (content.kind === 'object') return readPart(content, fields)
  if (!content.isList) throw content.invalid('a string or an array')
  return content.items().flatMap((part) => (part.isText ? textOf(part.text(), null) : readPart(part, fields)))
}

function readPart(part: View, fields: ChatFieldList): readonly ConversationPart[] {
  if (part.kind !== 'object') throw part.invalid('an object')
  const type = part.get('type')?.text() ?? (part.get('text') === undefined ? '' : 'text')
  const reader = readers.get(type)
  if (reader !== undefined) return reader(part, fields)
  if (providerBlock.test(type)) return [{ kind: 'other', type, pointer: part.pointer }]
  throw untranslatable(part.pointer, 'a part of an unknown type')
}

/** A lenient reading of a vendor's field: null for anything but a string. */
export function textOrNull(value: View | undefined): string | null {
  return value?.isText === true ? value.text() : null
}

function textOf(text: string, cache: CacheLifetime | null): readonly TextPart[] {
  return text === '' ? [] : [{ kind: 'text', text, cache, citations: [] }]
}

function textPart(part: View, fields: ChatFieldList): readonly ConversationPart[] {
  const text = part.get('text')
  if (text === undefined) throw part.invalid('a part with text')
  return textOf(text.text(), readCache(part, fields))
}

function refusalPart(part: View): readonly ConversationPart[] {
  const text = textOrNull(part.get('refusal')) ?? ''
  return text === '' ? [] : [{ kind: 'refusal', text }]
}

/** Reads `cache_control` or `prompt_cache_breakpoint`; each format defaults to its shorter lifetime. */
export function readCache(
  part: View,
  fields: ChatFieldList,
  at = 'messages[].content[]',
): CacheLifetime | null {
  const control = part.get('cache_control')
  const breakpoint = part.get('prompt_cache_breakpoint')
  if (control !== undefined) {
    fields.push({ name: `${at}.cache_control`, pointer: control.pointer })
    return textOrNull(control.get('ttl')) === '1h' ? '1h' : '5m'
  }
  if (breakpoint === undefined) return null
  fields.push({ name: `${at}.prompt_cache_breakpoint`, pointer: breakpoint.pointer })
  return textOrNull(breakpoint.get('ttl')) === '12h' ? '1h' : '5m'
}

type MediaMedium = MediaPart['medium']

interface NamedMedia {
  readonly title?: string | null
  readonly detail?: string | null
}

function media(
  medium: MediaMedium,
  source: MediaSource,
  { part, fields, title = null, detail = null }: { part: View; fields: ChatFieldList } & NamedMedia,
): MediaPart {
  return {
    kind: 'media',
    medium,
    source,
    title,
    detail,
    cache: readCache(part, fields),
    pointer: part.pointer,
  }
}

function imagePart(part: View, fields: ChatFieldList): readonly ConversationPart[] {
  rejectStoredFile(part)
  const image = part.get('image_url')
  const address = image?.isText === true ? image : image?.get('url')
  if (address === undefined) throw part.invalid('a part with image_url.url')
  const detailView = image?.get('detail') ?? part.get('detail')
  const detail = textOrNull(detailView)
  if (detailView !== undefined && detail !== 'auto') {
    fields.push({ name: 'messages[].content[].image_url.detail', pointer: detailView.pointer })
  }
  const source = addressed(address)
  return [media(mediumOfImage(source), source, { part, fields, detail })]
}

function addressPart(part: View, medium: MediaMedium, fields: ChatFieldList): readonly ConversationPart[] {
  const value = part.get(`${medium}_url`)
  const address = value?.isText === true ? value : value?.get('url')
  if (address === undefined) throw part.invalid(`a part with ${medium}_url.url`)
  return [media(medium, addressed(address), { part, fields })]
}

function audioPart(part: View, fields: ChatFieldList): readonly ConversationPart[] {
  const audio = part.get('input_audio')
  const encoded = audio?.get('data')
  if (audio === undefined || encoded === undefined) throw part.invalid('a part with input_audio.data')
  fields.push({ name: 'messages[].content[].input_audio', pointer: audio.pointer })
  const inUrl = dataUrl(encoded.text())
  const source: MediaSource =
    inUrl === null
      ? {
          kind: 'base64',
          mediaType: `audio/${textOrNull(audio.get('format')) ?? 'wav'}`,
          data: plainBase64(encoded.text()),
        }
      : addressed(encoded)
  return [media('audio', source, { part, fields })]
}

function filePart(file: View, part: View, fields: ChatFieldList): readonly ConversationPart[] {
  rejectStoredFile(file)
  const title = textOrNull(file.get('filename'))
  const encoded = file.get('file_data')
  const address = file.get('file_url')
  if (encoded === undefined && address === undefined) throw part.invalid('a part with file_data')
  const source =
    encoded === undefined || dataUrl(encoded.text()) !== null
      ? addressed((encoded ?? address) as View)
      : ({ kind: 'base64', mediaType: 'application/pdf', data: plainBase64(encoded.text()) } as const)
  const kind = source.kind === 'text' ? '' : (source.mediaType ?? '')
  const medium = kind.startsWith('image/') ? 'image' : kind.startsWith('audio/') ? 'audio' : 'document'
  return [media(medium, medium === 'document' ? asText(source) : source, { part, fields, title })]
}

/** Files stored at a provider belong to the account that uploaded them. */
function rejectStoredFile(file: View): void {
  const id = file.get('file_id')
  if (id === undefined) return
  throw new WireError(
    'reference_not_owned',
    `${id.pointer}: objects stored at the provider cannot be referenced here; send the content itself.`,
    id.pointer,
  )
}

/** Messages: an image or a document with a `source`. */
function sourcePart(
  part: View,
  medium: 'image' | 'document',
  fields: ChatFieldList,
): readonly ConversationPart[] {
  const source = part.get('source')
  if (source === undefined) throw part.invalid('a block with a source')
  rejectStoredFile(source)
  const title = textOrNull(part.get('title'))
  const type = source.get('type')?.text()
  const content = source.get('content')
  if (type === 'content' && content !== undefined) return readContent(content, fields)
  const url = source.get('url')
  if (url !== undefined) return [media(medium, addressed(url), { part, fields, title })]
  const encodedData = source.get('data')
  if (encodedData === undefined) throw source.invalid('a source with data or a url')
  const mediaType = (textOrNull(source.get('media_type')) ?? '').toLowerCase()
  const found: MediaSource =
    type === 'text'
      ? { kind: 'text', text: encodedData.text() }
      : { kind: 'base64', mediaType: properType(mediaType), data: plainBase64(encodedData.text()) }
  return [media(medium, found, { part, fields, title })]
}

/** A source that the caller found, as text: no other format has such parts. */
function searchPart(part: View, fields: ChatFieldList): readonly ConversationPart[] {
  const found = readContent(part.get('content'), fields).flatMap((inner) =>
    inner.kind === 'text' ? [inner.text] : [],
  )
  const lines = [textOrNull(part.get('title')), textOrNull(part.get('source')), ...found]
  return textOf(lines.filter((line) => line !== null && line !== '').join('\n'), readCache(part, fields))
}

/** Messages writes a string; a compatible host that thinks in parts writes a list of texts. */
function thinkingPart(part: View): readonly ConversationPart[] {
  const thinking = part.get('thinking')
  const text =
    thinking?.isList === true
      ? thinking
          .items()
          .map((item) => textOrNull(item.get('text')) ?? '')
          .join('')
      : (textOrNull(thinking) ?? '')
  return encryptedThinking({ text, redacted: false }, textOrNull(part.get('signature')))
}

function redactedPart(part: View): readonly ConversationPart[] {
  return encryptedThinking({ text: '', redacted: true }, textOrNull(part.get('data')))
}

function encryptedThinking(
  thought: Pick<ThinkingPart, 'text' | 'redacted'>,
  signature: string | null,
): readonly ConversationPart[] {
  if (signature === null || signature === '') {
    return thought.text === ''
      ? []
      : [{ kind: 'thinking', text: thought.text, redacted: false, encrypted: null }]
  }
  const tag = readTag(signature)
  if (tag.kind === 'broken') return []
  const encrypted: EncryptedReasoning =
    tag.kind === 'encrypted' ? tag.encrypted : { vendor: 'anthropic', data: signature }
  return [
    {
      kind: 'thinking',
      ...thought,
      redacted: thought.redacted && encryptedForms[encrypted.vendor].redacts,
      encrypted,
    },
  ]
}

function callPart(part: View): readonly ConversationPart[] {
  const name = part.get('name')
  if (name === undefined) throw part.invalid('a block with a name')
  const { id, carrier } = readId(part.get('id')?.text() ?? '')
  return [
    ...(carrier?.thoughts ?? []),
    {
      kind: 'call',
      id,
      name: name.text(),
      namespace: null,
      form: 'json',
      input: part.get('input')?.written ?? '',
      encrypted: carrier?.encrypted ?? null,
      pointer: part.pointer,
    },
  ]
}

function resultPart(part: View, fields: ChatFieldList): readonly ConversationPart[] {
  return resultOf(part, {
    callId: readId(part.get('tool_use_id')?.text() ?? '').id,
    isError: part.get('is_error')?.kind === 'true',
    fields,
  })
}

/** The result of a call with what a result cannot hold behind it, so that it is not lost in silence. */
export function resultOf(
  part: View,
  result: { readonly callId: string; readonly isError: boolean; readonly fields: ChatFieldList },
): readonly ConversationPart[] {
  const parts = readContent(part.get('content'), result.fields)
  const content = parts.filter((inner) => inner.kind === 'text' || inner.kind === 'media')
  return [
    {
      kind: 'result',
      callId: result.callId,
      name: null,
      content,
      json: null,
      isError: result.isError,
      cache: readCache(part, result.fields),
      pointer: part.pointer,
    },
    ...parts.filter((inner) => inner.kind === 'other'),
  ]
}

/** A URL, or the content of a data URL. */
function addressed(value: View): MediaSource {
  const text = value.text()
  const found = dataUrl(text)
  if (found === null) return { kind: 'url', mediaType: null, url: text.trim() }
  const { mediaType, isBase64, rest } = found
  if (isBase64)
    return { kind: 'base64', mediaType: properType(mediaType), data: plainBase64(unescaped(rest, value)) }
  if (mediaType !== '' && !mediaType.startsWith('text/')) throw value.invalid('a base64 data URL')
  return { kind: 'text', text: unescaped(rest, value) }
}

interface DataUrl {
  readonly mediaType: string
  readonly isBase64: boolean
  readonly rest: string
}

/** The head of a data URL is no longer. */
const headCharactersMax = 256

function dataUrl(text: string): DataUrl | null {
  const head = /^\s*data:([^,]*),/i.exec(text.slice(0, headCharactersMax))
  if (head === null) return null
  const words = (head[1] ?? '')
    .toLowerCase()
    .split(';')
    .map((word) => word.trim())
  return { mediaType: words[0] ?? '', isBase64: words.includes('base64'), rest: text.slice(head[0].length) }
}

function unescaped(text: string, value: View): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw value.invalid('a data URL')
  }
}

/** Line breaks are common in base64 and taken by few. */
function plainBase64(text: string): string {
  return /\s/.test(text) ? text.replace(/\s+/g, '') : text
}

/** A name that is widely written and nowhere registered. */
function properType(mediaType: string): string {
  return mediaType === 'image/jpg' ? 'image/jpeg' : mediaType
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** A document that is plain text, in place of its base64. */
function asText(source: MediaSource): MediaSource {
  if (source.kind !== 'base64' || !source.mediaType.startsWith('text/')) return source
  try {
    const bytes = Uint8Array.from(atob(source.data), (letter) => letter.charCodeAt(0))
    return { kind: 'text', text: decoder.decode(bytes) }
  } catch {
    return source
  }
}
