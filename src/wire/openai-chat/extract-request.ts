/**
 * A chat request: the fields that routing and money need, read from its bytes, and the few
 * replacements that it may need on its way. Must not change, add or reorder anything else.
 */

import type { ExtractedFields, ReadLimits, RequestPatch } from '../format.ts'
import type { HostField } from '../host-differences.ts'
import type { BytePatch, Span } from '../json/byte-patch.ts'
import { absent, FieldReader, flag, invalid, isGiven, string, wholeNumber } from '../json/fields.ts'
import type { Json } from '../json/json.ts'
import { chatMembers } from '../known-members.ts'
import { extractRequest as readResponsesRequest } from '../openai-responses/extract-request.ts'
import { PricedOptions, unpriced } from '../price-fields.ts'
import {
  cacheKeySpan,
  conversationSpan,
  fallbackModels,
  missing,
  readRequestObject,
  requestedModel,
} from '../request-fields.ts'
import type { CacheLifetime } from '../translation/neutral.ts'
import { readLifetime, readMark, readParts } from './extract-request-parts.ts'
import { callerTools, chatPriceFields, googleFields } from './request-price-table.ts'

type ChatPriceName = keyof typeof chatPriceFields

const bodyFields = new FieldReader(
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'n',
  'tools',
  'functions',
  'input',
  'system',
  'prompt_cache_options',
  'extra_body',
  'reasoning_effort',
  'reasoning',
  'cache_control',
  ...(Object.keys(chatPriceFields) as ChatPriceName[]),
).knowing(chatMembers.body)
const limitNames = ['max_completion_tokens', 'max_tokens'] as const
const streamFields = new FieldReader('include_usage')
const toolFields = new FieldReader('type', 'function', 'custom', 'cache_control').knowing(chatMembers.tools)
const functionFields = new FieldReader('cache_control')
const reasoningFields = new FieldReader('effort')
const extraFields = new FieldReader('google')
const cachedContentFields = new FieldReader('cached_content')

/** The position of `max_completion_tokens` or its older name. */
interface LimitField {
  readonly name: (typeof limitNames)[number]
  readonly span: Span
  /** null: written as null, which means no limit. */
  readonly tokens: number | null
}

export interface ChatFields extends ExtractedFields {
  readonly modelSpan: Span
  /** Behind the body's first brace: a field that is added goes here. */
  readonly insertAt: number
  readonly limitFields: readonly LimitField[]
  /** How to ask for the usage event; null when the caller did, or nothing is streamed. */
  readonly usageEdit: BytePatch | null
}

type ChatBodyValues = ReturnType<typeof bodyFields.read>

/** Throws WireError; see `FormatReader.extractRequest`. A body that has `input` and no `messages` is read as a Responses body. */
export function extractRequest(body: Uint8Array, limits: ReadLimits): ChatFields {
  const fields = readRequestObject(body, limits, (json) => {
    const values = bodyFields.read(json, json.root)
    const isResponses = isGiven(json, values.input) && !isGiven(json, values.messages)
    return isResponses ? null : factsOf(json, values, limits)
  })
  return fields ?? responsesFacts(body, limits)
}

/** A Responses body is never forwarded unchanged here, so there is nothing to splice. */
function responsesFacts(body: Uint8Array, limits: ReadLimits): ChatFields {
  const fields = readResponsesRequest(body, limits)
  return { ...fields, writtenAs: 'openai-responses', canPassThrough: false, limitFields: [], usageEdit: null }
}

function factsOf(json: Json, values: ChatBodyValues, limits: ReadLimits): ChatFields {
  const model = requestedModel(json, values.model, missing)
  const options = new PricedOptions(json)
  const parts = readParts(json, messagesOf(json, values), options)
  readOptions(json, values, options)
  const limitFields = limitsOf(json, values, limits.integerMax)
  const stream = flag(json, values.stream)
  const insertAt = json.start(json.root) + 1
  const { marks } = parts
  const hasForeignTools = readTools(json, values.tools, marks)
  const hostFields = hostFieldsOf(marks.size > 0, isGiven(json, values.reasoning))
  // The one of the whole body mixes nothing: it is a field that only hosts know.
  readMark(json, values.cache_control, marks)
  const isMixed = parts.isMixed || hasForeignTools || isGiven(json, values.system)
  return {
    model,
    modelSpan: json.span(values.model),
    fallbackModels: fallbackModels(json, values.models),
    stream,
    outputLimit: largest(limitFields),
    choices: isGiven(json, values.n) ? wholeNumber(json, values.n, { min: 1, max: limits.integerMax }) : 1,
    thinkingBudget: null,
    media: parts.media,
    references: parts.references,
    // Prompts are cached without being marked, and newer models charge for what is written.
    cacheWrites: marks.has('1h') ? ['5m', '1h'] : ['5m'],
    serverTools: [],
    options: options.list,
    writtenAs: 'openai-chat',
    canPassThrough: !isMixed && hostFields.length === 0,
    ...(isMixed || hostFields.length === 0 ? {} : { hostFields }),
    functionTools: isGiven(json, values.tools) || isGiven(json, values.functions),
    effort: effortOf(json, values),
    conversationSpan: conversationSpan(json, parts.opening, values.messages),
    cacheKeySpan: cacheKeySpan(json),
    unknownMembers: json.unknownMembers,
    insertAt,
    limitFields,
    usageEdit: stream ? usageEditOf(json, values.stream_options, insertAt) : null,
  }
}

const noFields: readonly HostField[] = []

