/**
 * The connector of a custom server: the row of its kind, with the operator's formats and headers. It
 * has the upstream's name as its provider, so that no two of them share models.
 */
import { type CustomHost, type CustomHostKind, customHosts } from '../../../contract/custom-hosts.ts'
import type { UpstreamFormatName } from '../../wire/format-names.ts'
import { upstreamFormats } from '../../wire/formats.ts'
import { withoutUsageOption } from '../../wire/host-differences.ts'
import type { ErrorRule } from '../classify.ts'
import type { Connector } from '../connector.ts'
import { versionedBase } from '../outgoing-request.ts'
import { connectorOfRow } from './host-connector.ts'
import type { Authentication, HostRow } from './host-row.ts'

/** `provider`: the upstream's name. */
export function customConnector(provider: string, host: CustomHost): Connector {
  const { kind, formats, keyHeader, headers } = host
  const authentication: Authentication = keyHeader === 'authorization' ? 'bearer' : { header: keyHeader }
  const row: HostRow = {
    ...customHostRows[kind],
    errors: [...(customHostRows[kind].errors ?? []), rejectsUsageOption],
    // The address is always the upstream's own.
    origin: customHosts[kind].url ?? 'http://127.0.0.1',
    prefixes: ofEach(formats, ''),
    authentication: ofEach(formats, authentication),
  }
  const connector = connectorOfRow(row, {
    provider,
    displayName: provider,
    fixedHeaders: Object.entries(headers).flat(),
    pathPrefix,
    forwardsQuery: true,
  })
  const custom = {
    ...connector,
    isCustom: true as const,
    requestDifferences: connector.requestDifferences ?? {},
    stopAskingForUsage(): void {
      custom.requestDifferences = withoutUsageOption(custom.requestDifferences)
    },
  }
  return custom
}

/** Servers that are older than the option, or check strictly, reject it. */
const rejectsUsageOption: ErrorRule = {
  statuses: [400, 422],
  mentions: 'stream_options',
  meaning: 'usage_option',
}

function ofEach<Value>(
  formats: readonly UpstreamFormatName[],
  value: Value,
): Readonly<Partial<Record<UpstreamFormatName, Value>>> {
  return Object.fromEntries(formats.map((format) => [format, value])) as Partial<
    Record<UpstreamFormatName, Value>
  >
}

/** The path for a format. An address serves all: a version at its end that belongs to another format is replaced. */
function pathPrefix(format: UpstreamFormatName, basePath: string): string {
  const { version } = upstreamFormats[format].paths
  const ending = vendorVersions.find((known) => basePath.endsWith(known))
  return ending === undefined ? versionedBase(format, basePath) : basePath.slice(0, -ending.length) + version
}

const vendorVersions = Object.values(upstreamFormats).map(({ paths }) => paths.version)

type CustomHostRow = Omit<HostRow, 'origin' | 'prefixes' | 'authentication' | 'modelList'>

/** Models that reason between calls want their thoughts back; a server sends them in this member, and takes them in it. */
const reasoningHistory = { member: 'reasoning_content', on: 'known' } as const

/** Servers of open models know the older name of the limit, all of them. */
const openServer = { 'openai-chat': { limitField: 'max_tokens', reasoningHistory } } as const

/** Gateways hand on what the hosts behind them have. */
const router = { 'openai-chat': { ownFields: ['cache_control', 'reasoning'], reasoningHistory } } as const

export const customHostRows: Readonly<Record<CustomHostKind, CustomHostRow>> = {
  // The server behind the address is unknown: it may bill output written after the client disconnects.
  custom: { requests: openServer, source: 'no page' },
  'llama-cpp': {
    // While a model loads it answers 503, which means the same everywhere.
    onCancel: 'stops',
    requests: openServer,
    source: 'github.com/ggml-org/llama.cpp tools/server/README.md, 2026-08',
  },
  litellm: {
    // A key or a team there is out of budget; unverified whether it is a 400 or a 429.
    errors: [{ words: ['budget_exceeded'], meaning: 'billing' }],
    requestIdHeader: 'x-litellm-call-id',
    requests: router,
    source: 'docs.litellm.ai/docs/proxy: response_headers, users, 2026-08',
  },
  lmstudio: {
    onCancel: 'stops',
    requests: openServer,
    source: 'lmstudio.ai/docs/developer/openai-compat, 2026-08',
  },
  ollama: {
    onCancel: 'stops',
    requests: {
      'openai-chat': {
        limitField: 'max_tokens',
        ownFields: ['reasoning'],
        reasoningHistory: { member: 'reasoning', on: 'known' },
        // Not among its fields; without a word it would do as it likes.
        drops: ['logit_bias', 'user', 'n', 'parallel_tool_calls'],
      },
    },
    capabilities: { forcedTools: false, parallelSwitch: false, logprobs: false },
    source: 'github.com/ollama/ollama docs/api/openai-compatibility.mdx, 2026-08',
  },
  // Tollgate settles the amounts that its upstream bills.
  tollgate: {
    requests: router,
    messagesVersions: ['2026-10-21'],
    source: 'docs/reference of this program',
  },
  vllm: {
    onCancel: 'stops',
    requests: openServer,
    source: 'docs.vllm.ai/en/latest/serving/openai_compatible_server, 2026-08',
  },
}
