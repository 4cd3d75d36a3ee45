/**
 * The offers of a model on provider keys of an account: models that the operator has enabled, at providers that serve them at
 * their own address. Pure.
 */
import { formatsAt } from '../catalog/offers.ts'
import type { Model, Offer } from '../catalog/types.ts'
import { parseAddress } from '../catalog/upstream-address.ts'
import type { KeyProvider } from './types.ts'

/** In front of all groups of the operator. */
const ownGroup = 0

/** A model as far as its offers on provider keys depend on it. */
export type OwnModel = Pick<Model, 'provider' | 'upstreamModel' | 'offers'>

/** What a key of the provider offers of the model, at whichever account; null: it does not serve the model. */
function offerAt(
  model: OwnModel,
  { provider, connector }: Pick<KeyProvider, 'provider' | 'connector'>,
): Omit<Offer, 'upstream'> | null {
  const at = model.offers.find(({ upstream }) => upstream.provider === provider)
  if (at === undefined && model.provider !== provider) return null
  const own = { priority: ownGroup, weight: 1 }
  if (at === undefined) {
    const { upstreamModel } = model
    const dialects = formatsAt(undefined, connector, upstreamModel)
    return dialects.length === 0 ? null : { ...own, upstreamModel, knownAs: upstreamModel, dialects }
  }
  // Another address, such as a mirror, may have names of its own.
  const isOwnAddress = at.upstream.origin === parseAddress(connector.defaultOrigin).origin
  const { knownAs, dialects } = at
  return { ...own, upstreamModel: isOwnAddress ? at.upstreamModel : knownAs, knownAs, dialects }
}

/** Whether a key of the provider would serve the model. */
export function servesModel(provider: KeyProvider, model: OwnModel): boolean {
  return offerAt(model, provider) !== null
}
