/** What a report that cannot be true may have cost, where the request had unknown members. */
import { inputMeters, type Meter, noInput, noOutput, outputMeters } from '../../../../contract/meters.ts'
import { most } from '../../../ledger/rules/money.ts'
import { costOf, type PricedUsage } from '../../../ledger/rules/price.ts'
import type { PlausibleUsage } from '../../plausible-usage.ts'
import type { PlannedWork } from '../../request.ts'

/**
 * A loss that the account causes, at most what the model can use by itself: an unknown member may make it run more often than
 * its limits say. `billed`: the usage that is billed in place of the report.
 */
export function unbelievedLoss(
  { plan, hold }: PlannedWork,
  { implausible, input, output }: PlausibleUsage,
  billed: PricedUsage,
): bigint {
  const isCharged = plan.connector.isCustom !== true && plan.ownKeyFee === null
  if (implausible === null || !hold.hasUnknown || !isCharged) return 0n
  const { contextTokens, outputTokensMax } = plan.model
  const sumOf = (names: readonly Meter[], tokensMax: number): number =>
    Math.min(
      names.reduce((sum, name) => sum + (implausible[name] ?? 0), 0),
      tokensMax,
    )
  const believed = {
    ...billed,
    ...(input ? {} : { ...noInput, inputUncached: sumOf(inputMeters, contextTokens) }),
    ...(output ? {} : { ...noOutput, output: sumOf(outputMeters, outputTokensMax * plan.choices) }),
  }
  return most(costOf(believed, plan.price, 'list').cost - costOf(billed, plan.price, 'list').cost, 0n)
}
