/**
 * A Messages request: the fields that routing and money need, read from its bytes, and the few
 * replacements that it may need on its way. Must not change, add or reorder anything else: newer
 * models bind their thinking to the exact prefix.
 */

import type { ExtractedFields, PricedOption, ReadLimits, RequestPatch, WireError } from '../format.ts'
import { type BytePatch, numberPatch, type Span } from '../json/byte-patch.ts'
import { FieldReader, flag, invalid, isGiven, string, wholeNumber } from '../json/fields.ts'
import type { Json } from '../json/json.ts'
import { messagesMembers } from '../known-members.ts'
import { notOwned, PricedOptions } from '../price-fields.ts'
import { conversationSpan, fallbackModels, readRequestObject, requestedModel } from '../request-fields.ts'
import { BlockReader, missing } from './extract-request-parts.ts'
import { billingPolicyFields, freeContextEdits, messagesPriceFields } from './request-price-table.ts'

type MessagesPriceName = keyof typeof messagesPriceFields

const bodyFields = new FieldReader(
  'model',
  'max_tokens',
  'messages',
  'system',
  'stream',
  'tools',
  'thinking',
  'cache_control',
  'context_management',
  'billing_policy',
  ...(Object.keys(messagesPriceFields) as MessagesPriceName[]),
).knowing(messagesMembers.body)
const thinkingFields = new FieldReader('type', 'budget_tokens')
const contextFields = new FieldReader('edits')
const contextEditFields = new FieldReader('type')
const policyFields = new FieldReader('bill_to')
const threadFields = new FieldReader('previous_message_id')

export interface MessagesFields extends ExtractedFields {
  readonly modelSpan: Span
  readonly outputLimit: number
  readonly limitSpan: Span
}

type MessagesBodyValues = ReturnType<typeof bodyFields.read>

/** Throws WireError; see `FormatReader.extractRequest`. */
export function extractRequest(body: Uint8Array, limits: ReadLimits): MessagesFields {
  return readRequestObject(body, limits, (json) => factsOf(json, limits))
}

function factsOf(json: Json, { integerMax }: ReadLimits): MessagesFields {
  const values = bodyFields.read(json, json.root)
  const model = requestedModel(json, values.model, missing)
  if (!isGiven(json, values.max_tokens)) throw missing('max_tokens')
  if (!isGiven(json, values.messages)) throw missing('messages')
  if (json.kind(values.messages) !== 'array') throw invalid(json, values.messages, 'an array')
  const blocks = new BlockReader(json, integerMax)
  blocks.readCacheControl(values.cache_control)
  blocks.readTools(values.tools)
  blocks.readServers(values.mcp_servers, messagesPriceFields.mcp_servers.meter)
  blocks.readContent(values.system)
  const opening = blocks.readMessages(values.messages)
  return {
    model,
    modelSpan: json.span(values.model),
    fallbackModels: fallbackModels(json, values.models),
    stream: flag(json, values.stream),
    outputLimit: wholeNumber(json, values.max_tokens, { min: 0, max: integerMax }),
    limitSpan: json.span(values.max_tokens),
    choices: 1,
    thinkingBudget: thinkingBudgetOf(json, values.thinking, integerMax),
    media: blocks.media.sort((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0)),
    references: blocks.files.list,
    cacheWrites: [...blocks.cacheWrites],
    serverTools: blocks.serverTools,
    options: optionsOf(json, values),
    writtenAs: 'anthropic',
    canPassThrough: true,
    functionTools: isGiven(json, values.tools),
    effort: null,
    conversationSpan: conversationSpan(json, opening, values.messages),
    unknownMembers: json.unknownMembers,
  }
}

function thinkingBudgetOf(json: Json, thinking: number, integerMax: number): number | null {
  if (!isGiven(json, thinking)) return null
  const { budget_tokens: budget } = thinkingFields.read(json, thinking)
  return isGiven(json, budget) ? wholeNumber(json, budget, { min: 0, max: integerMax }) : null
}

function optionsOf(json: Json, values: MessagesBodyValues): readonly PricedOption[] {
  const options = new PricedOptions(json)
  if (isGiven(json, values.thread)) throw threadNotOwned(json, values.thread)
  options.read(values, messagesPriceFields)
  if (isGiven(json, values.billing_policy)) {
    options.read(policyFields.read(json, values.billing_policy), billingPolicyFields)
  }
  if (isGiven(json, values.context_management)) {
    const { edits } = contextFields.read(json, values.context_management)
    if (isGiven(json, edits) && json.kind(edits) === 'array') readContextEdits(json, edits, options)
  }
  return options.list
}

/** Libraries continue after it: the error names a message of a thread where the thread was to be continued. */
function threadNotOwned(json: Json, thread: number): WireError {
  const { previous_message_id: message } = threadFields.read(json, thread)
  return notOwned(json, isGiven(json, message) ? message : thread)
}

/** Edits that clear by rule are free; any other samples the model once more. */
function readContextEdits(json: Json, edits: number, options: PricedOptions): void {
  for (const edit of json.children(edits)) {
    const { type } = contextEditFields.read(json, edit)
    if (!isGiven(json, type)) continue
    const undated = string(json, type).replace(/_\d{8}$/, '')
    if (!freeContextEdits.includes(undated)) options.add(`context_management:${undated}`, type)
  }
}

/** The replacements that a splice needs, in body order. */
export function patchRequest(fields: MessagesFields, splice: RequestPatch): readonly BytePatch[] {
  const edits: BytePatch[] = []
  // Where the path names the model, the body does not.
  if (splice.model !== undefined && splice.host?.modelInPath !== true)
    edits.push({ ...fields.modelSpan, text: JSON.stringify(splice.model) })
  if (splice.outputLimit !== undefined && splice.outputLimit < fields.outputLimit) {
    edits.push({ ...fields.limitSpan, text: String(splice.outputLimit) })
  }
  const usesMax = splice.serverToolUsesMax
  if (usesMax !== undefined) {
    for (const tool of fields.serverTools) {
      const isCapped = tool.usesMax !== null && tool.usesMax <= usesMax
      if (!isCapped && tool.capPatch !== null) edits.push(numberPatch(tool.capPatch, usesMax))
    }
  }
  return edits.sort((a, b) => a.start - b.start)
}
