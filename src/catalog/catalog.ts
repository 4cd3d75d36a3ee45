/**
 * The catalog of a running installation: combines the configured models with what operators changed on the command line
 * and in the console (models, prices, upstreams, the markup) into one snapshot that is swapped whole.
 */

import type { Clock } from '../base/clock.ts'
import type { Steps } from '../base/steps.ts'
import { inTransaction } from '../store/transaction.ts'
import type { ModelDefinition, PriceDefinition } from './definition.ts'
import { type ListedOffer, offersByUpstream } from './disabled-offers.ts'
import {
  type ListedUpstream,
  listUpstreams,
  type UpstreamChange,
  type UpstreamPreview,
} from './listed-upstreams.ts'
import { type CatalogDeps, type GivenSources, inTurns, type Live, load, refresh } from './live.ts'
import { definitionMistake } from './mistakes.ts'
import { nearestNames } from './nearest.ts'
import {
  type ModelOffers,
  type OfferChanges,
  type OffersPreview,
  offerChanges,
  writeOffer,
} from './offer-changes.ts'
import type { OfferAsk } from './offer-list.ts'
import { destinationsOf } from './offers.ts'
import { readOverride, readOverridesOf, writeOverrides } from './override-rows.ts'
import { pricesOf } from './price-rows.ts'
import { fallbackMistake, type RoutingChange, withRouting } from './routing-change.ts'
import type { Override } from './sources.ts'
import type { PriceVersion, Snapshot } from './types.ts'
import {
  listMembers,
  type SeenMember,
  storeSeen,
  type UnknownMember,
  writeRejected,
} from './unknown-members.ts'
import type { ComparisonInput } from './update/compare.ts'
import { comparisonSteps } from './update/comparison-base.ts'
import { type KeptSecrets, type UpstreamChanges, upstreamChanges } from './upstream-changes.ts'

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
  /** No model of this name is known; `nearest`: what may have been meant. */
  | { readonly kind: 'unknown_model'; readonly nearest: readonly string[] }
  | { readonly kind: 'mistake'; readonly message: string }

/** Every change is stored first and then in the snapshot; changes take effect one after another. */
export interface Catalog extends UpstreamChanges, OfferChanges {
  /** The catalog of this moment; a request reads it once. */
  readonly snapshot: Snapshot
  /** Reloads from the store, with other sources where they are given. */
  reload(sources?: GivenSources): Promise<void>
  /** Adds a model, or replaces what is said of it; a price in it comes to those that are there, from now on where it has no date. */
  add(definition: ModelDefinition): Promise<CatalogChange>
  /** A price from its date on, or from now on. */
  price(model: string, price: PriceDefinition): Promise<CatalogChange>
  /** The same for many models in one change: prices of known ones, and new ones with their facts. */
  addAll(definitions: readonly ModelDefinition[]): Promise<CatalogChange>
  disable(model: string): Promise<CatalogChange>
  enable(model: string): Promise<CatalogChange>
  /** A model at an upstream, with its price where it has none yet. */
  offer(ask: OfferAsk): Promise<CatalogChange | { readonly kind: 'unknown_upstream' }>
  /** How its offers share requests, and its fallbacks; left out: as before; null: as the configuration says. */
  setRouting(model: string, routing: RoutingChange): Promise<CatalogChange>
  /** Configured upstreams, then those added in the console. */
  readonly upstreams: readonly ListedUpstream[]
  /** All offers by upstream, with those that are disabled. */
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
  /** A model's prices: those that were, the present one, those that are to come. */
  prices(model: string): Promise<readonly PriceVersion[]>
  /** Models and providers to compare with a published price list, as in force at `atMs`; in small steps. */
  comparisonSteps(atMs: number): Steps<Pick<ComparisonInput, 'present' | 'providers'>>
}

/** Reads what is stored and builds the first snapshot. */
export async function openCatalog(deps: CatalogDeps): Promise<Catalog> {
  const { sources } = deps
  let last: Promise<unknown> = Promise.resolve()
  const live: Live = {
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
      return live.loaded.snapshot
    },
    get upstreams() {
      return listUpstreams(live.sources, live.loaded.console, live.loaded)
    },
    offersByUpstream: () => inTurns(live, offersByUpstream(live.loaded.all, live.loaded.disabled)),
    get markup() {
      const { markup } = live.loaded
      return markup === undefined
        ? ({ markup: live.sources.markup, from: 'configuration' } as const)
        : ({ markup: markup.markup, from: 'console' } as const)
    },
    get rejectedMembers() {
      return live.loaded.rejectedMembers
    },
    listUnknownMembers: () => listMembers(deps.settings, live.loaded.rejectedMembers),
    storeUnknownMember: (member, seen) => storeSeen(deps.settings, member, seen),
    setRejected: (member, isRejected) =>
      live.inTurn(async () => {
        await writeRejected(deps.settings, member, isRejected)
        await refresh(live)
      }),
    prices: (model) => prices(live, model),
    comparisonSteps: (atMs) => comparisonSteps({ ...live.loaded, snapshot: live.loaded.all }, atMs),
    reload(given) {
      return live.inTurn(async () => {
        const next = given ?? live.sources
        live.loaded = await load(deps, next, live.loaded)
        live.sources = next
      })
    },
    ...modelChanges(live),
    ...upstreamChanges(live),
    ...offerChanges(live),
  }
}

