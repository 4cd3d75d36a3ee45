/**
 * Usage of embeddings: only input. Some hosts report it only as the total. Must not price anything.
 */

import type { JsonRecord } from '../json/parsed.ts'
import { CleanCounters, type CounterTable, isReported, RawUsageDraft } from '../raw-usage.ts'
import type { RawUsage, ReportedTotals, Usage } from '../usage.ts'

/** https://developers.openai.com/api/reference/resources/embeddings (CreateEmbeddingResponse.Usage); the total alone: https://docs.voyageai.com/reference/embeddings-api. */
const counters: CounterTable = {
  prompt_tokens: 'used',
  total_tokens: 'used',
  cost: 'ignored',
  cost_details: 'ignored',
  queue_time: 'ignored',
  prompt_time: 'ignored',
  total_time: 'ignored',
}

/** Values of `service_tier` at which the list price applies. */
const defaultTiers = ['default', 'standard', 'auto']

export function embeddingsReport(): RawUsageDraft {
  return new RawUsageDraft(counters)
}

/** Reads the usage and the service tier of an answer. */
export function readUsage(draft: RawUsageDraft, body: JsonRecord): void {
  draft.read(body.usage)
  draft.servedOptions('service_tier', body.service_tier, defaultTiers)
}

/** Whether the input was reported; of output there is none, and that is known without a report. */
export function reportedTotals(report: RawUsage): ReportedTotals {
  return { input: isReported(report, 'prompt_tokens') || isReported(report, 'total_tokens'), output: true }
}

/** Reported fields → disjoint classes. A total above the input has tokens that are not known here; they count as input. */
export function toUsage(report: RawUsage): Usage {
  const clean = new CleanCounters(report)
  const total = clean.take('total_tokens')
  const prompt = clean.take('prompt_tokens')
  const unknown = [...clean.flagged]
  if (isReported(report, 'prompt_tokens') && total > prompt && !unknown.includes('total_tokens'))
    unknown.push('total_tokens')
  return {
    inputUncached: Math.max(prompt, total),
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    inputAudio: 0,
    output: 0,
    outputAudio: 0,
    reasoning: 0,
    fees: {},
    servedOptions: report.servedOptions,
    unknown,
  }
}
