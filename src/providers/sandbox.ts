/** The provider inside the program, asked as the real ones are: it takes either format and any credential. */

import { anthropic, messagesHeaders } from './anthropic.ts'
import type { Connector } from './connector.ts'
import { openai } from './openai.ts'
import { messagesPath } from './paths.ts'
import { sandboxCapabilities } from './sandbox-capabilities.ts'

export const sandbox: Connector = {
  provider: 'sandbox',
  displayName: 'Sandbox',
  families: ['sandbox-'],
  // Where it listens is known once it does; whoever starts it says so.
  defaultOrigin: 'http://127.0.0.1',
  dialects: ['openai-chat', 'anthropic'],
  prepare(outgoing) {
    const prepared =
      outgoing.dialect === 'anthropic'
        ? { path: messagesPath(outgoing.query), headers: messagesHeaders(outgoing) }
        : openai.prepare(outgoing)
    // Its meter is asked for by this id.
    return { path: prepared.path, headers: [...prepared.headers, 'x-request-id', outgoing.requestId] }
  },
  classify: (status, headers, problem) =>
    // Each format's words mean there what they mean at the maker of that format, and contradict nowhere.
    (problem.code === '' ? anthropic : openai).classify(status, headers, problem),
  offers: (operation) => operation === 'generate',
  capabilities: () => sandboxCapabilities,
  requestIdHeader: 'x-request-id',
  onCancel: 'stops',
  endsWithoutMark: false,
  hiddenInputTokens: 64,
  // The same for every medium, whatever its size.
  mediaTokensMax: () => 85,
  serverToolTokensPerUse: 1_000,
  // Its own pieces against o200k: up to 3.8 on prose; runs of one sign go beyond, at made-up money.
  tokenFactor: { numerator: 4, denominator: 1 },
}
