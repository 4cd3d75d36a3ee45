/**
 * The catalog's state and how it is loaded: the given sources, the stored changes to them, and the snapshot
 * of both. Replaced whole, one change after another.
 */
import type { Clock } from '../base/clock.ts'
import type { NextId } from '../base/ids.ts'
import { eventLoopTurns, runInTurns, type Steps, type Turns } from '../base/steps.ts'
import type { Settings } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import { type ConsoleMarkup, readMarkup } from './console-markup.ts'
import { draftSteps } from './drafts.ts'
import { hostModels } from './hosts/host-models.ts'
import type { MergedModels } from './merged-definitions.ts'
import { type DisabledOffers, readDisabled, withoutDisabled } from './offers/disabled-offers.ts'
import { readOverrides } from './override-rows.ts'
import { type IdsByKey, priceIds } from './prices/price-rows.ts'
import { snapshotSteps } from './snapshot.ts'
import type { CatalogSources } from './sources.ts'
import type { Snapshot } from './types.ts'
import { readRejected } from './unknown-members.ts'
import { type ConsoleUpstream, type CredentialSealer, readUpstreams } from './upstreams/console-upstreams.ts'
import { withCustomProviders } from './upstreams/custom-providers.ts'
import { usableUpstream } from './upstreams/listed-upstreams.ts'

/** Sources outside the store. */
export type GivenSources = Omit<CatalogSources, 'overrides'>

export interface CatalogDeps {
  readonly store: Pick<Store, 'database'>
  readonly clock: Clock
  readonly nextId: NextId
  readonly settings: Settings
  /** For the credentials of upstreams and for nothing else. */
  readonly sealer: CredentialSealer
  readonly sources: GivenSources
  /** The pieces in which a snapshot is built; left out: small ones. */
  readonly turns?: Turns
}

/** A unit is about one model, which takes some 20 microseconds. */
const catalogTurns = eventLoopTurns(50)

/** The present state of the catalog; changed only in turn. */
export interface CatalogState {
  readonly deps: CatalogDeps
  sources: GivenSources
  loaded: Loaded
  /** Runs changes in order, so that an older state never replaces a newer one. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Runs steps in the pieces in which snapshots are built. */
export function inTurns<Result>(state: Pick<CatalogState, 'deps'>, steps: Steps<Result>): Promise<Result> {
  return runInTurns(steps, turnsOf(state))
}

/** The pieces in which snapshots are built. */
function turnsOf({ deps }: Pick<CatalogState, 'deps'>): Turns {
  return deps.turns ?? catalogTurns
}

/** Reloads from the store. */
export async function refresh(state: CatalogState): Promise<void> {
  state.loaded = await load(state.deps, state.sources, state.loaded)
}

/** The stored changes to the given sources, and the resulting snapshot. */
export interface Loaded {
  readonly sources: CatalogSources
  /** With the disabled offers. */
  readonly all: Snapshot
  readonly disabled: DisabledOffers
  /** The snapshot that routes requests. */
  readonly snapshot: Snapshot
  /** IDs of the snapshot's prices. */
  readonly ids: IdsByKey
  readonly merged: MergedModels
  readonly console: readonly ConsoleUpstream[]
  readonly markup: ConsoleMarkup | undefined
  /** Members and betas of requests that the administrator rejects, by `memberKey`. */
  readonly rejectedMembers: ReadonlySet<string>
}

/** Reads the store and builds a snapshot; IDs of known prices are not read again. */
export async function load(deps: CatalogDeps, given: GivenSources, before?: Loaded): Promise<Loaded> {
  const { store, settings, sealer, nextId, turns = catalogTurns } = deps
  const overrides = await readOverrides(store.database, turns)
  const console = await readUpstreams(store, sealer)
  const markup = await readMarkup(settings)
  const upstreams = [...given.upstreams, ...console.flatMap((upstream) => usableUpstream(upstream, given))]
  const sources = {
    ...given,
    ...(markup === undefined ? {} : { markup: markup.markup, markupFromMs: markup.fromMs }),
    builtin: [...given.builtin, ...(await hostModels(upstreams.map(({ provider }) => provider)))],
    upstreams,
    // Includes disabled upstreams: their models are known.
    providers: withCustomProviders(given.providers, [...console, ...given.upstreams]),
    overrides,
  }
  const { drafts, merged } = await runInTurns(draftSteps(sources), turns)
  const prices = drafts.flatMap((draft) => (draft.kind === 'sold' ? draft.prices : []))
  const known = before?.ids ?? new Map()
  const { ids, idOf } = await priceIds({ store, nextId, known, turns }, prices)
  const all = await runInTurns(snapshotSteps(drafts, sources, idOf), turns)
  const disabled = await readDisabled(settings)
  const rejectedMembers = await readRejected(settings)
  const snapshot = await runInTurns(withoutDisabled(all, disabled), turns)
  return {
    ...{ sources, all, ids, disabled, snapshot, console, markup },
    ...{ merged, rejectedMembers },
  }
}
