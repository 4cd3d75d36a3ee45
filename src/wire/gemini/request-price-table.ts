/**
 * Parts of a Gemini request that can change the provider's price: fields, and tools that run at the
 * provider, with the page each fact was read from. Everything else is passed through and costs only
 * its tokens.
 */
import type { PriceField } from '../price-fields.ts'

const docs = 'https://ai.google.dev/gemini-api/docs'
const pricing = `${docs}/pricing`
const reference = 'https://ai.google.dev/api/generate-content'
const platform = 'https://cloud.google.com/vertex-ai/generative-ai/docs'

export const bodyPriceFields = {
  /** The answer is read from a cache that the provider keeps, at a price by the hour. */
  cachedContent: { rule: 'reference', source: `${docs}/caching` },
  /** Output goes to a bucket that the operator's credential may write to: `outputConfig` in requests, the other name in Google's libraries. */
  outputConfig: { rule: 'reference', source: `${platform}/model-reference/inference` },
  generationOutputConfig: { rule: 'reference', source: `${platform}/model-reference/inference` },
  /** Continues a response that the provider stores; what was generated before is input again. */
  continuationToken: { rule: 'reference', source: reference },
  /** A service with its own price for each token that is screened. */
  modelArmorConfig: {
    rule: 'option',
    name: 'model_armor',
    source: 'https://cloud.google.com/security/products/model-armor#pricing',
  },
  /** Logging, at no price. */
  store: { rule: 'free', source: `${docs}/logs-policy` },
  labels: { rule: 'free', source: `${platform}/multimodal/send-chat-prompts-gemini` },
  safetySettings: { rule: 'free', source: `${docs}/safety-settings` },
} as const satisfies Readonly<Record<string, PriceField>>

/** Price fields of `generationConfig`. */
export const settingPriceFields = {
  /** Speech output has its own rates. */
  speechConfig: { rule: 'option', name: 'modality:audio', source: pricing },
  /** Images out are charged by their size. */
  imageConfig: { rule: 'option', name: 'modality:image', source: pricing },
  /** Another model answers, at its own price. */
  routingConfig: { rule: 'option', name: 'routing_config', source: `${platform}/model-reference/inference` },
  modelSelectionConfig: {
    rule: 'option',
    name: 'model_selection_config',
    source: `${platform}/model-reference/inference`,
  },
} as const satisfies Readonly<Record<string, PriceField>>

/** A field that names one of several values, in either case; `free` in lower case, without the enum's own prefix. */
export interface EnumField {
  readonly name: string
  readonly prefix: string
  readonly free: readonly string[]
  readonly source: string
}

/** `flex` is cheaper and `priority` more expensive; the response names the tier it ran at. */
export const serviceTier: EnumField = {
  name: 'service_tier',
  prefix: 'service_tier_',
  free: ['standard', 'unspecified'],
  source: `${docs}/service-tiers`,
}

/** Kinds of output: in `responseModalities`, and as the members of `responseFormat[]`. */
export const modality: EnumField = {
  name: 'modality',
  prefix: 'modality_',
  free: ['text', 'unspecified'],
  source: pricing,
}

/** More tokens for the same picture; what a picture may cost at most is known up to `high`. */
export const mediaResolution: EnumField = {
  name: 'media_resolution',
  prefix: 'media_resolution_',
  free: ['low', 'medium', 'high', 'unspecified'],
  source: `${docs}/media-resolution`,
}

/** The member of `tools[]` that the caller runs itself. */
export const callerTool = 'functionDeclarations'

/**
 * Tools that run at the provider, by meter; any other has its own name. No request can cap their uses.
 * Code execution has no fee, but what it prints is billed as input again. Computer use is run by the
 * caller, with hidden instructions of unknown length.
 */
export const meters: Readonly<Record<string, { readonly meter: string; readonly source: string }>> = {
  googleSearch: { meter: 'web_search', source: `${docs}/google-search` },
  googleSearchRetrieval: { meter: 'web_search', source: `${docs}/google-search` },
  enterpriseWebSearch: { meter: 'web_search', source: `${platform}/grounding/web-grounding-enterprise` },
  urlContext: { meter: 'web_fetch', source: `${docs}/url-context` },
  codeExecution: { meter: 'code_execution', source: `${docs}/code-execution#billing` },
  googleMaps: { meter: 'google_maps', source: `${docs}/maps-grounding` },
  fileSearch: { meter: 'file_search', source: `${docs}/file-search` },
  computerUse: { meter: 'computer_use', source: `${docs}/computer-use` },
  mcpServers: { meter: 'mcp', source: reference },
  retrieval: { meter: 'retrieval', source: `${platform}/model-reference/grounding` },
}
