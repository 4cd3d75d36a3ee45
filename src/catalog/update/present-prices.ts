/** The list prices in force at a given time, by model, for comparison with a published list. Pure. */
import type { Steps } from '../../base/steps.ts'
import type { ModelDefinition, PriceDefinition } from '../definition.ts'
import { mergeSteps } from '../merged-definitions.ts'
import { familyOf, nameThere } from '../offers/offers.ts'
import type { CatalogSources } from '../sources.ts'
import { billingProviders, type Snapshot } from '../types.ts'
import { listFormatNames } from './price-list.ts'

export interface PresentModel {
  readonly name: string
  readonly provider: string
  /** The provider's name for the model. */
  readonly upstreamModel: string
  /** All that may bill a request for it. */
  readonly billingProviders: readonly string[]
  readonly isSold: boolean
  /** The price as written, without the markup; null: none is known. */
  readonly price: PriceDefinition | null
  /** An administrator wrote the price, so that no list is its source. */
  readonly isOperators: boolean
}

/** Every known model, sold or not, one per step; aliases have the price of their model. */
export function* presentSteps(
  sources: CatalogSources,
  snapshot: Pick<Snapshot, 'models'>,
  atMs: number,
): Steps<readonly PresentModel[]> {
  const builtinPrices = new Set(sources.builtin.flatMap(({ prices = [] }) => prices))
  const definitions = yield* mergeSteps(sources)
  const present: PresentModel[] = []
  for (const definition of definitions.values()) {
    const provider = definition.provider ?? familyOf(definition.id, sources.providers)
    if (provider === undefined || definition.testModel !== undefined) continue
    const price = priceInForce(definition, atMs)
    const model = snapshot.models.get(definition.id)
    present.push({
      name: definition.id,
      provider,
      upstreamModel: nameThere({ ...definition, provider }, sources.providers),
      billingProviders: model === undefined ? [provider] : billingProviders(model),
      isSold: model !== undefined,
      price,
      isOperators: price !== null && !builtinPrices.has(price) && !isOfList(price),
    })
    yield
  }
  return present
}

/** The latest price in force; of several with the same date, the last. */
function priceInForce({ prices = [] }: ModelDefinition, atMs: number): PriceDefinition | null {
  let [latest, latestMs] = [null as PriceDefinition | null, Number.NEGATIVE_INFINITY]
  for (const price of prices) {
    const fromMs = price.effectiveFrom === undefined ? 0 : Date.parse(price.effectiveFrom)
    if (fromMs <= atMs && fromMs >= latestMs) [latest, latestMs] = [price, fromMs]
  }
  return latest
}

const isOfList = ({ source = '' }: PriceDefinition): boolean =>
  listFormatNames.some((format) => source.startsWith(`${format},`))
