/**
 * The offers of a model on provider keys of an account: models that the operator has enabled, at providers that serve them at
 * their own address. Pure.
 */
import { formatsAt } from '../catalog/offers/offers.ts'
import { type Model, type Offer, ownKeyPrefix } from '../catalog/types.ts'
import { parseAddress } from '../catalog/upstreams/upstream-address.ts'
import type { KeyProvider, OwnKey, ProviderKeys } from './types.ts'

/** The upstream of an account's key for the provider. */
export function ownKeyName(provider: string): string {
  return `${ownKeyPrefix}${provider}`
}

export function isOwnKeyName(upstream: string): boolean {
  return upstream.startsWith(ownKeyPrefix)
}

/** In front of all groups of the operator. */
const ownGroup = 0

/** A model as far as its offers on provider keys depend on it. */
export type OwnModel = Pick<Model, 'provider' | 'upstreamModel' | 'offers'>

/** Offer of the model on any key of the provider; null: the provider does not serve it. */
function offerAt(
  model: OwnModel,
  { provider, connector }: Pick<KeyProvider, 'provider' | 'connector'>,
): Omit<Offer, 'upstream'> | null {
  const at = model.offers.find(({ upstream }) => upstream.provider === provider)
  if (at === undefined && model.provider !== provider) return null
  const own = { priority: ownGroup, weight: 1 }
  if (at === undefined) {
    const { upstreamModel } = model
    const formats = formatsAt(undefined, connector, upstreamModel)
    return formats.length === 0 ? null : { ...own, upstreamModel, catalogName: upstreamModel, formats }
  }
  // Another address, such as a mirror, may use different names.
  const isOwnAddress = at.upstream.origin === parseAddress(connector.defaultOrigin).origin
  const { catalogName, formats } = at
  return { ...own, upstreamModel: isOwnAddress ? at.upstreamModel : catalogName, catalogName, formats }
}

/** Whether a key of the provider would serve the model. */
export function servesModel(provider: KeyProvider, model: OwnModel): boolean {
  return offerAt(model, provider) !== null
}

/** How a model is served on provider keys of an account. */
export interface OwnRoute {
  /** In front of the operator's offers. */
  readonly first: readonly Offer[]
  /** After them, as the key or the model failed there a moment ago. */
  readonly last: readonly Offer[]
  /** Whether the operator's offers are not used. */
  readonly isOnly: boolean
  /** Keys that cannot be used now, for the error where nothing else is left. */
  readonly unusable: readonly OwnKey[]
}

/** undefined: the account has no key for the model. */
export function ownRoute(
  { of, health }: Pick<ProviderKeys, 'of' | 'health'>,
  account: bigint,
  model: OwnModel,
): OwnRoute | undefined {
  const keys = of(account).filter(({ provider }) => servesModel(provider, model))
  if (keys.length === 0) return undefined
  const states = keys.map((key) => ({ key, at: offerAt(model, key.provider), state: stateOf(key, model) }))
  const offersIn = (wanted: string): readonly Offer[] =>
    states.flatMap(({ key: { upstream }, at, state }) =>
      state === wanted && at !== null && upstream !== null ? [{ ...at, upstream }] : [],
    )
  return {
    first: offersIn('usable'),
    last: offersIn('cooling'),
    isOnly: keys.some(({ use }) => use === 'only'),
    unusable: states.flatMap(({ key, state }) => (state === 'rejected' ? [key] : [])),
  }

  function stateOf({ provider, upstream }: OwnKey, { upstreamModel }: OwnModel) {
    return upstream === null ? 'rejected' : health.state(account, provider.provider, upstreamModel)
  }
}
