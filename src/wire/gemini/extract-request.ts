/**
 * A Gemini request: the fields that routing and money need, read from its bytes, and the few replacements
 * that it may need on its way. Model and streaming are in the URL. Must not change, add or reorder
 * anything else.
 */
import type { UrlFields } from '../client-routes.ts'
import { type ExtractedFields, type ReadLimits, type ServerTool, WireError } from '../format.ts'
import type { NumberPatch } from '../json/byte-patch.ts'
import {
  absent,
  invalid,
  isGiven,
  noteSettings,
  snakeCase,
  string,
  TwoSpellings,
  wholeNumber,
} from '../json/fields.ts'
import type { Json } from '../json/json.ts'
import { geminiMembers, geminiSettings } from '../known-members.ts'
import { PricedOptions } from '../price-fields.ts'
import { conversationSpan, type LimitFields, readRequestObject } from '../request-fields.ts'
import { camelCase, elements, enumWord } from './extract-request-fields.ts'
import { ContentExtractor, readEnum } from './extract-request-media.ts'
import {
  bodyPriceFields,
  callerTool,
  mediaResolution,
  meters,
  modality,
  serviceTier,
  settingPriceFields,
} from './request-price-table.ts'

type BodyPriceName = keyof typeof bodyPriceFields
type SettingPriceName = keyof typeof settingPriceFields

const bodyFields = new TwoSpellings(
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'generationConfig',
  'serviceTier',
  ...(Object.keys(bodyPriceFields) as BodyPriceName[]),
).knowing(geminiMembers.body)
const settingFields = new TwoSpellings(
  'maxOutputTokens',
  'candidateCount',
  'thinkingConfig',
  'responseModalities',
  'responseFormat',
  'mediaResolution',
  ...(Object.keys(settingPriceFields) as SettingPriceName[]),
).knowing(geminiSettings)
const thinkingFields = new TwoSpellings('thinkingBudget', 'thinkingLevel')
const levelPrefix = 'thinking_level_'

/** A body that declares more tools at the provider is hostile: each is reported with its position. */
const serverToolsMax = 32
const typeCharactersMax = 64

type GeminiBodyValues = ReturnType<typeof bodyFields.read>
type GeminiSettingValues = ReturnType<typeof settingFields.read>

/** Throws WireError; see `FormatReader.extractRequest`. */
export function extractRequest(body: Uint8Array, limits: ReadLimits, address: UrlFields): LimitFields {
  const model = modelInPath(address)
  return readRequestObject(body, limits, (json) => factsOf(json, limits, { model, stream: address.stream }))
}

export function modelInPath({ model }: UrlFields): string {
  if (model !== null && model !== '') return model
  throw new WireError('missing_field', 'The path must contain the model: /v1beta/models/{model}:…', 'model')
}

function factsOf(
  json: Json,
  { integerMax }: ReadLimits,
  address: { model: string; stream: boolean },
): LimitFields {
  const values = bodyFields.read(json, json.root)
  rejectOtherModel(json, values.model, address.model)
  const contents = contentsOf(json, values.contents)
  const settings = settingsOf(json, values.generationConfig)
  const options = new PricedOptions(json)
  readOptions(json, values, settings, options)
  const parts = new ContentExtractor(json, options)
  parts.readContent(values.systemInstruction)
  const opening = parts.readContents(contents)
  const { tools, functionTools } = readTools(json, values.tools)
  const { maxOutputTokens: limit, candidateCount } = settings
  return {
    model: address.model,
    modelSpan: null,
    stream: address.stream,
    outputLimit: isGiven(json, limit) ? wholeNumber(json, limit, { min: 1, max: integerMax }) : null,
    choices: isGiven(json, candidateCount)
      ? wholeNumber(json, candidateCount, { min: 1, max: integerMax })
      : 1,
    media: parts.media.sort((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0)),
    references: parts.files.list,
    // Implicit caching costs nothing to write.
    cacheWrites: [],
    serverTools: tools,
    options: options.list,
    writtenAs: 'gemini',
    canPassThrough: true,
    functionTools,
    ...thinkingOf(json, settings.thinkingConfig, integerMax),
    conversationSpan: conversationSpan(json, opening, contents),
    unknownMembers: json.unknownMembers,
    limitSpan: limit === absent ? null : json.span(limit),
    limitInsertion: limitInsertion(json, values.generationConfig),
  }
}

/** The address decides; a body that names another model would be read differently by different servers. */
export function rejectOtherModel(json: Json, value: number, model: string): void {
  if (!isGiven(json, value)) return
  const named = string(json, value)
  if (named !== model && named !== `models/${model}`) {
    throw invalid(json, value, 'the model in the path')
  }
}

