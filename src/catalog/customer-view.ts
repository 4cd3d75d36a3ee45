/**
 * Customers' view of the upstreams that serve them, as the operator sets it; administrators see everything. An
 * account's own provider key is always shown to it. Pure.
 */
import { type Model, ownKeyPrefix, type Snapshot, type Upstream } from './types.ts'

/** `names`: the upstream that served. `providers`: its provider alone. `none`: neither. */
export const upstreamViews = ['names', 'providers', 'none'] as const
export type UpstreamView = (typeof upstreamViews)[number]

export interface CustomerView {
  readonly shows: UpstreamView
  /** Whether it is a provider that the program knows, and no server of the operator's own. */
  readonly isKnownProvider: (provider: string) => boolean
  /** The provider of an upstream; undefined: it is no longer configured. */
  readonly providerOf: (upstream: string) => string | undefined
}

/** `known`: the providers that the program knows. */
export function customerViewOf(
  shows: UpstreamView,
  known: readonly { readonly provider: string }[],
  catalog: { readonly snapshot: Pick<Snapshot, 'upstreams'> },
): CustomerView {
  const providers = new Set(known.map(({ provider }) => provider))
  return {
    shows,
    isKnownProvider: (provider) => providers.has(provider),
    providerOf: (name) => catalog.snapshot.upstreams.find((upstream) => upstream.name === name)?.provider,
  }
}

type ShownUpstream = Pick<Upstream, 'name' | 'provider' | 'ownKey'>

/** Whether passed-through responses must not reveal which provider served them and its charge. */
export function hidesProvider({ shows }: CustomerView, { ownKey }: Pick<Upstream, 'ownKey'>): boolean {
  return shows !== 'names' && ownKey === undefined
}

/** Text shown instead of the upstream's name; null: nothing. */
export function shownUpstream(view: CustomerView, upstream: ShownUpstream): string | null {
  if (upstream.ownKey !== undefined) return upstream.name
  return view.shows === 'names' ? upstream.name : shownProvider(view, upstream.provider)
}

/** The names by which a customer may refer to it. */
export function shownNames(view: CustomerView, upstream: ShownUpstream): readonly string[] {
  const { name, provider, ownKey } = upstream
  if (view.shows === 'names') return [name, provider]
  const shown = shownProvider(view, provider)
  const shownToAll = shown === null ? [] : [shown]
  return ownKey === undefined ? shownToAll : [name, ...shownToAll]
}

/** A server of the operator's own is a provider with the name of its upstream. */
function shownProvider({ shows, isKnownProvider }: CustomerView, provider: string): string | null {
  if (shows === 'none') return null
  // A request that was interrupted before it was sent has none.
  return shows === 'names' || provider === '' || isKnownProvider(provider) ? provider : 'custom'
}

/** A model in lists: its provider is shown as customers may see it, unless the model's name shows it anyway. */
export function shownModel(
  view: CustomerView,
  { families }: Pick<Snapshot, 'families'>,
  model: Model,
): Model {
  if (view.shows === 'names') return model
  const family = families.find(({ prefix }) => model.name.startsWith(prefix))
  if (family?.provider === model.provider) return model
  return { ...model, provider: shownProvider(view, model.provider) ?? 'other' }
}

interface RecordedUpstreams<Attempt extends { readonly upstream: string }> {
  readonly provider: string
  readonly upstream: string
  readonly upstreamModel: string
  readonly upstreamRequestId: string | null
  readonly upstreamCost: bigint
  readonly ownKey: boolean
  readonly attempts: readonly Attempt[]
}

/** Upstreams as customers see them; null: hidden. */
export interface ShownUpstreams<Attempt> {
  readonly provider: string | null
  readonly upstream: string | null
  readonly upstreamModel: string | null
  readonly upstreamRequestId: string | null
  readonly upstreamCost: bigint | null
  readonly attempts: readonly (Omit<Attempt, 'upstream'> & { readonly upstream: string | null })[]
}

/** The fields of a receipt that name upstreams, as customers see them. */
export function shownUpstreams<Attempt extends { readonly upstream: string }>(
  view: CustomerView,
  receipt: RecordedUpstreams<Attempt>,
): ShownUpstreams<Attempt> {
  const { ownKey, upstreamModel, upstreamRequestId, upstreamCost } = receipt
  const shownAttempt = (name: string): string | null => {
    if (view.shows === 'names' || name.startsWith(ownKeyPrefix)) return name
    const provider = name === receipt.upstream ? receipt.provider : view.providerOf(name)
    return provider === undefined ? null : shownProvider(view, provider)
  }
  const attempts = receipt.attempts.map((attempt) => ({
    ...attempt,
    upstream: shownAttempt(attempt.upstream),
  }))
  if (view.shows === 'names' || ownKey) {
    const { provider, upstream } = receipt
    return { provider, upstream, upstreamModel, upstreamRequestId, upstreamCost, attempts }
  }
  const provider = shownProvider(view, receipt.provider)
  const known =
    provider === null ? { upstreamRequestId: null, upstreamCost: null } : { upstreamRequestId, upstreamCost }
  return { provider, upstream: provider, upstreamModel: null, ...known, attempts }
}
