/** Google (the Gemini API): how it is called, what its errors mean, and the hidden tokens that it charges for. */
import type { Media } from '../wire/format.ts'
import type { UpstreamFormatName } from '../wire/format-names.ts'
import { classifyAnswer, type ErrorRule } from './classify.ts'
import type { Connector, OutgoingRequest } from './connector.ts'
import { googleModels } from './google-models-table.ts'
import type { PageFacts } from './media-size.ts'
import {
  commonHeaders,
  type FormatHeaders,
  hasAddress,
  headersIn,
  pathBelow,
  supportedFormats,
  versionedBase,
} from './outgoing-request.ts'
import { serverToolsFrom } from './server-tools.ts'
import { capabilitiesFrom } from './upstream-format.ts'

/** Words: ai.google.dev/gemini-api/docs/troubleshooting and google.aip.dev/193; the sentences as recorded from the API. */
const rules: readonly ErrorRule[] = [
  // A key that is wrong, expired or not allowed is a 400 here.
  {
    words: ['API_KEY_INVALID', 'API_KEY_SERVICE_BLOCKED', 'SERVICE_DISABLED', 'UNAUTHENTICATED'],
    meaning: 'credential',
  },
  { words: ['INVALID_ARGUMENT'], begins: ['api key not valid', 'api key expired'], meaning: 'credential' },
  { words: ['BILLING_DISABLED'], meaning: 'billing' },
  {
    words: ['FAILED_PRECONDITION', 'PERMISSION_DENIED', 'RESOURCE_EXHAUSTED'],
    begins: [
      'gemini api free tier is not available',
      'this api method requires billing',
      'your prepayment credits are depleted',
      'your project has exceeded its monthly spending cap',
    ],
    meaning: 'billing',
  },
  // The location of the server, not of the caller.
  { words: ['FAILED_PRECONDITION'], begins: ['user location is not supported'], meaning: 'credential' },
  { words: ['PERMISSION_DENIED'], meaning: 'credential' },
  { words: ['RESOURCE_EXHAUSTED'], begins: ['you exceeded your current quota'], meaning: 'quota' },
  { words: ['UNAVAILABLE'], meaning: 'overloaded' },
  { words: ['DEADLINE_EXCEEDED'], meaning: 'timeout' },
  { words: ['CANCELLED', 'ABORTED', 'INTERNAL'], meaning: 'server' },
]

const oldModels = /^gemini-(?:1|2)[.-]/

/**
 * Up to 2.5 a picture is scaled to at most 3,072 pixels a side and cut into squares of 258 tokens, with sides from
 * 256 to 768 pixels: at most 12 × 2, and the whole once more (recorded: 7 × 258 for a picture of 6 squares).
 * From 3 on at most 2,240 tokens, at the highest resolution that can be asked for.
 * Sources: ai.google.dev/gemini-api/docs/image-understanding, ai.google.dev/gemini-api/docs/media-resolution.
 */
const pictureTokensOld = 25 * 258
const pictureTokensNew = 2_240

/**
 * A document has at most 1,000 pages of 258 tokens, or of 1,120 from 3 on; the text in it is not charged:
 * ai.google.dev/gemini-api/docs/document-processing.
 */
const pagesMax = 1_000
const pageTokensOld = 258
const pageTokensNew = 1_120

/** ai.google.dev/gemini-api/docs/audio. */
const soundTokensPerSecond = 32
/** The lowest rate at which these spend bytes: 8 kbit/s, rounded down to be safe. Others shrink silence to nothing. */
const soundBytesPerSecondMin = 500
const soundTypes = /^audio\/(?:mpeg|mp3|wav|x-wav|wave|aiff|x-aiff)$/

function mediaTokensMax(media: Media, upstreamModel: string): number | 'window' {
  const isOld = oldModels.test(upstreamModel)
  if (media.kind === 'image') return isOld ? pictureTokensOld : pictureTokensNew
  if (media.kind === 'video' || media.span === null) return 'window'
  const bytes = Math.ceil(((media.span.end - media.span.start) * 3) / 4)
  if (media.kind === 'audio') {
    if (!soundTypes.test(media.mediaType)) return 'window'
    return Math.ceil((bytes / soundBytesPerSecondMin) * soundTokensPerSecond) + soundTokensPerSecond
  }
  // Documents of text are read as text, of at most one token a byte.
  return media.mediaType.startsWith('text/') ? bytes : 'window'
}

/**
 * No request can cap the uses of these tools. What a search finds is not charged as input, what code prints
 * and what an address holds is; computer use is run by the caller.
 * Sources: ai.google.dev/gemini-api/docs/pricing, /google-search, /code-execution, /url-context, /computer-use.
 */
const serverTools = {
  web_search: { tokensPerUse: 1_000, uncappedUses: null },
  google_maps: { tokensPerUse: 2_000, uncappedUses: 1 },
  code_execution: { tokensPerUse: 4_000, uncappedUses: null },
  web_fetch: { tokensPerUse: 15_000, uncappedUses: null },
  computer_use: { tokensPerUse: 0, uncappedUses: 0 },
}

function page(upstreamModel: string): PageFacts {
  return { tokensMax: oldModels.test(upstreamModel) ? pageTokensOld : pageTokensNew, pagesMax }
}

/** How a request to the Gemini API is built. No header of the caller travels: those it knows choose who pays. */
export function geminiHeaders(outgoing: OutgoingRequest): string[] {
  return [...commonHeaders(outgoing), 'x-goog-api-key', outgoing.credential]
}

const headersOf: FormatHeaders = {
  // First: models are listed in it.
  gemini: geminiHeaders,
  'gemini-embeddings': geminiHeaders,
  'openai-embeddings': (outgoing) => [
    ...commonHeaders(outgoing),
    'authorization',
    `Bearer ${outgoing.credential}`,
  ],
}
const formats = supportedFormats(headersOf)

/** Behind the version: ai.google.dev/gemini-api/docs/openai. */
const compatiblePaths: Readonly<Partial<Record<UpstreamFormatName, string>>> = {
  'openai-embeddings': '/openai',
}

function pathPrefix(format: UpstreamFormatName, basePath: string): string {
  return versionedBase('gemini', basePath) + (compatiblePaths[format] ?? '')
}

export const google: Connector = {
  provider: 'google',
  displayName: 'Google',
  families: ['gemini-'],
  defaultOrigin: 'https://generativelanguage.googleapis.com',
  formats,
  pathPrefix,
  prepare: (outgoing) => ({
    path: pathBelow(pathPrefix(outgoing.format, outgoing.basePath), outgoing),
    headers: headersIn(headersOf, outgoing),
  }),
  classify: (status, headers, problem) => classifyAnswer(rules, status, headers, problem),
  offers: (operation, format) => formats.includes(format) && hasAddress(operation, format),
  capabilities: (upstreamModel) => capabilitiesFrom(googleModels, upstreamModel),
  // The API names its answers in the body; a host in front of it may do so here.
  requestIdHeader: 'x-request-id',
  // Canceling only affects the client and is charged: googleapis.github.io/js-genai, GenerateContentConfig.abortSignal.
  onCancel: 'bills_on',
  // Recorded exchanges with tools or schemas never report more than their text has.
  hiddenInputTokens: 256,
  mediaTokensMax,
  page,
  serverTool: serverToolsFrom(serverTools, { tokensPerUse: 15_000, uncappedUses: null }),
  tokenFactor: { numerator: 27, denominator: 20 },
}
