/** What of a reported usage can be true, under the plan and the hold of its request. */
import {
  type Plausibility,
  plausibility,
  usageMaxOf,
  withoutWaived,
} from '../../../ledger/rules/plausibility.ts'
import type { RawUsage, Usage } from '../../../wire/usage.ts'
import type { PlannedWork } from '../../request.ts'

export type PlausibleUsage = Plausibility<Usage>

/** The plausible part of reported usage, without tool uses that the provider does not charge for. */
export function capUsage({ plan, hold }: PlannedWork, report: RawUsage): PlausibleUsage {
  const usage = withoutWaived(plan.dialect.toUsage(report), plan.serverTools.waived)
  return plausibility(usage, usageMaxOf(plan, hold.outputLimit))
}
