/**
 * An embeddings request: the fields that routing and money need, read from its bytes. Its input is text or
 * token IDs, each of which has at least one byte, so that the size of the body bounds both.
 * Must not change, add or reorder anything but the model's name.
 */
import type { ExtractedFields, ReadLimits, RequestPatch } from '../format.ts'
import type { BytePatch, Span } from '../json/byte-patch.ts'
import { FieldReader, flag, invalid, isGiven, string, wholeNumber } from '../json/fields.ts'
import type { Json } from '../json/json.ts'
import { embeddingsMembers } from '../known-members.ts'
import { PricedOptions, type PriceField, routerPriceFields } from '../price-fields.ts'
import {
  embeddingFacts,
  fallbackModels,
  missing,
  readRequestObject,
  requestedModel,
} from '../request-fields.ts'
import type { VectorEncoding } from '../vector-encoding.ts'

/**
 * The fields of an embeddings request that can change what the provider charges, with the page each fact
 * was read from. Every other field is passed through and costs only its tokens.
 */
const embeddingsPriceFields = {
  ...routerPriceFields,
  /** Embeddings have one rate at their vendor; where a host sells tiers, only a price row makes one known. */
  service_tier: {
    rule: 'values',
    name: 'service_tier',
    free: ['auto', 'default', 'standard'],
    source: 'https://developers.openai.com/api/docs/pricing',
  },
  background: {
    rule: 'rejected',
    why: 'background requests are not supported in this format. Remove the field.',
    source: 'https://developers.openai.com/api/docs/guides/background',
  },
} as const satisfies Readonly<Record<string, PriceField>>

type EmbeddingsPriceName = keyof typeof embeddingsPriceFields

const bodyFields = new FieldReader(
  'model',
  'input',
  'dimensions',
  'encoding_format',
  'user',
  'stream',
  ...(Object.keys(embeddingsPriceFields) as EmbeddingsPriceName[]),
).knowing(embeddingsMembers)
const inputForms = 'a string, or an array of strings, of token ids or of arrays of token ids'

export interface EmbeddingsFields extends ExtractedFields {
  readonly modelSpan: Span
  /** null: one that this server does not know. */
  readonly vectorEncoding: VectorEncoding | null
}

/** Throws WireError; see `FormatReader.extractRequest`. */
export function extractRequest(body: Uint8Array, limits: ReadLimits): EmbeddingsFields {
  return readRequestObject(body, limits, (json) => factsOf(json, limits))
}

function factsOf(json: Json, limits: ReadLimits): EmbeddingsFields {
  const values = bodyFields.read(json, json.root)
  const model = requestedModel(json, values.model, missing)
  if (!isGiven(json, values.input)) throw missing('input')
  const { input } = values
  checkInput(json, input, limits.integerMax)
  if (isGiven(json, values.dimensions)) {
    wholeNumber(json, values.dimensions, { min: 1, max: limits.integerMax })
  }
  const encoding = isGiven(json, values.encoding_format) ? string(json, values.encoding_format) : 'float'
  if (isGiven(json, values.user)) string(json, values.user)
  if (flag(json, values.stream)) throw invalid(json, values.stream, 'false: embeddings cannot be streamed')
  const options = new PricedOptions(json)
  options.read(values, embeddingsPriceFields)
  return {
    ...embeddingFacts,
    model,
    modelSpan: json.span(values.model),
    vectorEncoding: encoding === 'float' || encoding === 'base64' ? encoding : null,
    fallbackModels: fallbackModels(json, values.models),
    options: options.list,
    conversationSpan: json.span(input),
    unknownMembers: json.unknownMembers,
  }
}

/** All elements have the form of the first one: hosts differ in what they make of a mixture. */
function checkInput(json: Json, input: number, integerMax: number): void {
  const kind = json.kind(input)
  if (kind === 'string') return
  if (kind !== 'array') throw invalid(json, input, inputForms)
  const elements = json.children(input)
  const form = elements[0] === undefined ? 'string' : json.kind(elements[0])
  for (const element of elements) {
    if (json.kind(element) !== form) throw invalid(json, element, `a ${form}, like the first element`)
    if (form === 'number') wholeNumber(json, element, { min: 0, max: integerMax })
    else if (form === 'array') checkTokens(json, element, integerMax)
    else if (form !== 'string') throw invalid(json, input, inputForms)
  }
}

function checkTokens(json: Json, tokens: number, integerMax: number): void {
  for (const token of json.children(tokens)) wholeNumber(json, token, { min: 0, max: integerMax })
}

/** The replacements that a splice needs: only the model has a position in this format. */
export function patchRequest(fields: EmbeddingsFields, splice: RequestPatch): readonly BytePatch[] {
  return splice.model === undefined ? [] : [{ ...fields.modelSpan, text: JSON.stringify(splice.model) }]
}
