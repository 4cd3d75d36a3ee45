/** The table `price_version`: every price that was ever in a snapshot. Rows are only added. */
import { BrokenInvariant } from '../base/assert.ts'
import type { NextId } from '../base/ids.ts'
import type { Store } from '../store/store.ts'
import type { PriceDraft } from './drafts.ts'
import { priceOfText } from './prices.ts'
import type { PriceVersion } from './types.ts'

type CatalogDatabase = Pick<Store, 'database'>

/** Says the id of each of these prices; a price that was never seen before gets its row. */
export async function priceIds(
  store: CatalogDatabase,
  wanted: readonly PriceDraft[],
  nextId: NextId,
): Promise<(price: PriceDraft) => bigint> {
  const known = await storedIds(store)
  const fresh = new Map(
    wanted.filter((price) => !known.has(keyOf(price))).map((price) => [keyOf(price), price]),
  )
  if (fresh.size === 0) return idIn(known)
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
  return idIn(await storedIds(store))
}

/** Well below the number of values that one statement may bind. */
const rowsPerInsert = 500

async function storedIds({ database }: CatalogDatabase): Promise<ReadonlyMap<string, bigint>> {
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

function idIn(ids: ReadonlyMap<string, bigint>): (price: PriceDraft) => bigint {
  return (price) => {
    const id = ids.get(keyOf(price))
    if (id === undefined) throw new BrokenInvariant(`a price of ${price.model} has no id`)
    return id
  }
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
  // Of one moment first the price itself, then those that hold at some times in its place.
  return prices.sort(
    (one, other) =>
      one.effectiveFromMs - other.effectiveFromMs ||
      Number(one.schedule !== undefined) - Number(other.schedule !== undefined),
  )
}
