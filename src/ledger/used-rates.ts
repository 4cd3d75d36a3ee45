/** The rates that a receipt's usage was charged at, for those who read the receipt. Pure. */
import { inputTokens, type Meter, meterNames } from '../../contract/meters.ts'
import { type PricedUsage, type PriceSide, rateOf, ratesFor } from './rules/price.ts'

/** A version of a model's price. */
type PriceVersion = Parameters<typeof ratesFor>[0]

/** In nano-USD: per million tokens of a class, and per use of a fee. */
export interface UsedRates {
  readonly tokens: Readonly<Partial<Record<Meter, bigint>>>
  readonly fees: Readonly<Record<string, bigint>>
}

/** The rates of all that was used, in the tier that the input reached; what the price does not know is left out. */
export function usedRates(
  usage: Omit<PricedUsage, 'servedOptions'>,
  price: PriceVersion,
  side: PriceSide,
): UsedRates {
  const rates = ratesFor(price, side, inputTokens(usage))
  const tokens = meterNames.flatMap((name) => {
    const rate = usage[name] === 0 ? null : rateOf(rates, name)
    return rate === null ? [] : [[name, rate] as const]
  })
  const fees = Object.entries(price.fees).filter(([fee]) => Object.hasOwn(usage.fees, fee))
  return { tokens: Object.fromEntries(tokens), fees: Object.fromEntries(fees) }
}
