/**
 * Prices below what an upstream charges. The cost at an upstream is that of the offer, else the list price under which the catalog
 * knows the model there; where it knows none, the list price of the model itself. Pure; a warning, never a reason to reject.
 */
import { type RateName, rateNames } from '../../contract/meters.ts'
import { type Model, type Offer, type PriceVersion, priceAt, type Rates, type Snapshot } from './types.ts'

export interface BelowCost {
  readonly upstream: string
  readonly rate: RateName
  /** Nano-USD per million tokens. */
  readonly price: bigint
  readonly cost: bigint
}

/** Every rate, below all tiers, that is lower than the cost at one of the model's upstreams. */
export function belowCost(
  snapshot: Pick<Snapshot, 'models'>,
  model: Model,
  nowMs: number,
): readonly BelowCost[] {
  const { rates, listRates } = priceAt(model, nowMs)
  return model.offers.flatMap((offer) => {
    const costs: Partial<Rates> = costRates(snapshot, offer, nowMs) ?? listRates
    return rateNames.flatMap((rate) => {
      const [price, cost] = [rates[rate] ?? null, costs[rate] ?? null]
      const isBelow = price !== null && cost !== null && price < cost
      return isBelow ? [{ upstream: offer.upstream.name, rate, price, cost }] : []
    })
  })
}

/** What the upstream charges: by the offer, else the list price under which the catalog knows the model there. */
export function costRates(
  snapshot: Pick<Snapshot, 'models'>,
  offer: Pick<Offer, 'upstream' | 'upstreamModel' | 'cost'>,
  nowMs: number,
): NonNullable<Offer['cost']> | undefined {
  return offer.cost ?? costPrice(snapshot, offer, nowMs)?.listRates
}

/** The price of the model that has the provider's own name; undefined where the catalog knows none. */
export function costPrice(
  { models }: Pick<Snapshot, 'models'>,
  { upstream, upstreamModel }: Pick<Offer, 'upstream' | 'upstreamModel'>,
  nowMs: number,
): PriceVersion | undefined {
  const names = [`${upstream.provider}/${upstreamModel}`, upstreamModel]
  const known = names.flatMap((name) => models.get(name) ?? [])
  const own = known.find(({ provider }) => provider === upstream.provider)
  return own === undefined ? undefined : priceAt(own, nowMs)
}
