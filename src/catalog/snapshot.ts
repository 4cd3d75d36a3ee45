/** Drafts → the snapshot that every request reads: one immutable value, rebuilt on every change. Pure. */
import { runSteps, type Steps } from '../base/steps.ts'
import type { Draft, PriceDraft } from './drafts.ts'
import { upstreamsOf } from './offers/offers.ts'
import type { CatalogSources } from './sources.ts'
import type { Model, Snapshot } from './types.ts'

/** `idOf` knows the id of every price of a model that is sold. */
export function buildSnapshot(
  drafts: readonly Draft[],
  { providers, upstreams }: Pick<CatalogSources, 'providers' | 'upstreams'>,
  idOf: (price: PriceDraft) => bigint,
): Snapshot {
  return runSteps(snapshotSteps(drafts, { providers, upstreams }, idOf))
}

/** Builds the snapshot in steps of one model. */
export function* snapshotSteps(
  drafts: readonly Draft[],
  { providers, upstreams }: Pick<CatalogSources, 'providers' | 'upstreams'>,
  idOf: (price: PriceDraft) => bigint,
): Steps<Snapshot> {
  const models = new Map<string, Model>()
  const unsold = new Map<string, string>()
  const namedUpstreams = new Map<string, readonly string[]>()
  for (const draft of drafts) {
    if (draft.upstreams !== undefined) namedUpstreams.set(draft.name, draft.upstreams)
    if (draft.kind === 'unsold') unsold.set(draft.name, draft.reason)
    else models.set(draft.name, { ...draft.model, prices: draft.prices.map((price) => version(price, idOf)) })
    yield
  }
  return {
    models,
    unsold,
    namedUpstreams,
    families: familiesOf(providers),
    ...upstreamsOf({ providers, upstreams }),
  }
}

/** The model that a draft would be; its prices have no IDs yet. */
export function draftedModel({ model, prices }: Extract<Draft, { kind: 'sold' }>): Model {
  return { ...model, prices: prices.map((price) => version(price, () => 0n)) }
}

function version(price: PriceDraft, idOf: (price: PriceDraft) => bigint): Model['prices'][number] {
  const { model, effectiveFromMs, source, body } = price
  return { id: idOf(price), model, effectiveFromMs, source, ...body }
}

function familiesOf(providers: CatalogSources['providers']): Snapshot['families'] {
  return providers
    .flatMap(({ provider, families }) => families.map((prefix) => ({ prefix, provider })))
    .sort((one, other) => other.prefix.length - one.prefix.length || (one.prefix < other.prefix ? -1 : 1))
}
