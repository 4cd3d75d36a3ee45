/**
 * Chat usage: which counters a chunk or a response may report, and how they become disjoint meters.
 * `prompt_tokens` includes what was read from and written to the cache, `completion_tokens` includes
 * reasoning. Must not price anything.
 */

import { isRecord, type JsonRecord, recordIn, recordsIn } from '../json/parsed.ts'
import { CleanCounters, type CounterTable, isReported, RawUsageDraft } from '../raw-usage.ts'
import type { RawUsage, ReportedTotals, Usage } from '../usage.ts'

/**
 * https://developers.openai.com/api/reference/resources/chat (CompletionUsage); `prompt_cache_hit_tokens`
 * https://api-docs.deepseek.com/guides/kv_cache; costs https://openrouter.ai/docs/guides/administration/usage-accounting and
 * https://docs.x.ai/developers/cost-tracking; times https://console.groq.com/docs/api-reference; cached tokens under other
 * names: Mistral, Moonshot (https://platform.kimi.ai/docs/api), Alibaba (https://www.alibabacloud.com/help/en/model-studio/context-cache), LiteLLM.
 */
const counters: CounterTable = {
  prompt_tokens: 'used',
  completion_tokens: 'output',
  total_tokens: 'used',
  'prompt_tokens_details.cached_tokens': 'used',
  'prompt_tokens_details.cache_write_tokens': 'used',
  'prompt_tokens_details.audio_tokens': 'used',
  'completion_tokens_details.audio_tokens': 'used',
  'completion_tokens_details.reasoning_tokens': 'used',
  prompt_cache_hit_tokens: 'used',
  'prompt_tokens_details.cache_creation_input_tokens': 'used',
  'prompt_token_details.cached_tokens': 'used',
  num_cached_tokens: 'used',
  cached_tokens: 'used',
  cache_read_input_tokens: 'used',
  cache_creation_input_tokens: 'used',
  prompt_cache_miss_tokens: 'ignored',
  'prompt_tokens_details.text_tokens': 'ignored',
  'prompt_tokens_details.image_tokens': 'ignored',
  'completion_tokens_details.text_tokens': 'ignored',
  'completion_tokens_details.accepted_prediction_tokens': 'ignored',
  'completion_tokens_details.rejected_prediction_tokens': 'ignored',
  cost: 'ignored',
  cost_details: 'ignored',
  cost_in_usd_ticks: 'ignored',
  estimated_cost: 'ignored',
  queue_time: 'ignored',
  prompt_time: 'ignored',
  completion_time: 'ignored',
  total_time: 'ignored',
}

/** Values of `service_tier` at which the list price applies. */
const defaultTiers = ['default', 'standard', 'auto', 'on_demand']

export function chatReport(): RawUsageDraft {
  return new RawUsageDraft(counters)
}

/** Names of the same count, by host; the first that was reported holds. */
const cachedNames = [
  'prompt_tokens_details.cached_tokens',
  'prompt_cache_hit_tokens',
  'prompt_token_details.cached_tokens',
  'num_cached_tokens',
  'cached_tokens',
  'cache_read_input_tokens',
] as const
const cacheWriteNames = [
  'prompt_tokens_details.cache_write_tokens',
  'prompt_tokens_details.cache_creation_input_tokens',
  'cache_creation_input_tokens',
] as const

/** Usage is at the top level; in streams of Groq in `x_groq`, in older ones of Moonshot in the first choice. */
export function usageIn(body: JsonRecord): unknown {
  if (isRecord(body.usage)) return body.usage
  return recordIn(body, 'x_groq').usage ?? recordsIn(body, 'choices')[0]?.usage ?? body.usage
}

/** Reads the usage and the service tier of an answer or a chunk. */
export function readUsage(draft: RawUsageDraft, body: JsonRecord): void {
  draft.read(usageIn(body))
  draft.servedOptions('service_tier', body.service_tier, defaultTiers)
}

/** Whether the totals were reported, as numbers that can be true. */
export function reportedTotals(report: RawUsage): ReportedTotals {
  return { input: isReported(report, 'prompt_tokens'), output: isReported(report, 'completion_tokens') }
}

/** Reported fields → disjoint classes. */
export function toUsage(report: RawUsage, unsplit: '5m' | '1h' = '5m'): Usage {
  const clean = new CleanCounters(report)
  const prompt = clean.take('prompt_tokens')
  const reported = <Name extends string>(names: readonly [Name, ...Name[]]): Name =>
    names.find((name) => clean.has(name)) ?? names[0]
  const cacheRead = clean.part(reported(cachedNames), prompt)
  const cacheWrite = clean.part(reported(cacheWriteNames), prompt - cacheRead)
  const inputAudio = clean.part('prompt_tokens_details.audio_tokens', prompt - cacheRead - cacheWrite)
  const completion = clean.take('completion_tokens')
  const outputAudio = clean.part('completion_tokens_details.audio_tokens', completion)
  // Hosts that leave reasoning out of completion_tokens count it in the total, and charge for it.
  const reasoning = clean.take('completion_tokens_details.reasoning_tokens')
  // A part that is larger than the whole was never in it, whatever the total says.
  const left = reasoning > completion ? reasoning : 0
  const apart = Math.max(left, clean.take('total_tokens') - prompt - completion)
  const output = completion - outputAudio + apart
  return {
    inputUncached: prompt - cacheRead - cacheWrite - inputAudio,
    cacheRead,
    cacheWrite5m: unsplit === '1h' ? 0 : cacheWrite,
    cacheWrite1h: unsplit === '1h' ? cacheWrite : 0,
    inputAudio,
    output,
    outputAudio,
    reasoning: clean.part('completion_tokens_details.reasoning_tokens', output),
    fees: {},
    servedOptions: report.servedOptions,
    unknown: clean.flagged,
  }
}
