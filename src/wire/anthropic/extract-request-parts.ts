/**
 * Reads a Messages conversation apart from text: media with the positions of their bytes, cache markers,
 * provider tools. Blocks are read by their content, not by their type, so that new types are
 * understood. Must not look into what the caller named (schemas, tool input).
 */
import { type Media, type MediaKind, type ServerTool, WireError } from '../format.ts'
import { absent, FieldReader, invalid, isGiven, string, wholeNumber } from '../json/fields.ts'
import type { Json } from '../json/json.ts'
import { messagesMembers } from '../known-members.ts'
import { addressed, embedded } from '../media.ts'
import { isOff, unpriced } from '../price-fields.ts'
import { NamedFiles } from '../request-fields.ts'
import { callerTools, cappedTools, meters, waivedBy } from './request-price-table.ts'

const { parts: known } = messagesMembers
const messageFields = new FieldReader('role', 'content').knowing(known)
const blockFields = new FieldReader('type', 'source', 'content', 'cache_control', 'tool', 'file_id').knowing(
  known,
)
const sourceFields = new FieldReader('type', 'media_type', 'data', 'url', 'file_id', 'content').knowing(known)
const cacheFields = new FieldReader('type', 'ttl').knowing(known)
const toolFields = new FieldReader('type', 'max_uses', 'cache_control').knowing(messagesMembers.tools)
const toolChangeFields = new FieldReader('type', 'definition').knowing(known)

const typeCharactersMax = 64
/** A body that declares more tools at the provider is hostile: each is reported with its position. */
const serverToolsMax = 32
const lifetimes = ['5m', '1h'] as const

/** Gathers while blocks are read in body order. */
export class BlockReader {
  readonly media: Media[] = []
  readonly cacheWrites = new Set<'5m' | '1h'>()
  readonly serverTools: ServerTool[] = []
  readonly files: NamedFiles
  private readonly json: Json
  private readonly integerMax: number

  constructor(json: Json, integerMax: number) {
    this.json = json
    this.files = new NamedFiles(json)
    this.integerMax = integerMax
  }

  /** The first message of a user, which distinguishes conversations; else the first message. */
  readMessages(messages: number): number {
    const { json } = this
    const children = json.children(messages)
    let opening = absent
    for (const message of children) {
      const { role, content } = messageFields.read(json, message)
      if (opening === absent && role !== absent && json.is(role, 'user')) opening = message
      this.readContent(content)
    }
    return opening === absent ? (children[0] ?? messages) : opening
  }

  /** Content is a string, blocks, or one block. */
  readContent(content: number): void {
    if (content === absent) return
    if (this.json.kind(content) === 'object') this.readBlock(content)
    else if (this.json.kind(content) === 'array') {
      for (const block of this.json.children(content)) this.readBlock(block)
    }
  }

  readTools(tools: number): void {
    if (tools === absent || this.json.kind(tools) !== 'array') return
    for (const tool of this.json.children(tools)) this.readTool(tool)
  }

  /** MCP servers that the provider calls itself. */
  readServers(servers: number, meter: string): void {
    const { json } = this
    if (!isGiven(json, servers) || isOff(json, servers)) return
    this.serverTools.push({
      meter,
      type: 'mcp_servers',
      pointer: json.pointer(servers),
      usesMax: null,
      capPatch: null,
    })
  }

  /** A mark without a lifetime is one of five minutes. */
  readCacheControl(mark: number): void {
    const { json } = this
    if (!isGiven(json, mark)) return
    const { ttl } = cacheFields.read(json, mark)
    const lifetime = isGiven(json, ttl) ? lifetimes.find((known) => json.is(ttl, known)) : '5m'
    if (lifetime === undefined) throw unpriced(json, ttl, 'this model has no price for this cache lifetime.')
    this.cacheWrites.add(lifetime)
  }

  private readBlock(block: number): void {
    const { json } = this
    const fields = blockFields.read(json, block)
    this.readCacheControl(fields.cache_control)
    if (isGiven(json, fields.source)) {
      this.readSource(fields.source, json.equalsText(fields.type, 'image') ? 'image' : 'document')
    }
    if (isGiven(json, fields.file_id) && !isResult(json, fields.type)) {
      this.media.push(this.files.media(fields.file_id, 'document'))
    }
    if (isGiven(json, fields.tool)) {
      const { definition } = toolChangeFields.read(json, fields.tool)
      if (isGiven(json, definition)) this.readTool(definition)
    }
    this.readContent(fields.content)
  }

  private readSource(source: number, kind: MediaKind): void {
    const { json } = this
    const fields = sourceFields.read(json, source)
    if (isGiven(json, fields.file_id)) this.media.push(this.files.media(fields.file_id, kind))
    else if (json.isString(fields.url)) this.media.push(addressed(json, fields.url, kind))
    else if (json.isString(fields.data) && !json.equalsText(fields.type, 'text')) {
      const mediaType = json.isString(fields.media_type) ? json.text(fields.media_type) : ''
      this.media.push(embedded(json, fields.data, kind, mediaType))
    }
    this.readContent(fields.content)
  }

  private readTool(tool: number): void {
    const { json } = this
    const fields = toolFields.read(json, tool)
    this.readCacheControl(fields.cache_control)
    if (!isGiven(json, fields.type)) return
    const type = string(json, fields.type)
    const undated = type.replace(/_\d{8}$/, '')
    if (callerTools.includes(undated)) return
    if (type.length > typeCharactersMax || this.serverTools.length === serverToolsMax) {
      throw invalid(json, fields.type, 'a supported tool type, and not too many different ones')
    }
    const cap = isGiven(json, fields.max_uses)
      ? wholeNumber(json, fields.max_uses, { min: 0, max: this.integerMax })
      : null
    this.serverTools.push({
      meter: Object.hasOwn(meters, undated) ? (meters[undated] ?? undated) : undated,
      type,
      pointer: json.pointer(tool),
      usesMax: cap,
      capPatch: cappedTools.includes(undated) ? capEdit(json, tool, fields.max_uses) : null,
      waives: waivedBy(type),
    })
  }
}

/** A file that a tool made is named in its result; it is not sent again. */
function isResult(json: Json, type: number): boolean {
  return json.isString(type) && json.text(type).endsWith('_output')
}

function capEdit(json: Json, tool: number, cap: number): ServerTool['capPatch'] {
  if (cap !== absent) {
    return { ...json.span(cap), before: '', after: '' }
  }
  const inside = json.start(tool) + 1
  return { start: inside, end: inside, before: '"max_uses":', after: ',' }
}

/** An error in this format's words for a field that is not there. */
export function missing(name: string): WireError {
  return new WireError('missing_field', `${name}: Field required`, name)
}
