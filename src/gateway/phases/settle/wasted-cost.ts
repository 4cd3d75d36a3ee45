/**
 * What attempts cost whose responses were not delivered, because they failed, refused the content or did not begin in time, and
 * another one served.
 */
import { noTokens } from '../../../../contract/meters.ts'
import { type PricedUsage, upstreamCostOf } from '../../../ledger/rules/price.ts'
import type { ReceiptDraft } from '../../../ledger/types.ts'
import { capUsage } from '../../plausible-usage.ts'
import type { UpstreamResponse, WastedAttempt, WastedUsage } from '../../request.ts'

export interface WastedLimits {
  readonly hiddenReasoningTokensPerSecond: number
}

/** At what their upstreams charge, without attempts on the account's own keys. */
export interface WastedCost {
  readonly all: bigint
  /** The part of it that the content of the request caused. */
  readonly refused: bigint
  readonly attempts: readonly WastedAttempt[]
}

/** Nothing, as for most requests. */
const none: WastedCost = { all: 0n, refused: 0n, attempts: [] }

export function wastedCost({ wasted }: Pick<UpstreamResponse, 'wasted'>, limits: WastedLimits): WastedCost {
  return wasted.reduce((sum, attempt): WastedCost => {
    const { plan, candidate, refused } = attempt
    const usage = plan.ownKeyFee === null ? usageOf(attempt, limits) : null
    if (usage === null) return sum
    const cost = upstreamCostOf(usage, plan.price, candidate.offer.cost)
    return {
      all: sum.all + cost,
      refused: refused ? sum.refused + cost : sum.refused,
      attempts: [...sum.attempts, { candidate, plan, cost }],
    }
  }, none)
}

/** null: none was reported, and the attempt ended by itself. */
function usageOf(attempt: WastedUsage, limits: WastedLimits): PricedUsage | null {
  const { plan, hold, rawUsage, waitedMs } = attempt
  const isReported = rawUsage !== null && plan.dialect.reportedTotals(rawUsage).input
  if (waitedMs === null) return isReported ? capUsage(attempt, rawUsage, null).usage : null
  const usage = isReported
    ? capUsage(attempt, rawUsage, null).usage
    : { ...noTokens, fees: {}, ranAt: [], inputUncached: expectedInput(attempt) }
  if (!plan.model.reasons) return usage
  const hidden = Math.round((waitedMs / 1_000) * limits.hiddenReasoningTokensPerSecond)
  return { ...usage, output: Math.max(usage.output, Math.min(hidden, hold.outputLimit)) }
}

/** English text has about four; code and other languages fewer. */
const bytesPerToken = 3

function expectedInput({ plan: { inputSize }, hold }: WastedUsage): number {
  const { textBytes, mediaTokens, sizedTokens } = inputSize
  return Math.min(Math.ceil(textBytes / bytesPerToken) + mediaTokens + sizedTokens, hold.input.tokens)
}

/** The receipt as the attempt that served would have left it alone. */
export function withoutWasted({ all }: WastedCost, receipt: ReceiptDraft): ReceiptDraft {
  return receipt.ownKey || all === 0n ? receipt : { ...receipt, upstreamCost: receipt.upstreamCost - all }
}
