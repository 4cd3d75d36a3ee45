/**
 * Responses usage: which counters the response object may report, and how they become disjoint meters.
 * `input_tokens` includes what was read from and written to the cache, `output_tokens` includes reasoning.
 * Searches are charged by use and reported separately from tokens. Must not price anything.
 */

import { type JsonRecord, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import { CleanCounters, type CounterTable, isReported, RawUsageDraft } from '../raw-usage.ts'
import type { RawUsage, ReportedTotals, Usage } from '../usage.ts'

const cacheReads = 'input_tokens_details.cached_tokens'
const cacheWrites = 'input_tokens_details.cache_write_tokens'
const inputAudioTokens = 'input_tokens_details.audio_tokens'
const outputAudioTokens = 'output_tokens_details.audio_tokens'
const reasoningTokens = 'output_tokens_details.reasoning_tokens'
/** The searches that the provider reports and charges for. */
const reportedSearches = 'tool_usage.web_search.num_requests'
/** Our count of search items, used where the provider reports none. */
const countedSearches = 'web_search_calls'

/** https://developers.openai.com/api/reference/resources/responses (ResponseUsage, tool_usage) */
const counters: CounterTable = {
  input_tokens: 'used',
  output_tokens: 'output',
  total_tokens: 'ignored',
  [cacheReads]: 'used',
  [cacheWrites]: 'used',
  [inputAudioTokens]: 'used',
  [outputAudioTokens]: 'used',
  [reasoningTokens]: 'used',
  [reportedSearches]: 'used',
  'input_tokens_details.text_tokens': 'ignored',
  'input_tokens_details.image_tokens': 'ignored',
  // Parts of the written ones; those that live for 12 hours have no rate here, and are flagged.
  'input_tokens_details.cache_write_tokens_details.ttl_30m_tokens': 'ignored',
  'output_tokens_details.text_tokens': 'ignored',
  cost: 'ignored',
  cost_details: 'ignored',
}

/** Values of `service_tier` at which the list price applies. */
const defaultTiers = ['default', 'standard', 'auto']

/** Items by which a tool at the provider shows that it ran, and the meter that counts them. */
const chargedItems: Readonly<Record<string, string>> = {
  file_search_call: 'file_search',
  image_generation_call: 'image_generation',
  mcp_call: 'mcp',
}
/** Before the id of each container in which code ran: each is charged once. */
const containers = 'containers.'
/** In no class of ours. */
const unknownItems: readonly string[] = ['program']

export function responsesReport(): RawUsageDraft {
  return new RawUsageDraft(counters)
}

/** Reads one item when it is done. */
export function countItem(draft: RawUsageDraft, item: JsonRecord): void {
  const type = textIn(item, 'type')
  if (isSearch(item)) draft.count(countedSearches, 1)
  else if (type === 'code_interpreter_call') draft.set(`${containers}${textIn(item, 'container_id')}`, 1)
  else if (Object.hasOwn(chargedItems, type)) draft.count(type, 1)
  else if (unknownItems.includes(type)) draft.flag(type)
}

/** Opening a page or searching within it does not count as a search. */
function isSearch(item: JsonRecord): boolean {
  if (item.type !== 'web_search_call') return false
  const action = textIn(recordIn(item, 'action'), 'type')
  return action === 'search' || action === ''
}

/** Reads a response object: the final values of everything, except for items that it omits. */
export function readResponse(draft: RawUsageDraft, response: JsonRecord): void {
  draft.read(response.usage)
  draft.read({ tool_usage: response.tool_usage })
  draft.servedOptions('service_tier', response.service_tier, defaultTiers)
  const items = recordsIn(response, 'output')
  if (items.length === 0) return
  for (const counted of [countedSearches, ...Object.keys(chargedItems)]) draft.restart(counted)
  for (const item of items) countItem(draft, item)
}

/** Whether the totals were reported, as numbers that can be true. */
export function reportedTotals(report: RawUsage): ReportedTotals {
  return { input: isReported(report, 'input_tokens'), output: isReported(report, 'output_tokens') }
}

/** Reported fields → disjoint classes. */
export function toUsage(report: RawUsage): Usage {
  const clean = new CleanCounters(report)
  const input = clean.take('input_tokens')
  const cacheRead = clean.part(cacheReads, input)
  const cacheWrite5m = clean.part(cacheWrites, input - cacheRead)
  const inputAudio = clean.part(inputAudioTokens, input - cacheRead - cacheWrite5m)
  const total = clean.take('output_tokens')
  const outputAudio = clean.part(outputAudioTokens, total)
  const output = total - outputAudio
  const reported = clean.take(reportedSearches)
  const searches = isReported(report, reportedSearches) ? reported : clean.take(countedSearches)
  return {
    inputUncached: input - cacheRead - cacheWrite5m - inputAudio,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    inputAudio,
    output,
    outputAudio,
    reasoning: clean.part(reasoningTokens, output),
    fees: feesOf(clean, searches),
    servedOptions: report.servedOptions,
    unknown: clean.flagged,
  }
}

function feesOf(clean: CleanCounters, searches: number): Readonly<Record<string, number>> {
  const uses: readonly (readonly [meter: string, count: number])[] = [
    ['web_search', searches],
    ['code_interpreter', clean.countNamed(containers)],
    ...Object.entries(chargedItems).map(([type, meter]) => [meter, clean.take(type)] as const),
  ]
  return Object.fromEntries(uses.filter(([, count]) => count > 0))
}