type ModelChanges = Pick<Catalog, 'add' | 'price' | 'addAll' | 'offer' | 'disable' | 'enable' | 'setRouting'>

function modelChanges(live: Live): ModelChanges {
  function change(name: string, edit: (before: Override) => Override): Promise<CatalogChange> {
    return live.inTurn(async () => {
      await inTransaction(live.deps.store, async (transaction) => {
        await writeOverrides(transaction, [edit(await readOverride(transaction, name))])
      })
      await refresh(live)
      return { kind: 'changed' }
    })
  }

  async function disabling(model: string, disabled: boolean): Promise<CatalogChange> {
    return isKnown(live, model)
      ? await change(model, (before) => ({ ...before, disabled }))
      : unknown(live, model)
  }

  return {
    async add(definition) {
      const message =
        definitionMistake(definition) ??
        aliasMistake(definition.id, live.sources) ??
        namingMistake(live, definition)
      if (message !== undefined) return { kind: 'mistake', message }
      const added = dated(live.deps.clock, definition)
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
      const message = definitionMistake({ prices: [price] }) ?? aliasMistake(model, live.sources)
      if (message !== undefined) return { kind: 'mistake', message }
      if (!isKnown(live, model)) return unknown(live, model)
      const added = dated(live.deps.clock, { id: model, prices: [price] })
      return await change(model, (before) => withPrices(before, added))
    },
    addAll: (definitions) => addAll(live, definitions),
    offer: (ask) => live.inTurn(() => offer(live, ask)),
    disable: (model) => disabling(model, true),
    enable: (model) => disabling(model, false),
    async setRouting(model, routing) {
      const { aliases } = live.sources
      const isName = (name: string) => isKnown(live, name) || Object.hasOwn(aliases, name)
      const message = aliasMistake(model, live.sources) ?? fallbackMistake(model, routing, isName)
      if (message !== undefined) return { kind: 'mistake', message }
      if (!isKnown(live, model)) return unknown(live, model)
      return await change(model, (row) => ({
        ...row,
        definition: withRouting(model, row.definition, routing),
      }))
    },
  }
}

async function addAll(live: Live, definitions: readonly ModelDefinition[]): Promise<CatalogChange> {
  const problem = await inTurns(live, additionProblem(live, definitions))
  if (problem !== undefined) return problem
  return await live.inTurn(async () => {
    await inTransaction(live.deps.store, async (transaction) => {
      const names = new Set(definitions.map(({ id }) => id))
      const stored = await readOverridesOf(transaction, [...names])
      await writeOverrides(transaction, await inTurns(live, additions(live, definitions, stored)))
    })
    await refresh(live)
    return { kind: 'changed' }
  })
}

/** Why none of the definitions is added, one checked in a step. */
function* additionProblem(
  live: Live,
  definitions: readonly ModelDefinition[],
): Steps<CatalogChange | undefined> {
  for (const definition of definitions) {
    const message = definitionMistake(definition) ?? aliasMistake(definition.id, live.sources)
    if (message !== undefined) return { kind: 'mistake', message: `${definition.id}: ${message}` }
    if (definition.context === undefined && !isKnown(live, definition.id)) return unknown(live, definition.id)
    yield
  }
  return undefined
}

/** The rows that change, each once, with what they have so far. */
function* additions(
  { deps }: Live,
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

async function offer(live: Live, ask: OfferAsk): ReturnType<Catalog['offer']> {
  const message = definitionMistake(ask.definition) ?? aliasMistake(ask.model, live.sources)
  if (message !== undefined) return { kind: 'mistake', message }
  const definition = {
    ...ask.definition,
    prices: dated(live.deps.clock, { ...ask.definition, id: ask.model }).prices,
  }
  const written = await writeOffer(live, { ...ask, definition })
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

function isKnown({ loaded: { snapshot } }: Live, name: string): boolean {
  return snapshot.models.has(name) || snapshot.unsold.has(name)
}

/** The first unknown upstream in a model's offers, as a message. */
function namingMistake({ loaded, sources }: Live, { offers = [] }: ModelDefinition): string | undefined {
  const names = new Set([...sources.upstreams, ...loaded.console].map(({ name }) => name))
  const wrong = offers.find(({ upstream }) => !names.has(upstream))
  return wrong && `unknown upstream ${wrong.upstream}`
}

function unknown({ loaded: { snapshot } }: Live, name: string): CatalogChange {
  const names = [...snapshot.models.keys(), ...snapshot.unsold.keys()]
  return { kind: 'unknown_model', nearest: nearestNames(name, names) }
}

async function prices({ deps: parts, loaded }: Live, name: string): Promise<readonly PriceVersion[]> {
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

/** Facts that are given replace others, and prices come to those that are there. */
function withPrices(before: Override, added: ModelDefinition): Override {
  const prices = [...(before.definition?.prices ?? []), ...(added.prices ?? [])]
  return { ...before, definition: { ...before.definition, ...added, prices } }
}
