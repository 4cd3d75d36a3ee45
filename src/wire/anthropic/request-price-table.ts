/**
 * Parts of a Messages request that can change the provider's price: fields, tools and betas, with the
 * page each fact was read from. Everything else is passed through and costs only its tokens.
 */
import type { BetaHeader } from '../format.ts'
import { type PriceField, routerPriceFields } from '../price-fields.ts'

const docs = 'https://platform.claude.com/docs/en'
const messages = `${docs}/api/messages`
const fallback = `${docs}/build-with-claude/refusals-and-fallback`

export const messagesPriceFields = {
  ...routerPriceFields,
  /** `auto` may run at priority, which only a commitment buys; the answer names the tier it ran at. */
  service_tier: {
    rule: 'values',
    name: 'service_tier',
    free: ['auto', 'standard_only', 'standard'],
    source: `${docs}/api/service-tiers`,
  },
  speed: { rule: 'values', name: 'speed', free: ['standard'], source: `${docs}/build-with-claude/fast-mode` },
  inference_geo: {
    rule: 'values',
    name: 'inference_geo',
    free: ['global'],
    source: `${docs}/build-with-claude/data-residency`,
  },
  /** A retry on another model, at its price. */
  fallbacks: { rule: 'option', name: 'fallbacks', source: fallback },
  /** Moves tokens of a retry to another class. */
  fallback_credit_token: {
    rule: 'option',
    name: 'fallback_credit_token',
    source: `${docs}/build-with-claude/fallback-credit`,
  },
  /** A separate sampling that summarizes the conversation. */
  compaction: {
    rule: 'option',
    name: 'compaction',
    source: `${docs}/build-with-claude/compaction-on-demand`,
  },
  /** Tools of other servers, which cost the tokens of their results. */
  mcp_servers: { rule: 'tool', meter: 'mcp', source: `${docs}/agents-and-tools/mcp-connector` },
  container: { rule: 'reference', source: `${docs}/agents-and-tools/tool-use/code-execution-tool` },
  /** A conversation that the provider keeps. */
  thread: { rule: 'reference', source: messages },
  // Sent by default or only for reports: no price of their own.
  metadata: { rule: 'free', source: messages },
  output_config: { rule: 'free', source: `${docs}/build-with-claude/task-budgets` },
  diagnostics: { rule: 'free', source: `${docs}/build-with-claude/cache-diagnostics` },
  user_profile_id: { rule: 'free', source: messages },
} as const satisfies Readonly<Record<string, PriceField>>

/** Members of `billing_policy`, which says who pays the provider. */
export const billingPolicyFields = {
  bill_to: { rule: 'values', name: 'bill_to', free: ['self'], source: messages },
} as const satisfies Readonly<Record<string, PriceField>>

/**
 * Edits of `context_management` that clear by rule cost nothing; any other samples the model again.
 * https://platform.claude.com/docs/en/build-with-claude/context-editing
 */
export const freeContextEdits: readonly string[] = ['clear_tool_uses', 'clear_thinking']

/** Tool types, without their date, that the caller runs itself: https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview */
export const callerTools: readonly string[] = [
  'custom',
  'bash',
  'text_editor',
  'memory',
  'computer',
  'computer_toolset',
  'browser_toolset',
]

/** Tools at the provider that have `max_uses`; of any other the uses cannot be capped. */
export const cappedTools: readonly string[] = ['web_search', 'web_fetch', 'advisor']

/**
 * From this version on a search or fetch filters its results with code, which is free of charge in the whole request:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool#usage-and-pricing
 */
const filteringType = /^web_(?:search|fetch)_(\d{8})$/
const filteringSince = 20_260_209
const filteringWaives: readonly string[] = ['code_execution']

/** Meters that a tool of this type makes free of charge. */
export function waivedBy(type: string): readonly string[] {
  return Number(filteringType.exec(type)?.[1] ?? 0) >= filteringSince ? filteringWaives : []
}

/** Types that are one meter under several names. */
export const meters: Readonly<Record<string, string>> = {
  tool_search_tool_bm25: 'tool_search',
  tool_search_tool_regex: 'tool_search',
  mcp_toolset: messagesPriceFields.mcp_servers.meter,
}

/**
 * Betas. All but one that cost something (fast-mode, code-execution, advisor-tool, compact, mcp-client,
 * server-side-fallback, message-threads …) do so only through a field, which is read there;
 * context-1m and output-300k raise limits that a price row's tiers and the output limit cover.
 */
export const messagesBetas: BetaHeader = {
  header: 'anthropic-beta',
  known: new Set(
    `advanced-tool-use advisor-tool afk-mode agent-memory cache-diagnosis claude-code code-execution compact
    computer-use context-1m context-management dev-full-thinking effort extended-cache-ttl fallback-credit fast-mode
    files-api fine-grained-tool-streaming inline-tools interleaved-thinking max-tokens-3-5-sonnet mcp-client mcp-servers
    mcp-tunnels message-threads mid-conversation-output-config mid-conversation-system
    mid-conversation-system-clear-at mid-conversation-tool-changes model-context-window-exceeded oauth output-128k
    output-300k pdfs per-turn-control prompt-caching prompt-caching-scope redact-thinking search-results
    server-side-fallback skills structured-outputs task-budgets thinking-binding-controls thinking-display-updates
    thinking-token-count token-counting token-efficient-tools tool-examples tool-search-tool user-profiles
    web-fetch web-search`.split(/\s+/),
  ),
  /** https://platform.claude.com/docs/en/api/beta-headers */
  priced: [{ prefix: 'user-profiles-billing-', option: 'beta:user-profiles-billing' }],
}
