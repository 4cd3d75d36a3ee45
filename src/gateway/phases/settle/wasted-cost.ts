/** What attempts cost whose responses were not delivered, because they failed or refused the content and another one served. */
import { costOf } from '../../../ledger/rules/price.ts'
import type { ReceiptDraft } from '../../../ledger/types.ts'
import { capUsage } from '../../plausible-usage.ts'
import type { UpstreamResponse } from '../../request.ts'

/** At list price, without attempts on the account's own keys. */
interface WastedCost {
  readonly all: bigint
  /** The part of it that the content of the request caused. */
  readonly refused: bigint
}

export function wastedCost({ wasted }: Pick<UpstreamResponse, 'wasted'>): WastedCost {
  let all = 0n
  let refused = 0n
  for (const attempt of wasted) {
    const { plan, rawUsage } = attempt
    if (plan.ownKeyFee !== null || !plan.dialect.reportedTotals(rawUsage).input) continue
    const { cost } = costOf(capUsage(attempt, rawUsage, null).usage, plan.price, 'list')
    all += cost
    if (attempt.refused) refused += cost
  }
  return { all, refused }
}

/** The receipt as the attempt that served would have left it alone. */
export function withoutWasted(
  response: Pick<UpstreamResponse, 'wasted'>,
  receipt: ReceiptDraft,
): ReceiptDraft {
  if (receipt.ownKey || response.wasted.length === 0) return receipt
  return { ...receipt, upstreamCost: receipt.upstreamCost - wastedCost(response).all }
}
