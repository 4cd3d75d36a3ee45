/**
 * Prices below what an upstream charges. The cost at an upstream is the offer's, else the list price under which the catalog
 * knows the model there; failing that, the list price of the model itself. Pure; a warning, never a reason to reject.
 */
import { type RateName, rateNames } from '../../../contract/meters.ts'
import { windowChanges } from '../prices/price-schedule.ts'
import { type Model, type Offer, type PriceVersion, priceAt, type Rates, type Snapshot } from '../types.ts'

export interface BelowCost {
  readonly upstream: string
  /** The model's name there: an upstream can have several offers of a model. */
  readonly upstreamModel: string
  readonly rate: RateName
  /** Nano-USD per million tokens. */
  readonly price: bigint
  readonly cost: bigint
  /** When the price begins that is too low; null: it has begun. */
  readonly fromMs: number | null
  /** The first time of the week at which it is so; null: now, or as soon as the price begins. */
  readonly atMs: number | null
}

/**
 * Every base rate below the cost at one of the model's upstreams: now, at other times of the week, or
 * once a future price begins. Each with the first such moment.
 */
export function belowCost(
  snapshot: Pick<Snapshot, 'models'>,
  model: Model,
  nowMs: number,
): readonly BelowCost[] {
  const found = new Map<string, BelowCost>()
  const toCome = model.prices.flatMap(({ effectiveFromMs: fromMs }) => (fromMs > nowMs ? [fromMs] : []))
  const windows = windowsOf(snapshot, model)
  for (const startMs of [nowMs, ...new Set(toCome)]) {
    const changes =
      windows.length === 0 ? [] : [...windowChanges(windows, startMs)].sort((one, other) => one - other)
    for (const atMs of [startMs, ...changes]) {
      for (const row of belowCostAt(snapshot, model, atMs)) {
        const key = `${row.upstream} ${row.upstreamModel} ${row.rate} ${row.versionFromMs > nowMs ? row.versionFromMs : ''}`
        if (found.has(key)) continue
        const { versionFromMs, ...facts } = row
        const fromMs = versionFromMs > nowMs ? versionFromMs : null
        found.set(key, { ...facts, fromMs, atMs: atMs === startMs ? null : atMs })
      }
    }
  }
  return [...found.values()]
}

type BelowCostNow = Omit<BelowCost, 'fromMs' | 'atMs'> & { readonly versionFromMs: number }

function belowCostAt(
  snapshot: Pick<Snapshot, 'models'>,
  model: Model,
  atMs: number,
): readonly BelowCostNow[] {
  const { rates, listRates, effectiveFromMs: versionFromMs } = priceAt(model, atMs)
  return model.offers.flatMap((offer) => {
    const costs: Partial<Rates> = costRates(snapshot, offer, atMs) ?? listRates
    return rateNames.flatMap((rate) => {
      const [price, cost] = [rates[rate] ?? null, costs[rate] ?? null]
      const isBelow = price !== null && cost !== null && price < cost
      const { upstream, upstreamModel } = offer
      return isBelow ? [{ upstream: upstream.name, upstreamModel, rate, price, cost, versionFromMs }] : []
    })
  })
}

/** Times of the week at which the model's price, or the price of one of its upstreams, changes. */
function windowsOf(
  snapshot: Pick<Snapshot, 'models'>,
  { prices, offers }: Model,
): NonNullable<PriceVersion['schedule']> {
  const costs = offers.flatMap((offer) =>
    offer.cost === undefined ? (costModel(snapshot, offer)?.prices ?? []) : [],
  )
  return [...prices, ...costs].flatMap(({ schedule = [] }) => schedule)
}

/**
 * The upstream's rates: the offer's cost, else the list price of the model as the catalog knows it there, else the
 * built-in price.
 */
export function costRates(
  snapshot: Pick<Snapshot, 'models'>,
  offer: Pick<Offer, 'upstream' | 'upstreamModel' | 'cost' | 'listCost'>,
  nowMs: number,
): NonNullable<Offer['cost']> | undefined {
  return offer.cost ?? costPrice(snapshot, offer, nowMs)?.listRates ?? offer.listCost
}

/** The price of the model with the provider's own name; undefined if the catalog knows none. */
export function costPrice(
  snapshot: Pick<Snapshot, 'models'>,
  offer: Pick<Offer, 'upstream' | 'upstreamModel'>,
  nowMs: number,
): PriceVersion | undefined {
  const own = costModel(snapshot, offer)
  return own === undefined ? undefined : priceAt(own, nowMs)
}

function costModel(
  { models }: Pick<Snapshot, 'models'>,
  { upstream, upstreamModel }: Pick<Offer, 'upstream' | 'upstreamModel'>,
): Model | undefined {
  const names = [`${upstream.provider}/${upstreamModel}`, upstreamModel]
  const known = names.flatMap((name) => models.get(name) ?? [])
  return known.find(({ provider }) => provider === upstream.provider)
}