function hostFieldsOf(hasMarks: boolean, hasReasoning: boolean): readonly HostField[] {
  if (!hasMarks && !hasReasoning) return noFields
  return [
    ...(hasMarks ? (['cache_control'] as const) : []),
    ...(hasReasoning ? (['reasoning'] as const) : []),
  ]
}

function messagesOf(json: Json, values: ChatBodyValues): number {
  if (isGiven(json, values.messages)) {
    if (json.kind(values.messages) === 'array') return values.messages
    throw invalid(json, values.messages, 'an array')
  }
  throw missing('messages')
}

function effortOf(json: Json, values: ChatBodyValues): string | null {
  if (isGiven(json, values.reasoning_effort)) return string(json, values.reasoning_effort)
  if (!isGiven(json, values.reasoning)) return null
  const { effort } = reasoningFields.read(json, values.reasoning)
  return isGiven(json, effort) ? string(json, effort) : null
}

/** Both names of the output limit, as far as they are there. */
function limitsOf(json: Json, values: ChatBodyValues, integerMax: number): readonly LimitField[] {
  return limitNames
    .filter((name) => values[name] !== absent)
    .map((name) => ({
      name,
      span: json.span(values[name]),
      tokens: json.isNull(values[name]) ? null : wholeNumber(json, values[name], { min: 1, max: integerMax }),
    }))
}

/** Upstreams differ in which of two limits they honor; the larger one bounds both. */
function largest(fields: readonly LimitField[]): number | null {
  const tokens = fields.flatMap((field) => field.tokens ?? [])
  return tokens.length === 0 ? null : Math.max(...tokens)
}

/** Rejects tools that run at the provider; says whether one is written as another format writes it. */
function readTools(json: Json, tools: number, marks: Set<CacheLifetime>): boolean {
  if (!isGiven(json, tools) || json.kind(tools) !== 'array') return false
  let isForeign = false
  for (const tool of json.children(tools)) {
    const { type, function: named, custom, cache_control: mark } = toolFields.read(json, tool)
    if (isGiven(json, type) && !callerTools.includes(string(json, type))) {
      throw unpriced(
        json,
        type,
        'tools of this type run at the provider, and this model has no price for them.',
      )
    }
    readMark(json, mark, marks)
    if (named !== absent) readMark(json, functionFields.read(json, named).cache_control, marks)
    if (named === absent && custom === absent) isForeign = true
  }
  return isForeign
}

function readOptions(json: Json, values: ChatBodyValues, options: PricedOptions): void {
  const { prompt_cache_options: caching, extra_body: extra } = values
  options.read(values, chatPriceFields)
  if (isGiven(json, caching)) readLifetime(json, caching, options)
  const google = isGiven(json, extra) ? extraFields.read(json, extra).google : absent
  if (isGiven(json, google)) options.read(cachedContentFields.read(json, google), googleFields)
}

/** The edit that sets `stream_options.include_usage` to true. */
function usageEditOf(json: Json, options: number, insertAt: number): BytePatch | null {
  const usageOption = '{"include_usage":true}'
  if (options === absent) return { start: insertAt, end: insertAt, text: `"stream_options":${usageOption},` }
  if (json.isNull(options)) return { ...json.span(options), text: usageOption }
  if (json.kind(options) !== 'object') throw invalid(json, options, 'an object')
  const { include_usage: value } = streamFields.read(json, options)
  if (value !== absent) return flag(json, value) ? null : { ...json.span(value), text: 'true' }
  const inside = json.start(options) + 1
  const comma = json.children(options).length === 0 ? '' : ','
  return { start: inside, end: inside, text: `"include_usage":true${comma}` }
}

/** The replacements that a splice needs, in body order. */
export function patchRequest(fields: ChatFields, splice: RequestPatch): readonly BytePatch[] {
  const edits: BytePatch[] = []
  if (splice.model !== undefined) edits.push({ ...fields.modelSpan, text: JSON.stringify(splice.model) })
  const { outputLimit, host } = splice
  if (outputLimit !== undefined) edits.push(...limitEdits(fields, outputLimit, host?.limitField))
  if (fields.usageEdit !== null && host?.streamUsage !== 'unasked') edits.push(fields.usageEdit)
  return edits.sort((a, b) => a.start - b.start)
}

/** Lowers every limit that is higher; where there is none, sets the name that the host takes, or that all newer models know. */
function limitEdits(
  { insertAt, limitFields }: ChatFields,
  tokens: number,
  only: LimitField['name'] | undefined,
): readonly BytePatch[] {
  const limited =
    only === undefined ? limitFields : [sentLimit(limitFields, only)].filter((one) => one !== null)
  const given = limited.filter((field) => field.tokens !== null)
  if (given.length > 0) {
    return given
      .filter((field) => field.tokens !== null && field.tokens > tokens)
      .map((field) => ({ ...field.span, text: String(tokens) }))
  }
  const name = only ?? 'max_completion_tokens'
  const empty = only === undefined ? limited.find((field) => field.name === name) : undefined
  if (empty !== undefined) return [{ ...empty.span, text: String(tokens) }]
  return [{ start: insertAt, end: insertAt, text: `"${name}":${tokens},` }]
}

/** The limit that goes to a host which takes one name: the one of that name, else the other under that name. */
export function sentLimit<Field extends Pick<LimitField, 'name' | 'tokens'>>(
  fields: readonly Field[],
  only: LimitField['name'],
): Field | null {
  const given = fields.filter(({ tokens }) => tokens !== null)
  return given.find(({ name }) => name === only) ?? given[0] ?? null
}

/** Whether the caller asked for the usage event itself. */
export function usageEvent(fields: ChatFields): 'relay' | 'drop' {
  return fields.usageEdit === null ? 'relay' : 'drop'
}
