/**
 * Parts of a Responses request that can change the provider's price: fields, tools and items, with the
 * page each fact was read from. Everything else is passed through and costs only its tokens.
 */
import { cacheLifetime, chatPriceFields } from '../openai-chat/request-price-table.ts'
import { type PriceField, routerPriceFields } from '../price-fields.ts'

const docs = 'https://developers.openai.com/api/docs/guides'
const reference = 'https://developers.openai.com/api/reference/resources/responses/methods/create'

export const responsesPriceFields = {
  ...routerPriceFields,
  /** `ultrafast` besides the tiers that chat has; the answer names the tier it ran at. */
  service_tier: chatPriceFields.service_tier,
  /** Costs what the same request costs otherwise; its charge follows when it ends. */
  background: { rule: 'free', source: `${docs}/background` },
  /** Each agent samples the model as often as it likes, in a context of its own: no bound covers that. */
  multi_agent: {
    rule: 'rejected',
    why: 'the number of agents and what they use have no limit. Remove the field.',
    source: `${docs}/responses-multi-agent`,
  },
  conversation: chatPriceFields.conversation,
  prompt: chatPriceFields.prompt,
  /** Compaction samples the model once more. */
  context_management: {
    rule: 'option',
    name: 'context_management:compaction',
    source: `${docs}/conversation-state`,
  },
  /** Drops the oldest items where the input is too long: never more expensive. */
  truncation: { rule: 'free', source: reference },
  moderation: chatPriceFields.moderation,
  /** Compresses images: never more expensive. */
  image: { rule: 'free', source: `${docs}/images-vision` },
  store: chatPriceFields.store,
  prompt_cache_retention: chatPriceFields.prompt_cache_retention,
  // Options of compatible hosts that search, choose another model, or answer later.
  search_parameters: chatPriceFields.search_parameters,
  enable_search: chatPriceFields.enable_search,
  plugins: chatPriceFields.plugins,
  models: chatPriceFields.models,
  deferred: chatPriceFields.deferred,
} as const satisfies Readonly<Record<string, PriceField>>

/** Price fields of `reasoning`: the pro mode samples several times per answer. */
export const reasoningPriceFields = {
  mode: { rule: 'values', name: 'reasoning_mode', free: ['standard'], source: `${docs}/reasoning` },
} as const satisfies Readonly<Record<string, PriceField>>

/** Price fields of `background_options`: a later answer costs less, and no response says which window it ran in. */
export const backgroundPriceFields = {
  completion_window: {
    rule: 'values',
    name: 'completion_window',
    free: ['soonest'],
    source: `${docs}/background`,
  },
} as const satisfies Readonly<Record<string, PriceField>>

/** Price fields of `prompt_cache_options`; breakpoints may have the same `ttl`. */
export const cachePriceFields = {
  ...cacheLifetime,
  comparison_response_id: { rule: 'reference', source: `${docs}/prompt-caching` },
} as const satisfies Readonly<Record<string, PriceField>>

/** The option under which an item that asks for compaction is priced. */
export const compactionOption = responsesPriceFields.context_management.name

/**
 * Tools that the caller runs, or that cost only the tokens in the body
 * (`tool_search` only chooses among declared tools). Computer use: the caller acts and sends
 * screenshots, https://developers.openai.com/api/docs/guides/tools-computer-use.
 */
export const callerTools: readonly string[] = [
  'function',
  'custom',
  'namespace',
  'tool_search',
  'apply_patch',
  'local_shell',
  'computer',
  'computer_use',
  'computer_use_preview',
]

/** Runs at the caller or in a container of the provider's, as its environment says. */
export const shellTool = 'shell'

/** Undated types of tools at the provider → the meter their uses are charged by; others by their type. */
export const meters: Readonly<Record<string, string>> = { web_search_preview: 'web_search' }

/**
 * Built-in tools, whose calls `max_tool_calls` counts: https://developers.openai.com/api/reference/resources/responses/methods/create.
 * Calls to an MCP server are not known to be among them.
 */
export const cappedTools: readonly string[] = [
  'web_search',
  'web_search_preview',
  'file_search',
  'code_interpreter',
]

/** Price fields of a code interpreter's `container`: larger ones cost more, https://developers.openai.com/api/docs/pricing. */
export const containerPriceFields = {
  memory_limit: {
    rule: 'values',
    name: 'container_memory',
    free: ['1g'],
    source: 'https://developers.openai.com/api/docs/pricing',
  },
} as const satisfies Readonly<Record<string, PriceField>>
