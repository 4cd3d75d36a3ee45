/** Usage in the convention of Messages, where the input meters are disjoint. Must not price anything. */
import { inputTokens, outputTokens } from '../../../contract/meters.ts'
import type { JsonOut } from '../json/text.ts'
import type { Usage } from '../usage.ts'

/** Meters of server tools, by the counter of their uses. */
const counters: Readonly<Record<string, string>> = {
  web_search: 'web_search_requests',
  web_fetch: 'web_fetch_requests',
}

type UsageFields = Readonly<Record<string, JsonOut | undefined>>

export function usageFields(usage: Usage): UsageFields {
  const uses = Object.entries(counters).flatMap(([meter, counter]) => {
    const count = usage.fees[meter] ?? 0
    return count > 0 ? [[counter, count] as const] : []
  })
  return {
    ...inputFields(usage),
    output_tokens: outputTokens(usage),
    output_tokens_details: { thinking_tokens: usage.reasoning },
    server_tool_use: uses.length > 0 ? Object.fromEntries(uses) : undefined,
  }
}

/** Usage fields for the input alone. */
export function inputFields(usage: Usage): UsageFields {
  const { cacheRead, cacheWrite5m, cacheWrite1h } = usage
  return {
    input_tokens: inputTokens(usage) - cacheRead - cacheWrite5m - cacheWrite1h,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
  }
}
