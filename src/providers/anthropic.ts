/** Anthropic: how it is called, what its errors mean, and the hidden tokens that it charges for. */
import type { Media } from '../wire/format.ts'
import { anthropicModels } from './anthropic-models-table.ts'
import { classifyAnswer, type ErrorRule } from './classify.ts'
import type { Connector, OutgoingRequest } from './connector.ts'
import {
  commonHeaders,
  type FormatHeaders,
  hasAddress,
  headerOf,
  headersIn,
  pathOf,
  supportedFormats,
  takenOver,
} from './outgoing-request.ts'
import { serverToolsFrom } from './server-tools.ts'
import { capabilitiesFrom } from './upstream-format.ts'

/** Version sent when the caller names none; it determines the format of the answer. */
const defaultVersion = '2023-06-01'

/**
 * Betas travel as they were written. Session and agent ids of coding clients (`x-claude-code-…`) are
 * for the gateway before the provider and stay here, as do `idempotency-key` and the SDK's telemetry.
 */
const callerHeaders = ['anthropic-beta'] as const

/** Words: platform.claude.com/docs/en/api/errors; the sentences as recorded from the API. */
const rules: readonly ErrorRule[] = [
  { words: ['billing_error'], meaning: 'billing' },
  { statuses: [400, 402, 403], begins: ['your credit balance is too low'], meaning: 'billing' },
  { words: ['authentication_error', 'permission_error'], meaning: 'credential' },
  { words: ['overloaded_error'], meaning: 'overloaded' },
  { words: ['timeout_error'], meaning: 'timeout' },
]

/** Pictures are scaled to 1,568 pixels and about 1,600 tokens, by newer models to 2,576 pixels and 4,784 tokens: platform.claude.com/docs/en/build-with-claude/vision. */
const pictureTokensOld = 1_600
const pictureTokensNew = 4_784
const oldModels = /^claude-([23]|(opus|sonnet|haiku)-4(-[0156](-\d{8})?)?(-\d{8})?$)/

function mediaTokensMax(media: Media, upstreamModel: string): number | 'window' {
  return media.kind === 'image' ? pictureTokensMax(upstreamModel) : 'window'
}

function pictureTokensMax(upstreamModel: string): number {
  return oldModels.test(upstreamModel) ? pictureTokensOld : pictureTokensNew
}

/**
 * A recorded response with 10 searches reports 401,468 input tokens, each result read again after each
 * later search: about 7,300 per search. Doubled. A tool search loads the definitions of a few tools, which
 * are in the request: platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool.
 */
const serverTools = {
  web_search: { tokensPerUse: 15_000, uncappedUses: null },
  tool_search: { tokensPerUse: 4_000, uncappedUses: 2 },
  code_execution: { tokensPerUse: 4_000, uncappedUses: null },
  mcp: { tokensPerUse: 8_000, uncappedUses: null },
}

/** Up to 3,000 tokens of text, and the picture of the page: platform.claude.com/docs/en/build-with-claude/pdf-support. */
const pageTextTokens = 3_000
const pagesMax = 600

/** How a request to a Messages API is built; the credential as `x-api-key`. */
export function messagesHeaders(outgoing: OutgoingRequest): string[] {
  return [
    ...commonHeaders(outgoing),
    'x-api-key',
    outgoing.credential,
    'anthropic-version',
    headerOf(outgoing, 'anthropic-version') ?? defaultVersion,
    ...takenOver(outgoing, callerHeaders),
  ]
}

const headersOf: FormatHeaders = {
  anthropic: messagesHeaders,
}
const formats = supportedFormats(headersOf)

export const anthropic: Connector = {
  provider: 'anthropic',
  displayName: 'Anthropic',
  families: ['claude-'],
  defaultOrigin: 'https://api.anthropic.com',
  formats,
  prepare: (outgoing) => ({ path: pathOf(outgoing), headers: headersIn(headersOf, outgoing) }),
  classify: (status, headers, problem) => classifyAnswer(rules, status, headers, problem),
  offers: (operation, format) => formats.includes(format) && hasAddress(operation, format),
  capabilities: (upstreamModel) => capabilitiesFrom(anthropicModels, upstreamModel),
  requestIdHeader: 'request-id',
  // openrouter.ai/docs/api-reference/streaming lists Anthropic among those that stop.
  onCancel: 'stops',
  // The tool prompt has up to 530 tokens (docs.anthropic.com, tool use pricing); recorded exchanges with
  // tools, schemas or citations report at most 730 beyond 1.35 × their text.
  hiddenInputTokens: 1_024,
  mediaTokensMax,
  serverTool: serverToolsFrom(serverTools, { tokensPerUse: 15_000, uncappedUses: null }),
  page: (upstreamModel) => ({ tokensMax: pictureTokensMax(upstreamModel) + pageTextTokens, pagesMax }),
  tokenFactor: { numerator: 27, denominator: 20 },
}
