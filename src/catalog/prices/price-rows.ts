/** The table `price_version`: every price that was ever in a snapshot. Rows are only added. */
import { BrokenInvariant } from '../../base/assert.ts'
import type { NextId } from '../../base/ids.ts'
import { runInTurns, type Steps, type Turns } from '../../base/steps.ts'
import type { Store } from '../../store/store.ts'
import type { PriceDraft } from '../drafts.ts'
import type { PriceVersion } from '../types.ts'
import { priceOfText } from './prices.ts'

type CatalogDatabase = Pick<Store, 'database'>

/** IDs of prices by key; rows are only added, so cached IDs stay valid. */
export type IdsByKey = ReadonlyMap<string, bigint>

interface PriceIdDeps {
  readonly store: CatalogDatabase
  readonly nextId: NextId
  /** IDs of the snapshot before; empty: all are read. */
  readonly known: IdsByKey
  readonly turns: Turns
}

/** The IDs of these prices; a price that was never seen before gets its row. */
export async function priceIds(
  { store, nextId, known, turns }: PriceIdDeps,
  wanted: readonly PriceDraft[],
): Promise<{ readonly ids: IdsByKey; readonly idOf: (price: PriceDraft) => bigint }> {
  const missing = await runInTurns(missingSteps(wanted, known), turns)
  const stored = missing.size === 0 ? known : await storedIds(store, missing, { known, turns })
  const fresh = [...missing].filter(([key]) => !stored.has(key)).map(([, price]) => price)
  for (let start = 0; start < fresh.length; start += rowsPerInsert) {
    const rows = fresh.slice(start, start + rowsPerInsert).map((price) => ({
      id: nextId(),
      model: price.model,
      effective_from_ms: price.effectiveFromMs,
      body: price.text,
      source: price.source,
    }))
    await store.database
      .insertInto('price_version')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['model', 'effective_from_ms', 'body']).doNothing())
      .execute()
  }
  const ids = fresh.length === 0 ? stored : await storedIds(store, missing, { known, turns })
  return {
    ids,
    idOf(price) {
      const id = ids.get(keyOf(price))
      if (id === undefined) throw new BrokenInvariant(`a price of ${price.model} has no id`)
      return id
    },
  }
}

/** Making a statement takes some 20 microseconds a row. */
const rowsPerInsert = 25
const modelsPerRead = 100

/** An alias shares the drafts of its model. */
function* missingSteps(
  wanted: readonly PriceDraft[],
  known: IdsByKey,
): Steps<ReadonlyMap<string, PriceDraft>> {
  const missing = new Map<string, PriceDraft>()
  for (const price of wanted) {
    const key = keyOf(price)
    if (!known.has(key)) missing.set(key, price)
    yield
  }
  return missing
}

/** Known IDs, and the stored prices of models that miss one. */
async function storedIds(
  { database }: CatalogDatabase,
  missing: ReadonlyMap<string, PriceDraft>,
  { known, turns }: Pick<PriceIdDeps, 'turns'> & { readonly known: IdsByKey },
): Promise<IdsByKey> {
  const models = [...new Set([...missing.values()].map(({ model }) => model))]
  const ids = new Map(known)
  for (let start = 0; start < models.length; start += modelsPerRead) {
    const rows = await database
      .selectFrom('price_version')
      .select(['id', 'model', 'effective_from_ms', 'body'])
      .where('model', 'in', models.slice(start, start + modelsPerRead))
      .execute()
    for (const row of rows) {
      const { model, body: text } = row
      ids.set(keyOf({ model, effectiveFromMs: Number(row.effective_from_ms), text }), row.id)
    }
    await turns.yieldTurn()
  }
  return ids
}

function keyOf(price: Pick<PriceDraft, 'model' | 'effectiveFromMs' | 'text'>): string {
  return JSON.stringify([price.model, price.effectiveFromMs, price.text])
}

/** Every price that a model ever had, by the time from which it was in force. */
export async function pricesOf(
  { database }: CatalogDatabase,
  model: string,
): Promise<readonly PriceVersion[]> {
  const rows = await database
    .selectFrom('price_version')
    .selectAll()
    .where('model', '=', model)
    .orderBy('effective_from_ms')
    .orderBy('id')
    .execute()
  const prices = rows.map((row) => ({
    id: row.id,
    model: row.model,
    effectiveFromMs: Number(row.effective_from_ms),
    ...priceOfText(row.body),
    source: row.source,
  }))
  // At the same time, the price itself comes before prices that replace it on a schedule.
  return prices.sort(
    (one, other) =>
      one.effectiveFromMs - other.effectiveFromMs ||
      Number(one.schedule !== undefined) - Number(other.schedule !== undefined),
  )
}
