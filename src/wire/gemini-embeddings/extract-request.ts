/**
 * A request for Google's embeddings, of one content or of a batch: the fields that routing and money need, read from its
 * bytes. Must not change, add or reorder anything but the names of the model, which each request of a batch repeats.
 */
import type { UrlFields } from '../client-routes.ts'
import { type ExtractedFields, type ReadLimits, type RequestPatch, WireError } from '../format.ts'
import { modelInPath, rejectOtherModel } from '../gemini/extract-request.ts'
import { elements } from '../gemini/extract-request-fields.ts'
import { ContentExtractor } from '../gemini/extract-request-media.ts'
import type { BytePatch, Span } from '../json/byte-patch.ts'
import { isGiven, TwoSpellings } from '../json/fields.ts'
import type { Json } from '../json/json.ts'
import { embeddingsMembers } from '../known-members.ts'
import { PricedOptions, type PriceField, unpriced } from '../price-fields.ts'
import { embeddingFacts, readRequestObject } from '../request-fields.ts'

/**
 * The fields of a request for Google's embeddings that can change what it charges, with the page each fact was read from.
 * Every other field is passed through and costs only its tokens.
 */
const embedPriceFields = {
  /** Only a price row makes the rate of another tier known. */
  serviceTier: {
    rule: 'values',
    name: 'service_tier',
    free: ['standard', 'unspecified'],
    source: 'https://ai.google.dev/gemini-api/docs/pricing',
  },
} as const satisfies Readonly<Record<string, PriceField>>

const bodyFields = new TwoSpellings('model', 'content', 'requests', 'serviceTier').knowing(embeddingsMembers)

export interface GeminiEmbeddingsFields extends ExtractedFields {
  readonly modelSpan: null
  /** Where the body repeats the model's name. */
  readonly modelSpans: readonly Span[]
}

/** Throws WireError; see `FormatReader.extractRequest`. */
export function extractRequest(
  body: Uint8Array,
  limits: ReadLimits,
  address: UrlFields,
): GeminiEmbeddingsFields {
  const model = modelInPath(address)
  return readRequestObject(body, limits, (json) => factsOf(json, model))
}

function factsOf(json: Json, model: string): GeminiEmbeddingsFields {
  const options = new PricedOptions(json)
  const parts = new ContentExtractor(json, options)
  const modelSpans: Span[] = []
  const body = bodyFields.read(json, json.root)
  options.read(body, embedPriceFields)
  const isBatch = isGiven(json, body.requests)
  for (const request of isBatch ? elements(json, body.requests) : [json.root]) {
    const { model: named, content } = bodyFields.read(json, request)
    rejectOtherModel(json, named, model)
    if (isGiven(json, named)) modelSpans.push(json.span(named))
    if (!isGiven(json, content)) throw missingContent(json, request)
    parts.readContent(content)
    // Images, audio and video cost more than text.
    if (parts.media.length > 0) throw unpriced(json, content, 'only text can be embedded here.')
  }
  return {
    ...embeddingFacts,
    model,
    modelSpan: null,
    modelSpans,
    options: options.list,
    conversationSpan: json.span(json.root),
    unknownMembers: json.unknownMembers,
  }
}

function missingContent(json: Json, request: number): WireError {
  const place = request === json.root ? 'content' : `${json.pointer(request)}.content`
  return new WireError('missing_field', `${place}: this field is required.`, place)
}

/** The replacements that a splice needs: the path has the model as well. */
export function patchRequest(
  { modelSpans }: GeminiEmbeddingsFields,
  { model }: RequestPatch,
): readonly BytePatch[] {
  if (model === undefined) return []
  return modelSpans.map((span) => ({ ...span, text: JSON.stringify(`models/${model}`) }))
}
