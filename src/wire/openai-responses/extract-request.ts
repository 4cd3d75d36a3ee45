/**
 * A Responses request: the fields that routing and money need, read from its bytes, and the few
 * replacements that it may need on its way. Must not change, add or reorder anything else.
 */

import {
  type ExtractedFields,
  type ReadLimits,
  type Reference,
  type RequestPatch,
  WireError,
} from '../format.ts'
import { type BytePatch, type NumberPatch, numberPatch, type Span } from '../json/byte-patch.ts'
import { absent, FieldReader, flag, invalid, isGiven, string, wholeNumber } from '../json/fields.ts'
import type { Json } from '../json/json.ts'
import { responsesMembers } from '../known-members.ts'
import { PricedOptions } from '../price-fields.ts'
import {
  cacheKeySpan,
  conversationSpan,
  fallbackModels,
  missing,
  NamedFiles,
  readRequestObject,
  requestedModel,
} from '../request-fields.ts'
import { ItemReader } from './extract-request-items.ts'
import { type SharedCap, ToolReader } from './extract-request-tools.ts'
import {
  backgroundPriceFields,
  cachePriceFields,
  reasoningPriceFields,
  responsesPriceFields,
} from './request-price-table.ts'

type ResponsesPriceName = keyof typeof responsesPriceFields

const bodyFields = new FieldReader(
  'model',
  'input',
  'messages',
  'stream',
  'max_output_tokens',
  'max_tool_calls',
  'tools',
  'reasoning',
  'prompt_cache_options',
  'background_options',
  'previous_response_id',
  ...(Object.keys(responsesPriceFields) as ResponsesPriceName[]),
).knowing(responsesMembers.body)
const reasoningFields = new FieldReader('effort', 'mode')
const backgroundFields = new FieldReader('completion_window')
const cachingFields = new FieldReader('ttl', 'comparison_response_id')

/** A number that a splice may write or lower, as it is in the body. */
interface NumberField {
  /** null: the body has no such member. */
  readonly span: Span | null
  /** null: absent, or written as null, which means no limit. */
  readonly value: number | null
}

export interface ResponsesFields extends ExtractedFields {
  readonly modelSpan: Span
  readonly references: readonly Reference[]
  /** Behind the body's first brace: a field that is added goes here. */
  readonly insertAt: number
  readonly limitField: NumberField
  /** `max_tool_calls`, which all tools at the provider share. */
  readonly callsField: NumberField
}

type ResponsesBodyValues = ReturnType<typeof bodyFields.read>

/** Throws WireError; see `FormatReader.extractRequest`. */
export function extractRequest(body: Uint8Array, limits: ReadLimits): ResponsesFields {
  return readRequestObject(body, limits, (json) => factsOf(json, limits))
}

function factsOf(json: Json, { integerMax }: ReadLimits): ResponsesFields {
  const values = bodyFields.read(json, json.root)
  const model = requestedModel(json, values.model, missing)
  const options = new PricedOptions(json)
  const effort = readOptions(json, values, options)
  const callsField = numberField(json, values.max_tool_calls, { min: 0, max: integerMax })
  const insertAt = json.start(json.root) + 1
  const cap: SharedCap = {
    usesMax: callsField.value,
    capEdit: fieldEdit('max_tool_calls', callsField, insertAt),
  }
  const files = new NamedFiles(json)
  const tools = new ToolReader(json, { cap, options, files })
  tools.read(values.tools)
  const items = new ItemReader(json, { tools, options, files })
  const opening = readInput(json, values, items)
  items.references.add('response', values.previous_response_id, 'previous_response_id')
  const stream = flag(json, values.stream)
  const limitField = numberField(json, values.max_output_tokens, { min: 1, max: integerMax })
  return {
    model,
    modelSpan: json.span(values.model),
    fallbackModels: fallbackModels(json, values.models),
    stream,
    background: readBackground(json, values, stream),
    outputLimit: limitField.value,
    choices: 1,
    thinkingBudget: null,
    media: items.media,
    // Prompts are cached without being marked, and newer models charge for what is written.
    cacheWrites: ['5m'],
    serverTools: tools.serverTools,
    options: options.list,
    references: [...items.references.list, ...files.list],
    writtenAs: 'openai-responses',
    canPassThrough: true,
    functionTools: tools.hasCallerTools,
    effort,
    conversationSpan: conversationSpan(json, opening, values.input),
    cacheKeySpan: cacheKeySpan(json),
    unknownMembers: json.unknownMembers,
    insertAt,
    limitField,
    callsField,
  }
}

