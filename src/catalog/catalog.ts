/**
 * The catalog of a running installation: combines the configured models with what operators changed on the command line
 * and in the console (models, prices, upstreams, the markup) into one snapshot that is swapped whole.
 */
import type { Clock } from '../base/clock.ts'
import type { NextId } from '../base/ids.ts'
import type { Settings } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import { inTransaction } from '../store/transaction.ts'
import { type ConsoleMarkup, readMarkup, writeMarkup } from './console-markup.ts'
import {
  type ConsoleUpstream,
  type CredentialSealer,
  deleteUpstream,
  readUpstreams,
  type UpstreamAsk,
  writeUpstream,
  writeUpstreamModels,
} from './console-upstreams.ts'
import { withCustomProviders } from './custom-providers.ts'
import { dated, withPrices } from './dated-definition.ts'
import type { ModelDefinition, PriceDefinition } from './definition.ts'
import { draftModels } from './drafts.ts'
import { hostModels } from './hosts/host-models.ts'
import {
  type ListedUpstream,
  listUpstreams,
  modelProviders,
  previewUpstream,
  refusedUpstream,
  type UpstreamChange,
  type UpstreamPreview,
  usableUpstream,
} from './listed-upstreams.ts'
import { definitionMistake } from './mistakes.ts'
import { nearestNames } from './nearest.ts'
import { type OfferAsk, planOffer } from './offer-plan.ts'
import { destinationsOf, familyOf } from './offers.ts'
import { readOverride, readOverrides, writeOverrides } from './override-rows.ts'
import { priceIds, pricesOf } from './price-rows.ts'
import { fallbackMistake, type RoutingChange, withRouting } from './routing-change.ts'
import { buildSnapshot } from './snapshot.ts'
import type { CatalogSources, Override } from './sources.ts'
import type { PriceVersion, Snapshot } from './types.ts'
import type { ComparisonInput } from './update/compare.ts'
import { comparisonBase } from './update/comparison-base.ts'

export type { ListedUpstream, UpstreamChange, UpstreamPreview }

/** What does not come from the store. */
export type GivenSources = Omit<CatalogSources, 'overrides'>

export interface CatalogDeps {
  readonly store: Pick<Store, 'database'>
  readonly clock: Clock
  readonly nextId: NextId
  readonly settings: Settings
  /** For the credentials of upstreams and for nothing else. */
  readonly sealer: CredentialSealer
  readonly sources: GivenSources
}

export type CatalogChange =
  | { readonly kind: 'changed' }
  /** No model of this name is known; `nearest`: what may have been meant. */
  | { readonly kind: 'unknown_model'; readonly nearest: readonly string[] }
  | { readonly kind: 'mistake'; readonly message: string }

/** Every change is stored first and then in the snapshot; changes take effect one after another. */
export interface Catalog {
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
  /** The only upstreams that serve a model; null: those that list it, and those that serve all of its provider. */
  nameUpstreams(model: string, upstreams: readonly string[] | null): Promise<CatalogChange>
  /** How its offers share requests, and its fallbacks; left out: as before; null: as the configuration says. */
  setRouting(model: string, routing: RoutingChange): Promise<CatalogChange>
  /** Those of the configuration, then those that were added in the console. */
  readonly upstreams: readonly ListedUpstream[]
  /** Adds one, or replaces one that was added. */
  putUpstream(ask: UpstreamAsk): Promise<UpstreamChange>
  /** What it would serve, or why it would be refused whatever its credential. */
  previewUpstream(ask: Parameters<typeof refusedUpstream>[0]): Promise<UpstreamPreview | UpstreamChange>
  /** The credential and the headers stored for this name, provider and address, if any. */
  keptSecrets(ask: Pick<UpstreamAsk, 'name' | 'provider' | 'url'>): KeptSecrets | undefined
  /** Whether there was one; those of the configuration stay. */
  removeUpstream(name: string): Promise<boolean>
  /** What is added to list prices for models without a markup of their own. */
  readonly markup: { readonly markup: string | null; readonly from: 'configuration' | 'console' }
  /** From now on; every price that changes becomes another version. */
  setMarkup(markup: string | null): Promise<void>
  /** A model's prices: those that were, the present one, those that are to come. */
  prices(model: string): Promise<readonly PriceVersion[]>
  /** What a published price list is compared with, as it will be in force at a moment. */
  comparisonBase(atMs: number): Pick<ComparisonInput, 'present' | 'providers'>
}

