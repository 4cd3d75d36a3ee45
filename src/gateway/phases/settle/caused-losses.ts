/** Losses that an account causes: what its provider may charge beyond what can be billed. */
import { inputMeters, type Meter, noInput, noOutput, outputMeters } from '../../../../contract/meters.ts'
import { most } from '../../../ledger/rules/money.ts'
import { costOf, type PricedUsage } from '../../../ledger/rules/price.ts'
import type { PlausibleUsage } from '../../plausible-usage.ts'
import type { PlannedWork, UpstreamResponse } from '../../request.ts'

/**
 * What a report that cannot be true may have cost where the request had unknown members, at most what the model can use by
 * itself: such a member may make it run more often than its limits say. `billed`: the usage that is billed in place of the report.
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

/**
 * The rest of a response that was abandoned and not read to its end, at a provider that makes it anyway: the whole output that
 * the request allows. 0 where the provider stops, or where its usage is known.
 */
export function abandonedLoss(
  { plan, hold, upstreamResponse }: PlannedWork & { readonly upstreamResponse: UpstreamResponse },
  billed: PricedUsage,
): bigint {
  const connector = upstreamResponse.candidate?.target.connector ?? plan.connector
  const isMadeAnyway = !hold.streamed || connector.onCancel !== 'stops'
  if (!isMadeAnyway || connector.isCustom === true || plan.ownKeyFee !== null) return 0n
  const whole = { ...billed, ...noOutput, output: hold.outputLimit * Math.max(1, plan.choices) }
  return most(costOf(whole, plan.price, 'list').cost - costOf(billed, plan.price, 'list').cost, 0n)
}
