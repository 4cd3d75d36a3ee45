/** Who pays for what, for every way in which a request can end. */
import type { UpstreamFormat } from '../../../wire/dialect.ts'
import type { RawUsage } from '../../../wire/usage.ts'
import type { PlausibleUsage } from '../../plausible-usage.ts'
import type { RelayOutcome } from '../../request.ts'

/** Who pays, and where the token counts come from. */
export interface BillingRule {
  /** `customer` pays for delivered output; `platform` writes off what an upstream reports without a response; `none`: nothing is charged. */
  readonly payer: 'customer' | 'platform' | 'none'
  readonly input: 'reported' | 'counted' | 'none'
  readonly output: 'reported' | 'counted' | 'none'
}

export const emptyReport: RawUsage = { fields: {}, ranAt: [], unknown: [], outputShrank: false }

const noCharge: BillingRule = { payer: 'none', input: 'none', output: 'none' }

/** The billing rule of every way in which a request can end. */
export function billingRule(
  outcome: RelayOutcome,
  dialect: UpstreamFormat,
  reported: PlausibleUsage,
): BillingRule {
  if (!outcome.dispatched) return noCharge
  const totals = dialect.reportedTotals(outcome.report?.usage ?? emptyReport)
  // An implausible count is treated like a missing one.
  const known = { input: totals.input && reported.input, output: totals.output && reported.output }
  const input = known.input ? 'reported' : 'counted'
  if (isDelivered(outcome)) return { payer: 'customer', input, output: known.output ? 'reported' : 'counted' }
  if (outcome.reason === 'client_abort') return { payer: 'customer', input, output: 'none' }
  if (!known.input && !known.output) return noCharge
  return {
    payer: 'platform',
    input: known.input ? 'reported' : 'none',
    output: known.output ? 'reported' : 'none',
  }
}

/** Whether the upstream delivered anything that can be charged for. */
export function isDelivered({ report, sample }: RelayOutcome): boolean {
  return report?.kind === 'final' || (sample?.events ?? 0) > 0
}
