/**
 * Reads Gemini contents apart from text: media with the positions of their bytes. Must not decode them, nor
 * look into what the caller named (arguments and results of functions).
 */
import { type Media, type MediaKind, WireError } from '../format.ts'
import { absent, isGiven, TwoSpellings } from '../json/fields.ts'
import type { Json } from '../json/json.ts'
import { geminiMembers } from '../known-members.ts'
import { embedded } from '../media.ts'
import { notOwned, type PricedOptions } from '../price-fields.ts'
import { NamedFiles } from '../request-fields.ts'
import { elements, enumWord } from './extract-request-fields.ts'
import { type EnumField, mediaResolution } from './request-price-table.ts'

const { parts: known } = geminiMembers
const contentFields = new TwoSpellings('role', 'parts').knowing(known)
const partFields = new TwoSpellings('inlineData', 'fileData', 'functionResponse', 'mediaResolution').knowing(
  known,
)
const responseFields = new TwoSpellings('parts')
const blobFields = new TwoSpellings('mimeType', 'data').knowing(known)
const fileFields = new TwoSpellings('mimeType', 'fileUri').knowing(known)
const resolutionFields = new TwoSpellings('level', 'numTokens').knowing(known)

/** Where Google keeps files, and addresses that are video whatever the caller calls them. */
const filesApi = /^(https?:\/\/[^/]*\.googleapis\.com\/(upload\/)?v[\w.]+\/)?files\//i
const videoPages = /^https?:\/\/([\w-]+\.)*(youtube\.com|youtu\.be|youtube-nocookie\.com)(:\d+)?(\/|$)/i

/** Reads contents in body order; what changes the price goes to `options`. */
export class ContentExtractor {
  readonly media: Media[] = []
  readonly files: NamedFiles
  private readonly json: Json
  private readonly options: PricedOptions

  constructor(json: Json, options: PricedOptions) {
    this.json = json
    this.files = new NamedFiles(json)
    this.options = options
  }

  /** The first content of the user, which distinguishes conversations; else the first content. */
  readContents(contents: number): number {
    const { json } = this
    const children = elements(json, contents)
    let opening = absent
    for (const content of children) {
      const { role } = contentFields.read(json, content)
      if (opening === absent && (!isGiven(json, role) || json.equalsText(role, 'user'))) opening = content
      this.readContent(content)
    }
    return opening === absent ? (children[0] ?? contents) : opening
  }

  readContent(content: number): void {
    if (!isGiven(this.json, content)) return
    const { parts } = contentFields.read(this.json, content)
    if (isGiven(this.json, parts)) this.readParts(parts)
  }

  private readParts(parts: number): void {
    for (const part of elements(this.json, parts)) this.readPart(part)
  }

  private readPart(part: number): void {
    const { json } = this
    const fields = partFields.read(json, part)
    if (isGiven(json, fields.inlineData)) this.readBlob(fields.inlineData)
    if (isGiven(json, fields.fileData)) this.readFile(fields.fileData)
    if (isGiven(json, fields.mediaResolution)) this.readResolution(fields.mediaResolution)
    if (!isGiven(json, fields.functionResponse)) return
    const { parts } = responseFields.read(json, fields.functionResponse)
    if (isGiven(json, parts)) this.readParts(parts)
  }

  private readBlob(blob: number): void {
    const { json } = this
    const { mimeType, data } = blobFields.read(json, blob)
    const type = json.isString(mimeType) ? json.text(mimeType).toLowerCase() : ''
    const kind = kindOf(type)
    if (json.isString(data)) this.media.push(embedded(json, data, kind, type))
  }

  /** An address that anyone can fetch, or a file that Google keeps for the key that uploaded it. */
  private readFile(file: number): void {
    const { json } = this
    const { mimeType, fileUri } = fileFields.read(json, file)
    const type = json.isString(mimeType) ? json.text(mimeType).toLowerCase() : ''
    if (!json.isString(fileUri)) return
    const address = json.text(fileUri).trim()
    const kind = isVideoPage(address) ? 'video' : kindOf(type)
    const media = { kind, span: null, mediaType: type }
    const match = filesApi.exec(address)
    if (match !== null)
      this.media.push({ ...media, fileId: this.files.add(fileUri, address.slice(match[0].length)) })
    else if (/^https?:\/\//i.test(address)) this.media.push(media)
    else throw notOwned(json, fileUri)
  }

  private readResolution(resolution: number): void {
    const { level, numTokens } = resolutionFields.read(this.json, resolution)
    if (isGiven(this.json, numTokens)) this.options.add('media_resolution:num_tokens', numTokens)
    if (isGiven(this.json, level)) readEnum(this.json, level, this.options, mediaResolution)
  }
}

/** Whether the URL refers to video, whatever type the caller claims. */
export function isVideoPage(address: string): boolean {
  return videoPages.test(address.trim())
}

function kindOf(mediaType: string): MediaKind {
  const kinds: readonly MediaKind[] = ['image', 'audio', 'video']
  return kinds.find((kind) => mediaType.startsWith(`${kind}/`)) ?? 'document'
}

/** Notes the option that a value other than the free ones switches on. Enum values may be numbers: rejected. */
export function readEnum(json: Json, value: number, options: PricedOptions, field: EnumField): void {
  if (!json.isString(value)) {
    const pointer = json.pointer(value)
    throw new WireError('invalid_value', `${pointer}: must be a string.`, pointer)
  }
  const word = enumWord(json.text(value), field.prefix)
  if (!field.free.includes(word)) options.add(`${field.name}:${word}`, value)
}
