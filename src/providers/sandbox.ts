/** The provider inside the program, called like the real ones: it supports all their formats and any credential. */

import type { UpstreamProblem } from '../wire/format.ts'
import type { Capabilities } from '../wire/translation/capabilities.ts'
import { anthropic, messagesHeaders } from './anthropic.ts'
import type { Connector } from './connector.ts'
import { geminiHeaders, google } from './google.ts'
import { openai, openaiHeaders } from './openai.ts'
import { type FormatHeaders, hasAddress, headersIn, pathOf, supportedFormats } from './outgoing-request.ts'
import { plainModel } from './upstream-format.ts'

/** Everything, so that each field can be tried. */
export const sandboxCapabilities: Capabilities = {
  ...plainModel,
  topK: true,
  stopsMax: 16,
  thinkingOff: 'none',
  // The sandbox's generateContent requires signatures, as Google's newer models do.
  signedCalls: true,
  prefill: true,
  schemaOutput: true,
  schemaWithTools: true,
  cacheBreakpoints: true,
  resultMedia: true,
  inputs: ['text', 'image', 'audio', 'document'],
  outputTokensMax: 200_000,
}

const headersOf: FormatHeaders = {
  'openai-chat': openaiHeaders,
  'openai-responses': openaiHeaders,
  anthropic: messagesHeaders,
  gemini: geminiHeaders,
}
const formats = supportedFormats(headersOf)

/** Each format's words mean here what they mean at the maker of that format, and contradict nowhere. */
function makerOf(problem: UpstreamProblem): Connector {
  if (/^[A-Z_]+$/.test(problem.type)) return google
  return problem.code === '' ? anthropic : openai
}

export const sandbox: Connector = {
  provider: 'sandbox',
  displayName: 'Sandbox',
  families: ['sandbox-'],
  servesAnyName: true,
  // The actual origin is set when the sandbox has started to listen.
  defaultOrigin: 'http://127.0.0.1',
  formats,
  prepare(outgoing) {
    // The request log of the sandbox is searched by this id.
    return {
      path: pathOf(outgoing),
      headers: [...headersIn(headersOf, outgoing), 'x-request-id', outgoing.requestId],
    }
  },
  classify: (status, headers, problem) => makerOf(problem).classify(status, headers, problem),
  offers: (operation, format) =>
    operation !== 'compact' && formats.includes(format) && hasAddress(operation, format),
  capabilities: () => sandboxCapabilities,
  requestIdHeader: 'x-request-id',
  onCancel: 'stops',
  hiddenInputTokens: 64,
  // The same for every medium, whatever its size.
  mediaTokensMax: () => 85,
  page: () => ({ tokensMax: 85, pagesMax: 1 }),
  serverTool: () => ({ tokensPerUse: 1_000, uncappedUses: null }),
  // Ratio of the sandbox's own tokens to o200k: up to 3.8 on prose; repeated characters exceed it, at no real cost.
  tokenFactor: { numerator: 4, denominator: 1 },
}