/** What an upstream is asked with. */
export interface KeptSecrets {
  readonly credential: string
  readonly headers: Readonly<Record<string, string>>
}

/** What the catalog is made of at present; changed only in turn. */
interface Live {
  readonly deps: CatalogDeps
  sources: GivenSources
  loaded: Loaded
  /** One after another, so that an older state never replaces a newer one. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
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
      return listUpstreams(live.sources, live.loaded.console, live.loaded.snapshot)
    },
    get markup() {
      const { markup } = live.loaded
      return markup === undefined
        ? ({ markup: live.sources.markup, from: 'configuration' } as const)
        : ({ markup: markup.markup, from: 'console' } as const)
    },
    prices: (model) => prices(live, model),
    comparisonBase: (atMs) => comparisonBase(live.loaded, atMs),
    reload(given) {
      return live.inTurn(async () => {
        const next = given ?? live.sources
        live.loaded = await load(deps, next)
        live.sources = next
      })
    },
    ...modelChanges(live),
    ...upstreamChanges(live),
  }
}

async function refresh(live: Live): Promise<void> {
  live.loaded = await load(live.deps, live.sources)
}

type ModelChanges = Pick<
  Catalog,
  'add' | 'price' | 'addAll' | 'offer' | 'disable' | 'enable' | 'nameUpstreams' | 'setRouting'
>

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
    async nameUpstreams(model, names) {
      const upstreams = names ?? undefined
      const message = aliasMistake(model, live.sources) ?? namingMistake(live, { id: model, upstreams })
      if (message !== undefined) return { kind: 'mistake', message }
      if (!isKnown(live, model)) return unknown(live, model)
      return await change(model, (before) => ({
        ...before,
        definition: { ...before.definition, id: model, upstreams },
      }))
    },
  }
}

async function addAll(live: Live, definitions: readonly ModelDefinition[]): Promise<CatalogChange> {
  for (const definition of definitions) {
    const message = definitionMistake(definition) ?? aliasMistake(definition.id, live.sources)
    if (message !== undefined) return { kind: 'mistake', message: `${definition.id}: ${message}` }
    if (definition.context === undefined && !isKnown(live, definition.id)) return unknown(live, definition.id)
  }
  return await live.inTurn(async () => {
    await inTransaction(live.deps.store, async (transaction) => {
      const stored = new Map((await readOverrides(transaction)).map((row) => [row.name, row]))
      for (const definition of definitions) {
        const name = definition.id
        const before = stored.get(name) ?? { name, definition: null, disabled: false }
        stored.set(name, withPrices(before, dated(live.deps.clock, definition)))
      }
      await writeOverrides(
        transaction,
        [...new Set(definitions.map(({ id }) => id))].flatMap((id) => stored.get(id) ?? []),
      )
    })
    await refresh(live)
    return { kind: 'changed' }
  })
}

async function offer(live: Live, ask: OfferAsk): ReturnType<Catalog['offer']> {
  const message = definitionMistake(ask.definition) ?? aliasMistake(ask.model, live.sources)
  if (message !== undefined) return { kind: 'mistake', message }
  const definition = {
    ...ask.definition,
    prices: dated(live.deps.clock, { ...ask.definition, id: ask.model }).prices,
  }
  const plan = planOffer({ ...ask, definition }, { sources: live.loaded.sources, added: live.loaded.console })
  if (plan.kind !== 'plan') return plan
  await inTransaction(live.deps.store, async (transaction) => {
    await writeOverrides(transaction, [plan.override])
    if (plan.models !== null) await writeUpstreamModels(transaction, ask.upstream, plan.models)
  })
  await refresh(live)
  return { kind: 'changed' }
}

function isKnown({ loaded: { snapshot } }: Live, name: string): boolean {
  return snapshot.models.has(name) || snapshot.unsold.has(name)
}

/** What is wrong with the upstreams that a model names. */
function namingMistake(
  { loaded, sources }: Live,
  { id, provider, upstreams = [] }: Pick<ModelDefinition, 'id' | 'provider' | 'upstreams'>,
): string | undefined {
  if (upstreams.length === 0) return undefined
  const own = provider ?? modelProviders(loaded.sources).get(id) ?? familyOf(id, loaded.sources.providers)
  const known = new Map([...sources.upstreams, ...loaded.console].map((one) => [one.name, one.provider]))
  const wrong = upstreams.find((name) => known.get(name) !== own)
  if (wrong === undefined) return undefined
  const other = known.get(wrong)
  return other === undefined
    ? `unknown upstream ${wrong}`
    : `${wrong} is an upstream of ${other}, but ${id} is a model of ${own ?? 'an unknown provider'}`
}

function unknown({ loaded: { snapshot } }: Live, name: string): CatalogChange {
  const names = [...snapshot.models.keys(), ...snapshot.unsold.keys()]
  return { kind: 'unknown_model', nearest: nearestNames(name, names) }
}

async function prices({ deps: parts, loaded }: Live, name: string): Promise<readonly PriceVersion[]> {
  const model = loaded.snapshot.models.get(name)
  // An alias costs what its model costs.
  const rows = await pricesOf(parts.store, model?.prices[0]?.model ?? name)
  const nowMs = parts.clock.wallMs()
  const toCome = new Set(model?.prices.map(({ id }) => id))
  return rows.filter(({ id, effectiveFromMs }) => effectiveFromMs <= nowMs || toCome.has(id))
}

type UpstreamChanges = Pick<
  Catalog,
  'putUpstream' | 'previewUpstream' | 'keptSecrets' | 'removeUpstream' | 'setMarkup'
>

function upstreamChanges(live: Live): UpstreamChanges {
  const { store, clock, settings, sealer } = live.deps
  return {
    putUpstream(ask) {
      return live.inTurn(async () => {
        const refused = refusedUpstream(ask, live.sources, await withHost(live.loaded.sources, ask.provider))
        if (refused !== undefined) return refused
        const written = await writeUpstream(store, sealer, ask, clock.wallMs())
        if (written === 'written') await refresh(live)
        return { kind: written }
      })
    },
    async previewUpstream(ask) {
      const { snapshot } = live.loaded
      const sources = await withHost(live.loaded.sources, ask.provider)
      return refusedUpstream(ask, live.sources, sources) ?? previewUpstream(ask, sources, snapshot)
    },
    keptSecrets({ name, provider, url }) {
      const known = [...live.sources.upstreams, ...live.loaded.console].find((one) => one.name === name)
      if (known?.provider !== provider || known.url !== url || known.credential === null) return undefined
      return { credential: known.credential, headers: known.custom?.headers ?? {} }
    },
    removeUpstream(name) {
      return live.inTurn(async () => {
        // Also one that an earlier try removed without reading the rest back.
        const isLive = live.loaded.console.some((one) => one.name === name)
        const isGone = (await deleteUpstream(store, name)) || isLive
        if (isGone) await refresh(live)
        return isGone
      })
    },
    setMarkup(markup) {
      return live.inTurn(async () => {
        await writeMarkup(settings, { markup, fromMs: clock.wallMs() })
        await refresh(live)
      })
    },
  }
}

/** The sources with the models of a host that may have no upstream yet. */
async function withHost(sources: CatalogSources, provider: string): Promise<CatalogSources> {
  const isLoaded = sources.upstreams.some((upstream) => upstream.provider === provider)
  return isLoaded ? sources : { ...sources, builtin: [...sources.builtin, ...(await hostModels([provider]))] }
}

function aliasMistake(name: string, { aliases }: GivenSources): string | undefined {
  return Object.hasOwn(aliases, name) ? `${name} is an alias of ${aliases[name]}` : undefined
}

/** Everything that the store adds to what is given, and the snapshot that both make. */
interface Loaded {
  readonly sources: CatalogSources
  readonly snapshot: Snapshot
  readonly console: readonly ConsoleUpstream[]
  readonly markup: ConsoleMarkup | undefined
}

async function load(deps: CatalogDeps, given: GivenSources): Promise<Loaded> {
  const { store, settings, sealer, nextId } = deps
  const overrides = await readOverrides(store.database)
  const console = await readUpstreams(store, sealer)
  const markup = await readMarkup(settings)
  const upstreams = [...given.upstreams, ...console.flatMap((upstream) => usableUpstream(upstream, given))]
  const sources = {
    ...given,
    ...(markup === undefined ? {} : { markup: markup.markup, markupFromMs: markup.fromMs }),
    builtin: [...given.builtin, ...(await hostModels(upstreams.map(({ provider }) => provider)))],
    upstreams,
    // Also those that are disabled: their models are known.
    providers: withCustomProviders(given.providers, [...console, ...given.upstreams]),
    overrides,
  }
  const drafts = draftModels(sources)
  const prices = drafts.flatMap((draft) => (draft.kind === 'sold' ? draft.prices : []))
  const snapshot = buildSnapshot(drafts, sources, await priceIds(store, prices, nextId))
  return { sources, snapshot, console, markup }
}