/** Whether the answer is to be polled for, which its provider must keep. */
function readBackground(json: Json, { background, store }: ResponsesBodyValues, stream: boolean): boolean {
  if (!flag(json, background)) return false
  if (isGiven(json, store) && !flag(json, store)) {
    throw new WireError('invalid_value', 'background: a background response needs store: true.', 'store')
  }
  if (!stream) return true
  throw new WireError(
    'invalid_value',
    'stream: background responses cannot be streamed. Remove stream and poll GET /v1/responses/{id} until the response has ended.',
    'stream',
  )
}

/** Reads the input and returns the user's first one, which identifies the conversation. A stored response alone is enough. */
function readInput(json: Json, values: ResponsesBodyValues, items: ItemReader): number {
  const { input, messages, previous_response_id: previous } = values
  if (!isGiven(json, input)) {
    if (isGiven(json, messages)) {
      const hint =
        " This body has 'messages' instead, as the Chat Completions format does; send the conversation as 'input'."
      throw missing('input', hint)
    }
    if (isGiven(json, previous)) return previous
    throw missing('input')
  }
  if (json.isString(input)) return input
  if (json.kind(input) !== 'array') throw invalid(json, input, 'a string or an array of items')
  return items.readItems(input)
}

function numberField(
  json: Json,
  value: number,
  bounds: { readonly min: number; readonly max: number },
): NumberField {
  return {
    span: value === absent ? null : json.span(value),
    value: isGiven(json, value) ? wholeNumber(json, value, bounds) : null,
  }
}

/** Notes what changes the price; returns the effort as written. */
function readOptions(json: Json, values: ResponsesBodyValues, options: PricedOptions): string | null {
  options.read(values, responsesPriceFields)
  const { reasoning, prompt_cache_options: caching, background_options: later } = values
  if (isGiven(json, later)) options.read(backgroundFields.read(json, later), backgroundPriceFields)
  if (isGiven(json, caching)) options.read(cachingFields.read(json, caching), cachePriceFields)
  if (!isGiven(json, reasoning)) return null
  const fields = reasoningFields.read(json, reasoning)
  options.read(fields, reasoningPriceFields)
  return isGiven(json, fields.effort) ? string(json, fields.effort) : null
}

/** The replacements that a splice needs, in body order. */
export function patchRequest(fields: ResponsesFields, splice: RequestPatch): readonly BytePatch[] {
  const edits: BytePatch[] = []
  if (splice.model !== undefined) edits.push({ ...fields.modelSpan, text: JSON.stringify(splice.model) })
  const { limitField, callsField, insertAt } = fields
  if (isAbove(limitField, splice.outputLimit)) {
    edits.push(numberPatch(fieldEdit('max_output_tokens', limitField, insertAt), splice.outputLimit))
  }
  const isCapped = fields.serverTools.some((tool) => tool.capPatch !== null)
  if (isCapped && isAbove(callsField, splice.serverToolUsesMax)) {
    // All tools at the provider share this cap, so it is written once.
    edits.push(numberPatch(fieldEdit('max_tool_calls', callsField, insertAt), splice.serverToolUsesMax))
  }
  return edits.sort((a, b) => a.start - b.start)
}

function isAbove(field: NumberField, most: number | undefined): most is number {
  return most !== undefined && (field.value === null || field.value > most)
}

function fieldEdit(name: string, { span }: NumberField, insertAt: number): NumberPatch {
  return span === null
    ? { start: insertAt, end: insertAt, before: `"${name}":`, after: ',' }
    : { ...span, before: '', after: '' }
}
