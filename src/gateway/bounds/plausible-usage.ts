/** What of a reported usage can be true, under the plan and the hold of its request. */
import {
  type Contradictions,
  type Plausibility,
  plausibility,
  usageMaxOf,
  withoutWaived,
  withUsesOnce,
} from '../../ledger/rules/plausibility.ts'
import type { OutputSample, UpstreamFormat } from '../../wire/dialect.ts'
import type { RawUsage, Usage } from '../../wire/usage.ts'
import type { PlannedWork } from '../request.ts'

export type PlausibleUsage = Plausibility<Usage>

/**
 * The plausible part of reported usage, without tool uses that the provider does not charge for. `produced`: what the response has of
 * the model's text.
 */
export function capUsage(
  { plan, hold }: PlannedWork,
  report: RawUsage,
  produced: OutputSample | null,
): PlausibleUsage {
  const billable = withoutWaived(plan.dialect.toUsage(report, plan.cacheLifetime), plan.serverTools.waived)
  const usage = withUsesOnce(billable, plan.dialect.chargedOnce?.(plan.model.upstreamModel) ?? [])
  return plausibility(
    usage,
    usageMaxOf(plan, hold.outputLimit),
    contradictions(plan.dialect, report, produced),
  )
}

/** Every request has input, and text has tokens: a report that says otherwise is not believed, nor one that takes output back. */
export function contradictions(
  dialect: Pick<UpstreamFormat, 'reportedTotals'>,
  report: RawUsage,
  produced: Pick<OutputSample, 'characters'> | null,
): Contradictions {
  const totals = dialect.reportedTotals(report)
  const hasText = produced !== null && produced.characters > 0
  return {
    hasInput: totals.input,
    hasOutput: totals.output && hasText,
    outputShrank: hasText && report.outputShrank,
  }
}
