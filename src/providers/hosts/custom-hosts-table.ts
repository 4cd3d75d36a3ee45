/**
 * How the well-known servers that operators run themselves differ from the vendor of a format: one row each, with its source.
 * URL, formats and headers are the operator's (`contract/custom-hosts.ts`). A comment `unverified` marks undocumented facts.
 */
import type { CustomHostKind } from '../../../contract/custom-hosts.ts'
import type { HostRow } from './host-row.ts'

export type CustomHostRow = Omit<HostRow, 'origin' | 'prefixes' | 'authentication' | 'modelList'>

/** Models that reason between calls want their thoughts back; a server sends them in this member, and takes them in it. */
const reasoningHistory = { member: 'reasoning_content', on: 'known' } as const

/** Servers of open models know the older name of the limit, all of them. */
const openServer = { 'openai-chat': { limitField: 'max_tokens', reasoningHistory } } as const

/** Gateways hand on what the hosts behind them have. */
const router = { 'openai-chat': { ownFields: ['cache_control', 'reasoning'], reasoningHistory } } as const

export const customHostRows: Readonly<Record<CustomHostKind, CustomHostRow>> = {
  // The server behind the address is unknown: it may bill output written after the client disconnects.
  custom: { onCancel: 'bills_on', requests: openServer, source: 'no page' },
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
    onCancel: 'bills_on',
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
    onCancel: 'bills_on',
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
