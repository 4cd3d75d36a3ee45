/**
 * The tools of a Responses request: which of them run at the provider and are charged by use. Must not
 * look into schemas or anything else that the caller named.
 */
import type { ServerTool } from '../format.ts'
import type { NumberPatch } from '../json/byte-patch.ts'
import { FieldReader, invalid, isGiven, string } from '../json/fields.ts'
import type { Json } from '../json/json.ts'
import { responsesMembers } from '../known-members.ts'
import { notOwned, type PricedOptions } from '../price-fields.ts'
import type { NamedFiles } from '../request-fields.ts'
import { callerTools, cappedTools, containerPriceFields, meters, shellTool } from './request-price-table.ts'

const { tools: known } = responsesMembers
const toolFields = new FieldReader(
  'type',
  'tools',
  'environment',
  'container',
  'vector_store_ids',
  'input_image_mask',
).knowing(known)
const placeFields = new FieldReader('type', 'file_ids', 'container_id', 'memory_limit', 'skills').knowing(
  known,
)
const skillFields = new FieldReader('skill_id').knowing(known)
const maskFields = new FieldReader('file_id')

const typeCharactersMax = 64
/** A body that declares more tools at the provider is hostile: each is reported with its position. */
const serverToolsMax = 32

/** How the uses of all tools together are capped. */
export interface SharedCap {
  readonly usesMax: number | null
  readonly capEdit: NumberPatch
}

/** Collects while lists of tools are read; they are at the top level and in items. */
export class ToolReader {
  readonly serverTools: ServerTool[] = []
  hasCallerTools = false
  private readonly json: Json
  private readonly cap: SharedCap
  private readonly options: PricedOptions
  private readonly files: NamedFiles

  constructor(
    json: Json,
    into: { readonly cap: SharedCap; readonly options: PricedOptions; readonly files: NamedFiles },
  ) {
    this.json = json
    this.cap = into.cap
    this.options = into.options
    this.files = into.files
  }

  /** Throws WireError `reference_not_owned` for vector stores and containers at the provider. */
  read(tools: number): void {
    if (!isGiven(this.json, tools) || this.json.kind(tools) !== 'array') return
    for (const tool of this.json.children(tools)) this.readTool(tool)
  }

  private readTool(tool: number): void {
    const { json } = this
    const fields = toolFields.read(json, tool)
    if (!isGiven(json, fields.type)) return
    const type = string(json, fields.type)
    const undated = type.replace(/_\d{4}_\d{2}_\d{2}$/, '')
    this.read(fields.tools)
    this.readKept(fields)
    if (callerTools.includes(undated) || (undated === shellTool && this.isLocal(fields.environment))) {
      this.hasCallerTools = true
      return
    }
    if (type.length > typeCharactersMax || this.serverTools.length === serverToolsMax) {
      throw invalid(json, fields.type, 'a supported tool type, and not too many different ones')
    }
    this.serverTools.push({
      meter: Object.hasOwn(meters, undated) ? (meters[undated] ?? undated) : undated,
      type,
      pointer: json.pointer(tool),
      usesMax: this.cap.usesMax,
      capPatch: cappedTools.includes(undated) ? this.cap.capEdit : null,
    })
  }

  private readKept(fields: ReturnType<typeof toolFields.read>): void {
    const { json } = this
    if (isGiven(json, fields.vector_store_ids)) throw notOwned(json, fields.vector_store_ids)
    if (json.isString(fields.container)) throw notOwned(json, fields.container)
    for (const place of [fields.container, fields.environment]) {
      if (!isGiven(json, place)) continue
      const placed = placeFields.read(json, place)
      const { file_ids: files, container_id: container, skills } = placed
      this.options.read(placed, containerPriceFields)
      if (isGiven(json, files)) this.readFiles(files)
      if (isGiven(json, skills)) this.rejectKeptSkills(skills)
      if (isGiven(json, container)) throw notOwned(json, container)
    }
    if (!isGiven(json, fields.input_image_mask)) return
    const { file_id: file } = maskFields.read(json, fields.input_image_mask)
    if (isGiven(json, file)) this.files.add(file)
  }

  /** The model sees of them what the tool prints. */
  private readFiles(files: number): void {
    const { json } = this
    if (json.kind(files) !== 'array') throw notOwned(json, files)
    for (const file of json.children(files)) this.files.add(file)
  }

  /** A skill that is named in place of its files is the operator's. */
  private rejectKeptSkills(skills: number): void {
    const { json } = this
    if (json.kind(skills) !== 'array') throw notOwned(json, skills)
    for (const skill of json.children(skills)) {
      const { skill_id: id } = skillFields.read(json, skill)
      if (isGiven(json, id)) throw notOwned(json, id)
    }
  }

  /** A shell without an environment is the caller's own. */
  private isLocal(environment: number): boolean {
    if (!isGiven(this.json, environment)) return true
    const { type } = placeFields.read(this.json, environment)
    return this.json.equalsText(type, 'local')
  }
}