function contentsOf(json: Json, contents: number): number {
  if (!isGiven(json, contents)) {
    throw new WireError('missing_field', 'contents: this field is required.', 'contents')
  }
  const kind = json.kind(contents)
  if (kind !== 'array' && kind !== 'object') throw invalid(json, contents, 'an array')
  return contents
}

function settingsOf(json: Json, config: number): GeminiSettingValues {
  const isThere = isGiven(json, config)
  if (isThere && json.kind(config) !== 'object') throw invalid(json, config, 'an object')
  // The name of the first member is a string, of which nothing is read.
  return settingFields.read(json, isThere ? config : json.root + 1)
}

function readOptions(
  json: Json,
  values: GeminiBodyValues,
  settings: GeminiSettingValues,
  options: PricedOptions,
): void {
  options.read(values, bodyPriceFields)
  options.read(settings, settingPriceFields)
  if (isGiven(json, values.serviceTier)) readEnum(json, values.serviceTier, options, serviceTier)
  if (isGiven(json, settings.mediaResolution)) {
    readEnum(json, settings.mediaResolution, options, mediaResolution)
  }
  readModalities(json, settings, options)
}

function readModalities(json: Json, settings: GeminiSettingValues, options: PricedOptions): void {
  const { responseModalities: modalities, responseFormat: formats } = settings
  if (isGiven(json, modalities)) {
    const isList = json.kind(modalities) === 'array'
    for (const one of isList ? json.children(modalities) : [modalities]) {
      readEnum(json, one, options, modality)
    }
  }
  if (!isGiven(json, formats)) return
  for (const format of elements(json, formats)) {
    const names = json.kind(format) === 'object' ? json.children(format) : []
    for (let at = 0; at < names.length; at += 2) {
      const name = json.text(names[at]!).toLowerCase()
      const value = names[at]! + 1
      if (!json.isNull(value) && !modality.free.includes(name)) options.add(`${modality.name}:${name}`, value)
    }
  }
}

/** −1 leaves the budget to the model. */
function thinkingOf(
  json: Json,
  config: number,
  max: number,
): Pick<ExtractedFields, 'thinkingBudget' | 'effort'> {
  if (!isGiven(json, config)) return { thinkingBudget: null, effort: null }
  const { thinkingBudget: budget, thinkingLevel: level } = thinkingFields.read(json, config)
  const isFixed = isGiven(json, budget) && json.written(json.span(budget)) !== '-1'
  return {
    thinkingBudget: isFixed ? wholeNumber(json, budget, { min: 0, max }) : null,
    effort: isGiven(json, level) ? enumWord(string(json, level), levelPrefix) : null,
  }
}

function readTools(
  json: Json,
  tools: number,
): { readonly tools: readonly ServerTool[]; readonly functionTools: boolean } {
  const found: ServerTool[] = []
  let functionTools = false
  if (!isGiven(json, tools)) return { tools: found, functionTools }
  for (const tool of elements(json, tools)) {
    const members = json.kind(tool) === 'object' ? json.children(tool) : []
    for (let at = 0; at < members.length; at += 2) {
      const name = members[at]!
      if (json.isNull(name + 1)) continue
      const type = json.text(name)
      noteSettings(json, name + 1, geminiMembers.body.inSettings)
      if (camelCase(type) === callerTool) functionTools = true
      else if (found.length === serverToolsMax) throw invalid(json, name + 1, 'not too many tools')
      else found.push(serverTool(json, name + 1, type))
    }
  }
  return { tools: found, functionTools }
}

function serverTool(json: Json, value: number, type: string): ServerTool {
  const name = camelCase(type)
  return {
    meter: (Object.hasOwn(meters, name) ? meters[name]?.meter : undefined) ?? snakeCase(name),
    type: type.slice(0, typeCharactersMax),
    pointer: json.pointer(value),
    usesMax: null,
    capPatch: null,
  }
}

/** How a limit is written where the caller wrote none. */
function limitInsertion(json: Json, config: number): NumberPatch {
  const name = '"maxOutputTokens":'
  if (config === absent) {
    const start = json.start(json.root) + 1
    return { start, end: start, before: `"generationConfig":{${name}`, after: '},' }
  }
  if (json.isNull(config)) return { ...json.span(config), before: `{${name}`, after: '}' }
  const start = json.start(config) + 1
  return { start, end: start, before: name, after: json.children(config).length === 0 ? '' : ',' }
}
