/**
 * The catalog of a running installation: combines the configured models with what operators changed on the command line
 * and in the console (models, prices, upstreams, the markup) into one snapshot that is swapped whole.
 */

import type { RoutingStrategy } from '../../contract/routing-strategies.ts'
import type { Clock } from '../base/clock.ts'
import type { Steps } from '../base/steps.ts'
import { inTransaction } from '../store/transaction.ts'
import type { ModelDefinition, PriceDefinition } from './definition.ts'
import { definitionMistake } from './mistakes.ts'
import { nearestNames } from './nearest.ts'
import { type ListedOffer, offersByUpstream } from './offers/disabled-offers.ts'
import {
  type ModelOffers,
  type OfferChanges,
  type OffersPreview,
  offerChanges,
  writeOffer,
} from './offers/offer-changes.ts'
import type { OfferInput } from './offers/offer-list.ts'
import { destinationsOf } from './offers/offers.ts'
import { readOverride, readOverridesOf, writeOverrides } from './override-rows.ts'
import { pricesOf } from './prices/price-rows.ts'
import type { CatalogSources, Override } from './sources.ts'
import { type CatalogDeps, type CatalogState, type GivenSources, inTurns, load, refresh } from './state.ts'
import type { PriceVersion, Snapshot } from './types.ts'
import {
  listMembers,
  type SeenMember,
  storeSeen,
  type UnknownMember,
  writeRejected,
} from './unknown-members.ts'
import type { ComparisonInput } from './update/compare.ts'
import { presentSteps } from './update/present-prices.ts'
import {
  type ListedUpstream,
  listUpstreams,
  type UpstreamChange,
  type UpstreamPreview,
} from './upstreams/listed-upstreams.ts'
import { type KeptSecrets, type UpstreamChanges, upstreamChanges } from './upstreams/upstream-changes.ts'

export type {
  CatalogDeps,
  GivenSources,
  KeptSecrets,
  ListedOffer,
  ListedUpstream,
  ModelOffers,
  OffersPreview,
  UpstreamChange,
  UpstreamPreview,
}

export type CatalogChange =
  | { readonly kind: 'changed' }
  /** No model has this name; `nearest`: similar names. */
  | { readonly kind: 'unknown_model'; readonly nearest: readonly string[] }
  | { readonly kind: 'mistake'; readonly message: string }

/** Every change is stored before it is in the snapshot; changes run one after another. */
export interface Catalog extends UpstreamChanges, OfferChanges {
  /** The catalog of this moment; a request reads it once. */
  readonly snapshot: Snapshot
  /** Reloads from the store, with new sources if given. */
  reload(sources?: GivenSources): Promise<void>
  /** Adds a model or replaces its definition. A price without a date takes effect now; older prices stay. */
  add(definition: ModelDefinition): Promise<CatalogChange>
  /** Adds a price from its date on, or from now on. */
  price(model: string, price: PriceDefinition): Promise<CatalogChange>
  /** Adds prices of known models, and new models with their facts, in one change. */
  addAll(definitions: readonly ModelDefinition[]): Promise<CatalogChange>
  disable(model: string): Promise<CatalogChange>
  enable(model: string): Promise<CatalogChange>
  /** Adds a model at an upstream, with its price if it has none yet. */
  offer(input: OfferInput): Promise<CatalogChange | { readonly kind: 'unknown_upstream' }>
  /** Sets load balancing and fallbacks; left out: unchanged; null: as configured. */
  setRouting(model: string, routing: RoutingChange): Promise<CatalogChange>
  /** Configured upstreams, then those added in the console. */
  readonly upstreams: readonly ListedUpstream[]
  /** All offers by upstream, including disabled ones. */
  offersByUpstream(): Promise<ReadonlyMap<string, readonly ListedOffer[]>>
  /** Markup on list prices of models without their own markup. */
  readonly markup: { readonly markup: string | null; readonly from: 'configuration' | 'console' }
  /** Members and betas of requests that the administrator rejects, by `memberKey`. */
  readonly rejectedMembers: ReadonlySet<string>
  /** Unknown members and betas that were sent to a provider, or are rejected. */
  listUnknownMembers(): ReturnType<typeof listMembers>
  /** Stores that a member was sent, unless too many are stored. */
  storeUnknownMember(member: UnknownMember, seen: SeenMember): Promise<void>
  setRejected(member: UnknownMember, isRejected: boolean): Promise<void>
  /** A model's past, present and future prices. */
  prices(model: string): Promise<readonly PriceVersion[]>
  /** Models and providers to compare with a published price list, as in force at `atMs`; in small steps. */
  comparisonSteps(atMs: number): Steps<Pick<ComparisonInput, 'present' | 'providers'>>
}

