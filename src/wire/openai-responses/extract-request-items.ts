/**
 * Reads the items of a Responses request apart from text: media with the positions of their bytes, tools,
 * and references to objects stored at the provider. Must not decode media, nor look into what the caller named
 * (arguments, actions), nor judge who owns a referenced object.
 */
import { type Media, type MediaKind, type Reference, WireError } from '../format.ts'
import { absent, FieldReader, isGiven, string } from '../json/fields.ts'
import type { Json } from '../json/json.ts'
import { responsesMembers } from '../known-members.ts'
import { addressed, embedded, embeddedOrDataUrl } from '../media.ts'
import { notOwned, type PricedOptions, unpriced } from '../price-fields.ts'
import type { NamedFiles } from '../request-fields.ts'
import type { ToolReader } from './extract-request-tools.ts'
import { cachePriceFields, compactionOption } from './request-price-table.ts'

const { parts: known } = responsesMembers
const itemFields = new FieldReader(
  'type',
  'role',
  'id',
  'content',
  'output',
  'tools',
  'result',
  'environment',
  'output_format',
  'encrypted_content',
).knowing(known)
const partFields = new FieldReader(
  'type',
  'image_url',
  'file_id',
  'file_data',
  'file_url',
  'input_audio',
  'audio_url',
  'video_url',
  'input_video',
  'prompt_cache_breakpoint',
).knowing(known)
const imageTypes = ['input_image', 'computer_screenshot']
const addressFields = new FieldReader('url')
const audioFields = new FieldReader('data', 'format')
const lifetimeFields = new FieldReader('ttl').knowing(known)
const placeFields = new FieldReader('container_id').knowing(known)
const cacheLifetime = { ttl: cachePriceFields.ttl }

/** Gathers while items are read in body order. */
export class ItemReader {
  readonly media: Media[] = []
  readonly references: References
  private readonly files: NamedFiles
  private readonly json: Json
  private readonly tools: ToolReader
  private readonly options: PricedOptions

  constructor(
    json: Json,
    into: { readonly tools: ToolReader; readonly options: PricedOptions; readonly files: NamedFiles },
  ) {
    this.json = json
    this.files = into.files
    this.references = new References(json)
    this.tools = into.tools
    this.options = into.options
  }

  /**
   * Reads the array of items and returns the first one of a user; else the first item. Throws WireError
   * `reference_not_owned` for images and containers stored upstream; `unpriced_option` for video.
   */
  readItems(input: number): number {
    const { json } = this
    const items = json.children(input)
    let opening = absent
    for (const [index, item] of items.entries()) {
      const fields = itemFields.read(json, item)
      if (opening === absent && json.equalsText(fields.role, 'user')) opening = item
      this.readItem(fields, index)
    }
    return opening === absent ? (items[0] ?? input) : opening
  }

  private readItem(fields: ReturnType<typeof itemFields.read>, index: number): void {
    const { json } = this
    this.readKept(fields, `input[${index}].id`)
    if (json.equalsText(fields.type, 'compaction_trigger')) this.options.add(compactionOption, fields.type)
    this.readContent(fields.content)
    this.readContent(fields.output)
    this.tools.read(fields.tools)
    if (json.equalsText(fields.type, 'image_generation_call') && json.isString(fields.result)) {
      const format = json.isString(fields.output_format) ? json.text(fields.output_format) : 'png'
      this.media.push(embedded(json, fields.result, 'image', `image/${format}`))
    }
  }

  /** An item that is named alone, and reasoning without its content, refer to what the provider stored. */
  private readKept(fields: ReturnType<typeof itemFields.read>, pointer: string): void {
    const { json, references } = this
    const { type, id, role } = fields
    const isUntyped = !isGiven(json, type) && !isGiven(json, role)
    if (isUntyped || json.equalsText(type, 'item_reference')) references.add('item', id, pointer)
    else if (json.equalsText(type, 'reasoning') && this.isHollow(fields))
      references.add('reasoning', id, pointer)
    const isImageByName = json.equalsText(type, 'image_generation_call') && !isGiven(json, fields.result)
    if (isImageByName && isGiven(json, id)) throw notOwned(json, id)
    if (!isGiven(json, fields.environment)) return
    const { container_id: container } = placeFields.read(json, fields.environment)
    if (isGiven(json, container)) throw notOwned(json, container)
  }

  /** Neither encrypted nor in the clear; a summary is not what was thought. */
  private isHollow({ encrypted_content: encrypted, content }: ReturnType<typeof itemFields.read>): boolean {
    const { json } = this
    const isEmpty = json.kind(content) === 'array' && json.children(content).length === 0
    return !json.isString(encrypted) && (!isGiven(json, content) || isEmpty)
  }

  /** Content and output are a string, parts, or one part. */
  private readContent(content: number): void {
    if (content === absent) return
    if (this.json.kind(content) === 'object') this.readPart(content)
    else if (this.json.kind(content) === 'array') {
      for (const part of this.json.children(content)) this.readPart(part)
    }
  }

  private readPart(part: number): void {
    const { json } = this
    const fields = partFields.read(json, part)
    if (isGiven(json, fields.file_id)) {
      const isImage = imageTypes.some((type) => json.equalsText(fields.type, type))
      const kind = isImage ? 'image' : 'document'
      this.media.push(this.files.media(fields.file_id, kind))
    }
    for (const video of [fields.video_url, fields.input_video]) {
      if (isGiven(json, video)) throw unpriced(json, video, 'this model has no price for video.')
    }
    this.readAddress(fields.image_url, 'image')
    this.readAddress(fields.audio_url, 'audio')
    this.readAddress(fields.file_url, 'document')
    if (json.isString(fields.file_data)) {
      this.media.push(embeddedOrDataUrl(json, fields.file_data, 'document'))
    }
    if (isGiven(json, fields.input_audio)) this.readAudio(fields.input_audio)
    if (isGiven(json, fields.prompt_cache_breakpoint)) {
      this.options.read(lifetimeFields.read(json, fields.prompt_cache_breakpoint), cacheLifetime)
    }
  }

  /** The URL is the value; clients of other formats send it in an object. */
  private readAddress(value: number, kind: MediaKind): void {
    const { json } = this
    if (!isGiven(json, value)) return
    const address = json.isString(value) ? value : addressFields.read(json, value).url
    if (json.isString(address)) this.media.push(addressed(json, address, kind))
  }

  private readAudio(value: number): void {
    const { json } = this
    const { data, format } = audioFields.read(json, value)
    if (!json.isString(data)) return
    const media = addressed(json, data, 'audio')
    const mediaType = json.isString(format) ? `audio/${json.text(format)}` : ''
    this.media.push(media.span === null ? embedded(json, data, 'audio', mediaType) : media)
  }
}

/** Gathers the references of one body. */
class References {
  private readonly json: Json
  private readonly byId = new Map<string, Reference>()

  constructor(json: Json) {
    this.json = json
  }

  get list(): readonly Reference[] {
    return [...this.byId.values()]
  }

  /**
   * Records that `value` is the id of a stored object, and its position: a body may have so many that finding it
   * again would take quadratic time. Absent and null are none. Throws WireError `invalid_value` for a repeated
   * ID: the provider rejects it too, and reading it twice would have to be charged twice.
   */
  add(kind: Reference['kind'], value: number, pointer: string): void {
    const { json, byId } = this
    if (!isGiven(json, value)) return
    const id = string(json, value)
    if (byId.has(id)) {
      throw new WireError('invalid_value', `${pointer}: duplicate ID.`, pointer)
    }
    byId.set(id, { id, kind, pointer })
  }
}
