/** Drafts → the snapshot that every request reads: one immutable value, rebuilt on every change. Pure. */
import { runSteps, type Steps } from '../base/steps.ts'
import type { Draft, PriceDraft } from './drafts.ts'
import { upstreamsOf } from './offers.ts'
import type { CatalogSources } from './sources.ts'
import type { Model, Snapshot } from './types.ts'

/** `idOf` knows the id of every price of a model that is sold. */
export function buildSnapshot(
  drafts: readonly Draft[],
  { providers, upstreams }: Pick<CatalogSources, 'providers' | 'upstreams'>,
  idOf: (price: PriceDraft) => bigint,
): Snapshot {
  return runSteps(snapshotSteps(drafts, { providers, upstreams }, { idOf })).snapshot
}

/** The models that were made of drafts; the same draft is the same model. */
export type DraftedModels = ReadonlyMap<Draft, Model>

interface SnapshotDeps {
  readonly idOf: (price: PriceDraft) => bigint
  /** Of the snapshot before. */
  readonly known?: DraftedModels | undefined
}

/** The same in steps of one model. */
export function* snapshotSteps(
  drafts: readonly Draft[],
  { providers, upstreams }: Pick<CatalogSources, 'providers' | 'upstreams'>,
  { idOf, known }: SnapshotDeps,
): Steps<{ readonly snapshot: Snapshot; readonly drafted: DraftedModels }> {
  const models = new Map<string, Model>()
  const drafted = new Map<Draft, Model>()
  const unsold = new Map<string, string>()
  const namedUpstreams = new Map<string, readonly string[]>()
  for (const draft of drafts) {
    if (draft.upstreams !== undefined) namedUpstreams.set(draft.name, draft.upstreams)
    if (draft.kind === 'unsold') unsold.set(draft.name, draft.reason)
    else {
      const prices = () => draft.prices.map((price) => version(price, idOf))
      const model = known?.get(draft) ?? { ...draft.model, prices: prices() }
      models.set(draft.name, model)
      drafted.set(draft, model)
    }
    yield
  }
  const snapshot = {
    models,
    unsold,
    namedUpstreams,
    families: familiesOf(providers),
    ...upstreamsOf({ providers, upstreams }),
  }
  return { snapshot, drafted }
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
