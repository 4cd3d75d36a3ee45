/**
 * Offers and upstreams that an administrator disabled: a row of the settings for each, so that it survives a restart and
 * a change of the configuration. A disabled offer is left out of the snapshot; prices do not depend on it.
 */
import type { Steps } from '../../base/steps.ts'
import type { Settings } from '../../store/settings.ts'
import type { Model, Snapshot } from '../types.ts'

/** An upstream, or an upstream's name of a model there. */
export interface OfferPlace {
  readonly upstream: string
  /** Left out: the whole upstream. */
  readonly upstreamModel?: string | undefined
}

/** The keys of places; see `keyOf`. */
export type DisabledOffers = ReadonlySet<string>

/** An offer as operators see it, disabled or not. */
export interface ListedOffer {
  readonly upstreamModel: string
  /** The public names that are served by it. */
  readonly models: readonly string[]
  /** `disabled` is also true if the whole upstream is. */
  readonly disabled: boolean
}

const prefix = 'disabled offer: '
const unservedReason = 'every upstream that serves it is disabled'

/** Names of upstreams have no spaces. */
function keyOf({ upstream, upstreamModel }: OfferPlace): string {
  return upstreamModel === undefined ? upstream : `${upstream} ${upstreamModel}`
}

export async function readDisabled(settings: Pick<Settings, 'listByPrefix'>): Promise<DisabledOffers> {
  const rows = await settings.listByPrefix(prefix)
  return new Set(rows.map(({ name }) => name.slice(prefix.length)))
}

/** Stores whether a place is disabled. */
export function writeDisabled(
  settings: Pick<Settings, 'put' | 'remove'>,
  place: OfferPlace,
  disabled: boolean,
): Promise<void> {
  const name = `${prefix}${keyOf(place)}`
  return disabled ? settings.put(name, '1') : settings.remove(name)
}

/** Removes everything stored for an upstream, so that a new one of the same name does not inherit it. */
export async function forgetDisabled(
  settings: Pick<Settings, 'remove'>,
  disabled: DisabledOffers,
  upstream: string,
): Promise<void> {
  for (const key of disabled) {
    if (key === upstream || key.startsWith(`${upstream} `)) await settings.remove(`${prefix}${key}`)
  }
}

/** The same set with a place disabled or enabled. */
export function withPlace(disabled: DisabledOffers, place: OfferPlace, isDisabled: boolean): DisabledOffers {
  const next = new Set(disabled)
  if (isDisabled) next.add(keyOf(place))
  else next.delete(keyOf(place))
  return next
}

/** Whether the upstream as a whole is disabled here. */
export function isUpstreamDisabled(disabled: DisabledOffers, upstream: string): boolean {
  return disabled.has(upstream)
}

/** Whether this model there is disabled, apart from the upstream as a whole. */
export function isPlaceDisabled(disabled: DisabledOffers, place: Required<OfferPlace>): boolean {
  return disabled.has(keyOf(place))
}

/** The snapshot without the disabled offers and upstreams, a model in each step; a model that has none left is not sold. */
export function* withoutDisabled(all: Snapshot, disabled: DisabledOffers): Steps<Snapshot> {
  if (disabled.size === 0) return all
  const models = new Map<string, Model>()
  const unsold = new Map(all.unsold)
  for (const [name, model] of all.models) {
    const offers = model.offers.filter((offer) => !isDisabled(disabled, offer))
    if (offers.length === 0) unsold.set(name, unservedReason)
    else models.set(name, offers.length === model.offers.length ? model : { ...model, offers })
    yield
  }
  return {
    ...all,
    models,
    unsold,
    upstreams: all.upstreams.filter(({ name }) => !disabled.has(name)),
    ownUpstreams: all.ownUpstreams.filter(({ name }) => !disabled.has(name)),
  }
}

/** All offers by upstream, including disabled ones, in the order of the models; a model per step. */
export function* offersByUpstream(
  all: Pick<Snapshot, 'models'>,
  disabled: DisabledOffers,
): Steps<ReadonlyMap<string, readonly ListedOffer[]>> {
  const found = new Map<string, Map<string, { upstreamModel: string; models: string[]; disabled: boolean }>>()
  for (const [name, { offers }] of all.models) {
    for (const offer of offers) {
      const { upstream, upstreamModel } = offer
      const here = found.get(upstream.name) ?? new Map()
      const row = here.get(upstreamModel) ?? {
        upstreamModel,
        models: [],
        disabled: isDisabled(disabled, offer),
      }
      row.models.push(name)
      here.set(upstreamModel, row)
      found.set(upstream.name, here)
    }
    yield
  }
  return new Map([...found].map(([upstream, offers]) => [upstream, [...offers.values()]]))
}

/** Whether the place exists, disabled or not. */
export function isKnownPlace({ models }: Pick<Snapshot, 'models'>, place: OfferPlace): boolean {
  for (const { offers } of models.values()) {
    for (const { upstream, upstreamModel } of offers) {
      if (upstream.name !== place.upstream) continue
      if (place.upstreamModel === undefined || place.upstreamModel === upstreamModel) return true
    }
  }
  return false
}

function isDisabled(disabled: DisabledOffers, { upstream, upstreamModel }: Model['offers'][number]): boolean {
  return disabled.has(upstream.name) || disabled.has(keyOf({ upstream: upstream.name, upstreamModel }))
}