/** Reads the store and builds the first snapshot. */
export async function openCatalog(deps: CatalogDeps): Promise<Catalog> {
  const { sources } = deps
  let last: Promise<unknown> = Promise.resolve()
  const state: CatalogState = {
    deps: deps,
    sources,
    loaded: await load(deps, sources),
    inTurn(work) {
      const result = last.then(work)
      last = result.catch(() => undefined)
      return result
    },
  }
  return {
    get snapshot() {
      return state.loaded.snapshot
    },
    get upstreams() {
      return listUpstreams(state.sources, state.loaded.console, state.loaded)
    },
    offersByUpstream: () => inTurns(state, offersByUpstream(state.loaded.all, state.loaded.disabled)),
    get markup() {
      const { markup } = state.loaded
      return markup === undefined
        ? ({ markup: state.sources.markup, from: 'configuration' } as const)
        : ({ markup: markup.markup, from: 'console' } as const)
    },
    get rejectedMembers() {
      return state.loaded.rejectedMembers
    },
    listUnknownMembers: () => listMembers(deps.settings, state.loaded.rejectedMembers),
    storeUnknownMember: (member, seen) => storeSeen(deps.settings, member, seen),
    setRejected: (member, isRejected) =>
      state.inTurn(async () => {
        await writeRejected(deps.settings, member, isRejected)
        await refresh(state)
      }),
    prices: (model) => prices(state, model),
    comparisonSteps: (atMs) => comparisonSteps({ ...state.loaded, snapshot: state.loaded.all }, atMs),
    reload(given) {
      return state.inTurn(async () => {
        const next = given ?? state.sources
        state.loaded = await load(deps, next, state.loaded)
        state.sources = next
      })
    },
    ...modelChanges(state),
    ...upstreamChanges(state),
    ...offerChanges(state),
  }
}

type ModelChanges = Pick<Catalog, 'add' | 'price' | 'addAll' | 'offer' | 'disable' | 'enable' | 'setRouting'>

function modelChanges(state: CatalogState): ModelChanges {
  function change(name: string, edit: (before: Override) => Override): Promise<CatalogChange> {
    return state.inTurn(async () => {
      await inTransaction(state.deps.store, async (transaction) => {
        await writeOverrides(transaction, [edit(await readOverride(transaction, name))])
      })
      await refresh(state)
      return { kind: 'changed' }
    })
  }

  async function disabling(model: string, disabled: boolean): Promise<CatalogChange> {
    return isKnown(state, model)
      ? await change(model, (before) => ({ ...before, disabled }))
      : unknown(state, model)
  }

  return {
    async add(definition) {
      const message =
        definitionMistake(definition) ??
        aliasMistake(definition.id, state.sources) ??
        namingMistake(state, definition)
      if (message !== undefined) return { kind: 'mistake', message }
      const added = dated(state.deps.clock, definition)
      return await change(definition.id, (before) => ({
        ...before,
        definition: {
          ...added,
          ...destinationsOf(added, before.definition),
          prices: [...(before.definition?.prices ?? []), ...(added.prices ?? [])],
        },
      }))
    },
    async price(model, price) {
      const message = definitionMistake({ prices: [price] }) ?? aliasMistake(model, state.sources)
      if (message !== undefined) return { kind: 'mistake', message }
      if (!isKnown(state, model)) return unknown(state, model)
      const added = dated(state.deps.clock, { id: model, prices: [price] })
      return await change(model, (before) => withPrices(before, added))
    },
    addAll: (definitions) => addAll(state, definitions),
    offer: (input) => state.inTurn(() => offer(state, input)),
    disable: (model) => disabling(model, true),
    enable: (model) => disabling(model, false),
    async setRouting(model, routing) {
      const { aliases } = state.sources
      const isName = (name: string) => isKnown(state, name) || Object.hasOwn(aliases, name)
      const message = aliasMistake(model, state.sources) ?? fallbackMistake(model, routing, isName)
      if (message !== undefined) return { kind: 'mistake', message }
      if (!isKnown(state, model)) return unknown(state, model)
      return await change(model, (row) => ({
        ...row,
        definition: withRouting(model, row.definition, routing),
      }))
    },
  }
}

async function addAll(state: CatalogState, definitions: readonly ModelDefinition[]): Promise<CatalogChange> {
  const problem = await inTurns(state, additionProblem(state, definitions))
  if (problem !== undefined) return problem
  return await state.inTurn(async () => {
    await inTransaction(state.deps.store, async (transaction) => {
      const names = new Set(definitions.map(({ id }) => id))
      const stored = await readOverridesOf(transaction, [...names])
      await writeOverrides(transaction, await inTurns(state, additions(state, definitions, stored)))
    })
    await refresh(state)
    return { kind: 'changed' }
  })
}

/** Why none of the definitions is added, one checked in a step. */
function* additionProblem(
  state: CatalogState,
  definitions: readonly ModelDefinition[],
): Steps<CatalogChange | undefined> {
  for (const definition of definitions) {
    const message = definitionMistake(definition) ?? aliasMistake(definition.id, state.sources)
    if (message !== undefined) return { kind: 'mistake', message: `${definition.id}: ${message}` }
    if (definition.context === undefined && !isKnown(state, definition.id))
      return unknown(state, definition.id)
    yield
  }
  return undefined
}

