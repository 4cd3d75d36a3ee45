/**
 * Chat usage: which counters a chunk or an answer may report, and how they become disjoint classes.
 * `prompt_tokens` includes what was read from and written to the cache, `completion_tokens` includes
 * reasoning. Must not price anything.
 */
import type { RawUsage, ReportedTotals, Usage } from '../dialect.ts'
import type { JsonRecord } from '../json/parsed.ts'
import { CleanCounters, type CounterTable, isReported, RawUsageDraft } from '../raw-usage.ts'

/**
 * https://developers.openai.com/api/reference/resources/chat (CompletionUsage); `prompt_cache_hit_tokens`
 * https://api-docs.deepseek.com/guides/kv_cache; costs https://openrouter.ai/docs/guides/administration/usage-accounting;
 * times https://console.groq.com/docs/api-reference.
 */
const counters: CounterTable = {
  prompt_tokens: 'used',
  completion_tokens: 'used',
  total_tokens: 'used',
  'prompt_tokens_details.cached_tokens': 'used',
  'prompt_tokens_details.cache_write_tokens': 'used',
  'prompt_tokens_details.audio_tokens': 'used',
  'completion_tokens_details.audio_tokens': 'used',
  'completion_tokens_details.reasoning_tokens': 'used',
  prompt_cache_hit_tokens: 'used',
  prompt_cache_miss_tokens: 'ignored',
  'prompt_tokens_details.text_tokens': 'ignored',
  'prompt_tokens_details.image_tokens': 'ignored',
  'completion_tokens_details.text_tokens': 'ignored',
  'completion_tokens_details.accepted_prediction_tokens': 'ignored',
  'completion_tokens_details.rejected_prediction_tokens': 'ignored',
  cost: 'ignored',
  cost_details: 'ignored',
  queue_time: 'ignored',
  prompt_time: 'ignored',
  completion_time: 'ignored',
  total_time: 'ignored',
}

/** What `service_tier` says where the list price holds. */
const defaultTiers = ['default', 'standard', 'auto']

export function chatReport(): RawUsageDraft {
  return new RawUsageDraft(counters)
}

/** Reads what an answer or a chunk tells of usage and of where it ran. */
export function readUsage(draft: RawUsageDraft, body: JsonRecord): void {
  draft.read(body.usage)
  draft.ranAt('service_tier', body.service_tier, defaultTiers)
}

/** Whether the totals were reported, as numbers that can be true. */
export function reportedTotals(report: RawUsage): ReportedTotals {
  return { input: isReported(report, 'prompt_tokens'), output: isReported(report, 'completion_tokens') }
}

/** Reported fields → disjoint classes. */
export function toUsage(report: RawUsage): Usage {
  const clean = new CleanCounters(report)
  const prompt = clean.take('prompt_tokens')
  const cacheRead = clean.part(
    clean.has('prompt_tokens_details.cached_tokens')
      ? 'prompt_tokens_details.cached_tokens'
      : 'prompt_cache_hit_tokens',
    prompt,
  )
  const cacheWrite5m = clean.part('prompt_tokens_details.cache_write_tokens', prompt - cacheRead)
  const inputAudio = clean.part('prompt_tokens_details.audio_tokens', prompt - cacheRead - cacheWrite5m)
  const completion = clean.take('completion_tokens')
  const outputAudio = clean.part('completion_tokens_details.audio_tokens', completion)
  // Hosts that leave reasoning out of completion_tokens count it in the total, and charge for it.
  const apart = Math.max(0, clean.take('total_tokens') - prompt - completion)
  const output = completion - outputAudio + apart
  return {
    inputUncached: prompt - cacheRead - cacheWrite5m - inputAudio,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    inputAudio,
    output,
    outputAudio,
    reasoning: clean.part('completion_tokens_details.reasoning_tokens', output),
    fees: {},
    ranAt: report.ranAt,
    unknown: clean.flagged,
  }
}
