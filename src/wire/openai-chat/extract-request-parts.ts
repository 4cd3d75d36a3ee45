/**
 * Reads chat messages apart from text: media with the positions of their bytes, and markers that change
 * the price. Must not decode media, nor look into what the caller named (tool arguments).
 */
import type { Media, Reference } from '../format.ts'
import { absent, FieldReader, isGiven } from '../json/fields.ts'
import type { Json } from '../json/json.ts'
import { chatMembers } from '../known-members.ts'
import { addressed, embedded, embeddedOrDataUrl } from '../media.ts'
import { notOwned, type PricedOptions, unpriced } from '../price-fields.ts'
import { NamedFiles } from '../request-fields.ts'
import type { CacheLifetime } from '../translation/neutral.ts'
import { cacheLifetime } from './request-price-table.ts'

const { parts: known } = chatMembers
const messageFields = new FieldReader('role', 'content', 'audio', 'cache_control').knowing(known)
const storedAudioFields = new FieldReader('id')
const partFields = new FieldReader(
  'type',
  'thinking',
  'cache_control',
  'image_url',
  'input_audio',
  'audio_url',
  'file',
  'document_url',
  'video_url',
  'prompt_cache_breakpoint',
).knowing(known)
const addressFields = new FieldReader('url')
const audioFields = new FieldReader('data', 'format')
const fileFields = new FieldReader('file_data', 'file_url', 'file_id').knowing(known)
const lifetimeFields = new FieldReader('ttl').knowing(known)

/** Types of parts that only other formats have. */
const foreignTypes = new Set([
  'image',
  'document',
  'tool_use',
  'tool_result',
  'redacted_thinking',
  'search_result',
  'server_tool_use',
  'input_text',
  'output_text',
  'input_image',
  'input_file',
])

export interface ChatParts {
  readonly media: readonly Media[]
  /** Files that are named in place of their bytes. */
  readonly references: readonly Reference[]
  /** A part is written as another format writes it. */
  readonly isMixed: boolean
  /** The lifetimes of cache marks as Messages and some hosts have them. */
  readonly marks: Set<CacheLifetime>
  /** The first message of a user, which distinguishes conversations; else the first message. */
  readonly opening: number
}

/**
 * Reads the array of messages; what changes the price goes to `options`. Throws WireError `ambiguous_field`; `unpriced_option` for media that
 * nothing here can price; `reference_not_owned` for audio stored upstream.
 */
export function readParts(json: Json, messages: number, options: PricedOptions): ChatParts {
  const media: Media[] = []
  const files = new NamedFiles(json)
  let opening = absent
  let isMixed = false
  const marks = new Set<CacheLifetime>()
  for (const message of json.children(messages)) {
    const { role, content, audio, cache_control: mark } = messageFields.read(json, message)
    readMark(json, mark, marks)
    if (opening === absent && role !== absent && json.is(role, 'user')) opening = message
    if (isGiven(json, audio)) rejectStoredAudio(json, audio)
    if (content === absent || json.kind(content) !== 'array') continue
    for (const part of json.children(content)) {
      if (readPart(json, part, { media, files, options, marks })) isMixed = true
    }
  }
  const first = json.children(messages)[0] ?? messages
  return { media, references: files.list, isMixed, marks, opening: opening === absent ? first : opening }
}

/** An earlier spoken answer is named by its id alone. */
function rejectStoredAudio(json: Json, audio: number): void {
  const { id } = storedAudioFields.read(json, audio)
  if (isGiven(json, id)) throw notOwned(json, id)
}

interface FoundParts {
  readonly media: Media[]
  readonly files: NamedFiles
  readonly options: PricedOptions
  readonly marks: Set<CacheLifetime>
}

/** Whether the part is of another format. */
function readPart(json: Json, part: number, found: FoundParts): boolean {
  const fields = partFields.read(json, part)
  const { image_url: image, audio_url: audio, document_url: document } = fields
  if (isGiven(json, image)) found.media.push(...addressedIn(json, image, 'image'))
  if (isGiven(json, audio)) found.media.push(...addressedIn(json, audio, 'audio'))
  if (isGiven(json, document)) found.media.push(...addressedIn(json, document, 'document'))
  if (isGiven(json, fields.input_audio)) found.media.push(...audioMedia(json, fields.input_audio))
  if (isGiven(json, fields.file)) found.media.push(...filed(json, fields.file, found.files))
  if (isGiven(json, fields.video_url))
    throw unpriced(json, fields.video_url, 'this model has no price for video.')
  if (isGiven(json, fields.prompt_cache_breakpoint)) {
    readLifetime(json, fields.prompt_cache_breakpoint, found.options)
  }
  readMark(json, fields.cache_control, found.marks)
  return isForeign(json, fields.type, fields.thinking)
}

/** A host that thinks in parts has a list in `thinking`, Messages a string. */
function isForeign(json: Json, type: number, thinking: number): boolean {
  if (!json.isString(type) || json.is(type, 'text') || json.is(type, 'image_url')) return false
  return json.isString(thinking) || foreignTypes.has(json.text(type))
}

const lifetimes: readonly CacheLifetime[] = ['5m', '1h']

/** A mark without a lifetime is one of five minutes; so is a null. */
export function readMark(json: Json, mark: number, marks: Set<CacheLifetime>): void {
  if (mark === absent) return
  const ttl = isGiven(json, mark) ? lifetimeFields.read(json, mark).ttl : absent
  const lifetime = isGiven(json, ttl) ? lifetimes.find((known) => json.is(ttl, known)) : '5m'
  if (lifetime === undefined) throw unpriced(json, ttl, 'this model has no price for this cache lifetime.')
  marks.add(lifetime)
}

/** Lifetimes that `prompt_cache_options` or a breakpoint asks for. */
export function readLifetime(json: Json, value: number, options: PricedOptions): void {
  options.read(lifetimeFields.read(json, value), cacheLifetime)
}

/** The URL is in an object; some clients send it as the value itself. */
function addressedIn(json: Json, value: number, kind: Media['kind']): readonly Media[] {
  const address = json.isString(value) ? value : addressFields.read(json, value).url
  return json.isString(address) ? [addressed(json, address, kind)] : []
}

function audioMedia(json: Json, value: number): readonly Media[] {
  const fields = audioFields.read(json, value)
  if (!json.isString(fields.data)) return []
  const media = addressed(json, fields.data, 'audio')
  if (media.span !== null) return [media]
  const format = json.isString(fields.format) ? json.text(fields.format) : ''
  return [embedded(json, fields.data, 'audio', format === '' ? '' : `audio/${format}`)]
}

function filed(json: Json, value: number, files: NamedFiles): readonly Media[] {
  const fields = fileFields.read(json, value)
  if (isGiven(json, fields.file_id)) return [files.media(fields.file_id, 'document')]
  if (json.isString(fields.file_url)) return [addressed(json, fields.file_url, 'document')]
  return json.isString(fields.file_data) ? [embeddedOrDataUrl(json, fields.file_data, 'document')] : []
}