/** The rows after the additions, each once. */
function* additions(
  { deps }: CatalogState,
  definitions: readonly ModelDefinition[],
  stored: readonly Override[],
): Steps<readonly Override[]> {
  const before = new Map(stored.map((row) => [row.name, row]))
  const changed = new Map<string, Override>()
  for (const definition of definitions) {
    const name = definition.id
    const row = changed.get(name) ?? before.get(name) ?? { name, definition: null, disabled: false }
    changed.set(name, withPrices(row, dated(deps.clock, definition)))
    yield
  }
  return [...changed.values()]
}

async function offer(state: CatalogState, input: OfferInput): ReturnType<Catalog['offer']> {
  const message = definitionMistake(input.definition) ?? aliasMistake(input.model, state.sources)
  if (message !== undefined) return { kind: 'mistake', message }
  const definition = {
    ...input.definition,
    prices: dated(state.deps.clock, { ...input.definition, id: input.model }).prices,
  }
  const written = await writeOffer(state, { ...input, definition })
  if (!('kind' in written)) return { kind: 'changed' }
  switch (written.kind) {
    case 'unknown_upstream':
    case 'unknown_model':
    case 'mistake':
      return written
    case 'changed_meanwhile':
    case 'leaves_unserved':
      return { kind: 'mistake', message: 'the offers changed in the meantime: repeat it' }
  }
}

function isKnown({ loaded: { snapshot } }: CatalogState, name: string): boolean {
  return snapshot.models.has(name) || snapshot.unsold.has(name)
}

/** The first unknown upstream in a model's offers, as a message. */
function namingMistake(
  { loaded, sources }: CatalogState,
  { offers = [] }: ModelDefinition,
): string | undefined {
  const names = new Set([...sources.upstreams, ...loaded.console].map(({ name }) => name))
  const wrong = offers.find(({ upstream }) => !names.has(upstream))
  return wrong && `unknown upstream ${wrong.upstream}`
}

function unknown({ loaded: { snapshot } }: CatalogState, name: string): CatalogChange {
  const names = [...snapshot.models.keys(), ...snapshot.unsold.keys()]
  return { kind: 'unknown_model', nearest: nearestNames(name, names) }
}

async function prices({ deps: parts, loaded }: CatalogState, name: string): Promise<readonly PriceVersion[]> {
  const model = loaded.all.models.get(name)
  // An alias costs what its model costs.
  const rows = await pricesOf(parts.store, model?.prices[0]?.model ?? name)
  const nowMs = parts.clock.wallMs()
  const toCome = new Set(model?.prices.map(({ id }) => id))
  return rows.filter(({ id, effectiveFromMs }) => effectiveFromMs <= nowMs || toCome.has(id))
}

function aliasMistake(name: string, { aliases }: GivenSources): string | undefined {
  return Object.hasOwn(aliases, name) ? `${name} is an alias of ${aliases[name]}` : undefined
}

/** A date for every price, so that reading the store later gives the same price. */
function dated(clock: Clock, definition: ModelDefinition): ModelDefinition {
  const now = new Date(clock.wallMs()).toISOString()
  const prices = (definition.prices ?? []).map((price) => ({
    ...price,
    effectiveFrom: price.effectiveFrom ?? now,
  }))
  return { ...definition, prices }
}

/** Merges facts and adds prices to the present ones. */
function withPrices(before: Override, added: ModelDefinition): Override {
  const prices = [...(before.definition?.prices ?? []), ...(added.prices ?? [])]
  return { ...before, definition: { ...before.definition, ...added, prices } }
}

/** Left out: unchanged; null: as configured. */
interface RoutingChange {
  readonly strategy?: RoutingStrategy | null | undefined
  readonly fallbacks?: readonly string[] | null | undefined
}

/** Error in a model's fallbacks; undefined: none. */
function fallbackMistake(
  model: string,
  { fallbacks }: RoutingChange,
  isKnown: (name: string) => boolean,
): string | undefined {
  const names = fallbacks ?? []
  if (names.includes(model)) return `${model} cannot be its own fallback`
  if (new Set(names).size < names.length) return 'a fallback is named twice'
  const other = names.find((name) => !isKnown(name))
  return other === undefined ? undefined : `unknown model ${other}`
}

function withRouting(
  id: string,
  before: ModelDefinition | null,
  { strategy, fallbacks }: RoutingChange,
): ModelDefinition {
  return {
    ...before,
    id,
    strategy: strategy === undefined ? before?.strategy : (strategy ?? undefined),
    fallbacks: fallbacks === undefined ? before?.fallbacks : (fallbacks ?? undefined),
  }
}

/** The providers that have an upstream, and their models as in force at `atMs`. */
function* comparisonSteps(
  { sources, snapshot }: { readonly sources: CatalogSources; readonly snapshot: Snapshot },
  atMs: number,
): Steps<Pick<ComparisonInput, 'present' | 'providers'>> {
  const used = new Set(sources.upstreams.map(({ provider }) => provider))
  return {
    present: yield* presentSteps(sources, snapshot, atMs),
    providers: sources.providers.filter(({ provider }) => used.has(provider)),
  }
}
