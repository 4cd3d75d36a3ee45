/**
 * Usage of Converse: what a response or the stream's last event reports. `inputTokens` has neither what was read from the cache
 * nor what was written to it. API_runtime_TokenUsage, API_runtime_CacheDetail, 2026-11. Must not price anything.
 */
import { type JsonRecord, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import { CleanCounters, type CounterTable, isReported, RawUsageDraft } from '../raw-usage.ts'
import type { RawUsage, ReportedTotals, Usage } from '../usage.ts'

const inputTokens = 'inputTokens'
const outputTokens = 'outputTokens'
const cacheReads = 'cacheReadInputTokens'
const cacheWrites = 'cacheWriteInputTokens'
const hourWrites = 'cacheDetails.1h'

const counters: CounterTable = {
  [inputTokens]: 'input',
  [outputTokens]: 'output',
  [cacheReads]: 'input',
  [cacheWrites]: 'input',
  // The sum of the others.
  totalTokens: 'ignored',
  // The same as above under earlier names.
  cacheReadInputTokenCount: 'ignored',
  cacheWriteInputTokenCount: 'ignored',
}

export function converseReport(): RawUsageDraft {
  return new RawUsageDraft(counters)
}

/** `body`: a response, or the `metadata` event of a stream. */
export function readUsage(draft: RawUsageDraft, body: JsonRecord): void {
  const usage = recordIn(body, 'usage')
  draft.read(body.usage)
  const details = recordsIn(usage, 'cacheDetails')
  if (details.length > 0) draft.restart(hourWrites)
  for (const detail of details)
    if (textIn(detail, 'ttl') === '1h') draft.count(hourWrites, detail.inputTokens)
  draft.servedOptions('service_tier', recordIn(body, 'serviceTier').type, ['default'])
  draft.servedOptions('latency', recordIn(body, 'performanceConfig').latency, ['standard'])
}

/** Whether the totals were reported, as numbers that can be true. */
export function reportedTotals(report: RawUsage): ReportedTotals {
  return { input: isReported(report, inputTokens), output: isReported(report, outputTokens) }
}

/** Reported fields → disjoint classes. */
export function toUsage(report: RawUsage): Usage {
  const clean = new CleanCounters(report)
  const cacheWrite1h = clean.take(hourWrites)
  // Parts that are more than the whole count.
  const written = Math.max(clean.take(cacheWrites), cacheWrite1h)
  return {
    inputUncached: clean.take(inputTokens),
    cacheRead: clean.take(cacheReads),
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    inputAudio: 0,
    output: clean.take(outputTokens),
    outputAudio: 0,
    // Counted as output, and not reported separately.
    reasoning: 0,
    fees: {},
    servedOptions: report.servedOptions,
    unknown: clean.flagged,
  }
}
