/**
 * The catalog of a running installation: what the tables `price_version` (only ever added to) and
 * `model_override` (what operators said) make of the configured models, as one snapshot that is swapped whole.
 */
import { BrokenInvariant } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import type { NextId } from '../base/ids.ts'
import type { Store } from '../store/store.ts'
import { inTransaction, type Transaction } from '../store/transaction.ts'
import type { ModelDefinition, PriceDefinition } from './definition.ts'
import { type CatalogSources, type Draft, draftModels, type Override, type PriceDraft } from './drafts.ts'
import { definitionMistake } from './mistakes.ts'
import { nearestNames } from './nearest.ts'
import { buildSnapshot } from './snapshot.ts'
import type { Snapshot } from './types.ts'

/** What does not come from the store. */
export type GivenSources = Omit<CatalogSources, 'overrides'>

export interface CatalogParts {
  readonly store: Pick<Store, 'database'>
  readonly clock: Clock
  readonly nextId: NextId
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
  /** Reads the store anew, with other sources where they are given. */
  reload(sources?: GivenSources): Promise<void>
  /** Adds a model, or replaces what is said of it; a price in it comes to those that are there, from now on where it has no date. */
  add(definition: ModelDefinition): Promise<CatalogChange>
  /** A price from its date on, or from now on. */
  price(model: string, price: PriceDefinition): Promise<CatalogChange>
  disable(model: string): Promise<CatalogChange>
  enable(model: string): Promise<CatalogChange>
}

/** Reads what is stored and builds the first snapshot. */
export async function openCatalog(parts: CatalogParts): Promise<Catalog> {
  const { store, clock, nextId } = parts
  let sources = parts.sources
  let snapshot = await load(store, sources, nextId)
  let last: Promise<unknown> = Promise.resolve()

  /** One after another, so that an older state never replaces a newer one. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }

  async function refresh(): Promise<void> {
    snapshot = await load(store, sources, nextId)
  }

  function change(name: string, edit: (before: Override) => Override): Promise<CatalogChange> {
    return inTurn(async () => {
      await inTransaction(store, async (transaction) => {
        await write(transaction, edit(await read(transaction, name)))
      })
      await refresh()
      return { kind: 'changed' }
    })
  }

  function isKnown(name: string): boolean {
    return snapshot.models.has(name) || snapshot.unsold.has(name)
  }

  function unknown(name: string): CatalogChange {
    return {
      kind: 'unknown_model',
      nearest: nearestNames(name, [...snapshot.models.keys(), ...snapshot.unsold.keys()]),
    }
  }

  /** A date for every price, so that reading the store later gives the same price. */
  function dated(definition: ModelDefinition): ModelDefinition {
    const now = new Date(clock.wallMs()).toISOString()
    const prices = (definition.prices ?? []).map((price) => ({
      ...price,
      effectiveFrom: price.effectiveFrom ?? now,
    }))
    return { ...definition, prices }
  }

  return {
    get snapshot() {
      return snapshot
    },
    reload(given) {
      return inTurn(async () => {
        const next = given ?? sources
        snapshot = await load(store, next, nextId)
        sources = next
      })
    },
    async add(definition) {
      const message = definitionMistake(definition) ?? aliasMistake(definition.id, sources)
      if (message !== undefined) return { kind: 'mistake', message }
      const added = dated(definition)
      return await change(definition.id, (before) => ({
        ...before,
        definition: { ...added, prices: [...(before.definition?.prices ?? []), ...(added.prices ?? [])] },
      }))
    },
    async price(model, price) {
      const message = definitionMistake({ prices: [price] }) ?? aliasMistake(model, sources)
      if (message !== undefined) return { kind: 'mistake', message }
      if (!isKnown(model)) return unknown(model)
      const { prices } = dated({ id: model, prices: [price] })
      return await change(model, (before) => ({
        ...before,
        definition: {
          ...before.definition,
          id: model,
          prices: [...(before.definition?.prices ?? []), ...(prices ?? [])],
        },
      }))
    },
    async disable(model) {
      return isKnown(model)
        ? await change(model, (before) => ({ ...before, disabled: true }))
        : unknown(model)
    },
    async enable(model) {
      return isKnown(model)
        ? await change(model, (before) => ({ ...before, disabled: false }))
        : unknown(model)
    },
  }
}

function aliasMistake(name: string, { aliases }: GivenSources): string | undefined {
  return Object.hasOwn(aliases, name) ? `${name} is an alias of ${aliases[name]}` : undefined
}

async function load(store: Pick<Store, 'database'>, given: GivenSources, nextId: NextId): Promise<Snapshot> {
  const rows = await store.database.selectFrom('model_override').selectAll().execute()
  const sources = { ...given, overrides: rows.map(overrideOf) }
  const drafts = draftModels(sources)
  const ids = await priceIds(store, drafts, nextId)
  return buildSnapshot(drafts, sources, (price) => ids.get(keyOf(price)) ?? missing(price))
}

/** The ids of all prices of models that are sold; a price that was never seen before gets its row. */
async function priceIds(
  store: Pick<Store, 'database'>,
  drafts: readonly Draft[],
  nextId: NextId,
): Promise<ReadonlyMap<string, bigint>> {
  const known = await storedIds(store)
  const wanted = drafts.flatMap((draft) => (draft.kind === 'sold' ? draft.prices : []))
  const fresh = new Map(
    wanted.filter((price) => !known.has(keyOf(price))).map((price) => [keyOf(price), price]),
  )
  if (fresh.size === 0) return known
  const rows = [...fresh.values()].map((price) => ({
    id: nextId(),
    model: price.model,
    effective_from_ms: price.effectiveFromMs,
    body: price.text,
    source: price.source,
  }))
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    await store.database
      .insertInto('price_version')
      .values(rows.slice(start, start + rowsPerInsert))
      .onConflict((conflict) => conflict.columns(['model', 'effective_from_ms', 'body']).doNothing())
      .execute()
  }
  return await storedIds(store)
}

/** Well below the number of values that one statement may bind. */
const rowsPerInsert = 500

async function storedIds({ database }: Pick<Store, 'database'>): Promise<ReadonlyMap<string, bigint>> {
  const rows = await database
    .selectFrom('price_version')
    .select(['id', 'model', 'effective_from_ms', 'body'])
    .execute()
  return new Map(
    rows.map((row) => [
      keyOf({ model: row.model, effectiveFromMs: Number(row.effective_from_ms), text: row.body }),
      row.id,
    ]),
  )
}

function keyOf(price: Pick<PriceDraft, 'model' | 'effectiveFromMs' | 'text'>): string {
  return JSON.stringify([price.model, price.effectiveFromMs, price.text])
}

function missing(price: PriceDraft): never {
  throw new BrokenInvariant(`a price of ${price.model} has no id`)
}

async function read(transaction: Transaction, name: string): Promise<Override> {
  const row = await transaction
    .selectFrom('model_override')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirst()
  return row === undefined ? { name, definition: null, disabled: false } : overrideOf(row)
}

async function write(transaction: Transaction, override: Override): Promise<void> {
  const body = override.definition === null ? null : JSON.stringify(override.definition)
  const disabled = override.disabled ? 1 : 0
  await transaction
    .insertInto('model_override')
    .values({ name: override.name, body, disabled })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ body, disabled }))
    .execute()
}

function overrideOf(row: { name: string; body: string | null; disabled: bigint }): Override {
  const definition = row.body === null ? null : (JSON.parse(row.body) as ModelDefinition)
  return { name: row.name, definition, disabled: row.disabled !== 0n }
}
