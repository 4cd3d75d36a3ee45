/**
 * Betas of the Messages API at hosts. A host that gets one that it does not know rejects the request, so that only those go there that
 * it knows. Anthropic itself, which ignores what it does not know, gets all of them.
 * Source: github.com/BerriAI/litellm, anthropic_beta_headers_config.json, 2026-11; of Amazon Bedrock what both of its APIs take.
 */
import type { UpstreamFormatName } from '../../wire/format-names.ts'
import type { HostBetas, OutgoingRequest } from '../connector.ts'

/** The header that has them. */
const headers: Readonly<Partial<Record<UpstreamFormatName, string>>> = { anthropic: 'anthropic-beta' }

const everyCloud = [
  ...['computer-use-2025-01-24', 'computer-use-2025-11-24', 'context-1m-2025-08-07'],
  ...[
    'context-management-2025-06-27',
    'dangerous-tool-use-2026-09-03',
    'thinking-display-updates-2026-08-18',
  ],
]

export const bedrockBetas: readonly string[] = [
  ...everyCloud,
  ...['compact-2026-01-12', 'effort-2025-11-24', 'fine-grained-tool-streaming-2025-05-14'],
  ...['thinking-binding-controls-2026-08-01', 'tool-search-tool-2025-10-19'],
]

export const vertexBetas: readonly string[] = [
  ...everyCloud,
  ...[
    'compact-2026-01-12',
    'compact-2026-09-04',
    'interleaved-thinking-2025-05-14',
    'per-turn-control-2026-07-01',
  ],
  ...['thinking-binding-controls-2026-08-01', 'tool-search-tool-2025-10-19', 'web-search-2025-03-05'],
]

export const foundryBetas: readonly string[] = [
  ...everyCloud,
  ...[
    'advanced-tool-use-2025-11-20',
    'code-execution-2025-08-25',
    'effort-2025-11-24',
    'files-api-2025-04-14',
  ],
  ...[
    'interleaved-thinking-2025-05-14',
    'mcp-client-2025-04-04',
    'mcp-client-2025-11-20',
    'skills-2025-10-02',
  ],
  ...['per-turn-control-2026-07-01', 'prompt-caching-scope-2026-01-05', 'structured-outputs-2025-11-13'],
  ...['web-fetch-2025-09-10', 'web-search-2025-03-05'],
]

const none: readonly string[] = []

type BetaRequest = Pick<OutgoingRequest, 'format' | 'headers'>

/** The names that the request has and the host knows, or does not. */
function betas(
  { format, headers: given }: BetaRequest,
  known: HostBetas,
  areKnown: boolean,
): readonly string[] {
  const header = headers[format]
  const written = header === undefined ? undefined : given[header]
  if (written === undefined) return none
  const names = [written]
    .flat()
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
  const knownHere = known[format] ?? none
  return [...new Set(names)].filter((name) => name !== '' && knownHere.includes(name) === areKnown)
}

/** The header with what the host knows: name and value, or nothing. */
export function betaHeader(request: BetaRequest, known: HostBetas): readonly string[] {
  const passed = betas(request, known, true)
  return passed.length === 0 ? none : [headers[request.format] ?? '', passed.join(',')]
}

/** The betas that the host does not know, as `anthropic-beta:NAME`. */
export function unknownBetas(request: BetaRequest, known: HostBetas): readonly string[] {
  return betas(request, known, false).map((name) => `${headers[request.format]}:${name}`)
}
