/**
 * The charge for requests on an account's own provider key: a share of their cost at list price. A cost is rounded up to a
 * whole nano-USD, and its share is rounded up once more. Pure.
 */
import type { Multiplier, PriceVersion } from '../../catalog/types.ts'
import { divideUp } from './money.ts'
import type { BoundAmounts } from './price.ts'

/** null: the operator's price is charged. */
export type OwnKeyFee = Multiplier | null

/** The price that the share is taken of: what the provider charges the account by its list. */
export function listPriced(price: PriceVersion): PriceVersion {
  return { ...price, rates: price.listRates, tiers: price.listTiers }
}

/** The fee as receipts store it: `1/20`. */
export function feeText(fee: OwnKeyFee): string | null {
  return fee === null ? null : `${fee.numerator}/${fee.denominator}`
}

/** What is charged for a cost. */
export function chargeOf(cost: bigint, fee: OwnKeyFee): bigint {
  return fee === null ? cost : divideUp(cost * fee.numerator, fee.denominator)
}

/** The most that is charged within a bound, which is never below the charge for a cost within it. */
export function chargedAmounts({ input, perOutputToken }: BoundAmounts, fee: OwnKeyFee): BoundAmounts {
  return { input: chargeOf(input, fee), perOutputToken: chargeOf(perOutputToken, fee) }
}
