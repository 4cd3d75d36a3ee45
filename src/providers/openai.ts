/** OpenAI: how it is called, what its errors mean, and the hidden tokens that it charges for. */
import type { Media } from '../wire/format.ts'
import { classifyAnswer, type ErrorRule } from './classify.ts'
import type { Connector, OutgoingRequest } from './connector.ts'
import { openaiModels } from './openai-models-table.ts'
import {
  commonHeaders,
  type FormatHeaders,
  hasAddress,
  headersIn,
  pathOf,
  supportedFormats,
  takenOver,
} from './outgoing-request.ts'
import { serverToolsFrom } from './server-tools.ts'
import { capabilitiesFrom } from './upstream-format.ts'

/**
 * `idempotency-key` is excluded: with a shared credential it would let one account's key find another account's answer. Organization
 * and project are ours to choose. Headers of coding clients about their user and location (`originator`, `session-id`, `thread-id`,
 * `x-codex-…`) are for the gateway and are not forwarded.
 */
const callerHeaders = ['openai-beta'] as const

/** Words: platform.openai.com/docs/guides/error-codes; the sentences as recorded from the API. */
const rules: readonly ErrorRule[] = [
  {
    words: ['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active', 'account_deactivated'],
    meaning: 'billing',
  },
  { words: ['model_not_found'], meaning: 'model_missing' },
  // Stored for its caller for a while, and then deleted.
  { statuses: [404], begins: ['item with id '], meaning: 'rejected' },
  // A single request above the limit per minute: waiting does not help.
  { statuses: [429], begins: ['request too large'], meaning: 'larger_than_rate' },
]

/**
 * The most tokens that one picture costs, by the beginning of the model's name, longest first.
 * Tiles: the picture is scaled to at most 2048 × 768, so at most 8 tiles, and costs base + 8 × tile.
 * Patches: at most 1,536 of 32 × 32, times the model's factor; 10,000 of them at `detail: original`.
 * Sources: platform.openai.com/docs/guides/images-vision (calculating costs); the 10,000:
 * github.com/openai/codex/pull/19865; the factor 1.2: community.openai.com/t/1372291.
 */
const pictureTokens: readonly (readonly [prefix: string, tokensMax: number])[] = [
  ['gpt-4o-mini', tiles(2_833, 5_667)],
  ['gpt-4o', tiles(85, 170)],
  ['chatgpt-4o', tiles(85, 170)],
  ['gpt-4-turbo', tiles(85, 170)],
  ['gpt-4.5', tiles(85, 170)],
  ['gpt-4.1-mini', patches(1_536, 1.62)],
  ['gpt-4.1-nano', patches(1_536, 2.46)],
  ['gpt-4.1', Math.max(tiles(85, 170), patches(1_536, 1))],
  ['o4-mini', patches(1_536, 1.72)],
  ['o1', tiles(75, 150)],
  ['o3', tiles(75, 150)],
  ['gpt-5-mini', patches(1_536, 1.62)],
  ['gpt-5-nano', patches(1_536, 2.46)],
  ['gpt-5-', patches(1_536, 2.46)],
  ['gpt-5.1', patches(1_536, 2.46)],
  ['gpt-5.2', patches(1_536, 2.46)],
  ['gpt-5.3', patches(1_536, 2.46)],
  ['gpt-5.', patches(10_000, 2.46)],
  ['gpt-6', patches(10_000, 2.46)],
]

/** For unknown names: the most expensive row. */
const unknownPictureTokens = Math.max(...pictureTokens.map(([, tokensMax]) => tokensMax))

function tiles(base: number, tile: number): number {
  return base + 8 * tile
}

function patches(count: number, factor: number): number {
  return Math.ceil(count * factor)
}

/** The lowest rate at which any codec that is taken spends bytes: 8 kbit/s, rounded down to be safe. */
const soundBytesPerSecondMin = 500
/** Tokens of user audio, one per 100 ms: platform.openai.com/docs/guides/realtime-costs. */
const soundTokensPerSecond = 10

function pictureTokensMax(upstreamModel: string): number {
  return pictureTokens.find(([prefix]) => upstreamModel.startsWith(prefix))?.[1] ?? unknownPictureTokens
}

/** The text of each page and a picture of it are read: developers.openai.com/docs/guides/pdf-files. */
const pageTextTokens = 3_000

function mediaTokensMax(media: Media, upstreamModel: string): number | 'window' {
  switch (media.kind) {
    case 'image':
      return pictureTokensMax(upstreamModel)
    case 'audio': {
      if (media.span === null) return 'window'
      const bytes = ((media.span.end - media.span.start) * 3) / 4
      return Math.ceil((bytes / soundBytesPerSecondMin) * soundTokensPerSecond) + soundTokensPerSecond
    }
    case 'video':
    case 'document':
      return 'window'
  }
}

/** How a request in one of OpenAI's formats is built. */
export function openaiHeaders(outgoing: OutgoingRequest): string[] {
  return [
    ...commonHeaders(outgoing),
    'authorization',
    `Bearer ${outgoing.credential}`,
    // Found again in the provider's own logs: platform.openai.com/docs/api-reference/debugging-requests.
    'x-client-request-id',
    outgoing.requestId,
    ...takenOver(outgoing, callerHeaders),
  ]
}

const headersOf: FormatHeaders = {
  'openai-chat': openaiHeaders,
  'openai-responses': openaiHeaders,
  'openai-embeddings': openaiHeaders,
}
const formats = supportedFormats(headersOf)

export const openai: Connector = {
  provider: 'openai',
  displayName: 'OpenAI',
  families: ['gpt-', 'chatgpt-', 'o1', 'o3', 'o4', 'text-embedding-', 'ft:gpt-'],
  // OpenAI's open-weight models are hosted by others: github.com/openai/gpt-oss.
  servedElsewhere: ['gpt-oss'],
  defaultOrigin: 'https://api.openai.com',
  formats,
  prepare: (outgoing) => ({ path: pathOf(outgoing), headers: headersIn(headersOf, outgoing) }),
  classify: (status, headers, problem) => classifyAnswer(rules, status, headers, problem),
  offers: (operation, format) => formats.includes(format) && hasAddress(operation, format),
  capabilities: (upstreamModel) => capabilitiesFrom(openaiModels, upstreamModel),
  requestIdHeader: 'x-request-id',
  // openrouter.ai/docs/api-reference/streaming lists OpenAI among those that stop.
  onCancel: 'stops',
  // Recorded exchanges with tools or schemas: at most 94 tokens beyond the text itself.
  hiddenInputTokens: 256,
  // Three per message and one for a name: the token counting recipe in OpenAI's cookbook.
  mediaTokensMax,
  // No number of pages is documented.
  page: (upstreamModel) => ({
    tokensMax: pictureTokensMax(upstreamModel) + pageTextTokens,
    pagesMax: Number.POSITIVE_INFINITY,
  }),
  // Search content is charged as 8,000 tokens a call where it is charged: platform.openai.com/docs/pricing.
  serverTool: serverToolsFrom({}, { tokensPerUse: 8_000, uncappedUses: null }),
  tokenFactor: { numerator: 1, denominator: 1 },
}
