/** The operations and reads of the statistics of offers: rows that are only added to, and removed by age. Moves no money. */
import type { OperationTable } from '../store/sqlite/batch.ts'
import { integer, number, numberOrNull, rowOf, text } from '../store/sqlite/columns.ts'
import { type Database, prepare } from '../store/sqlite/connection.ts'
import type { ReadTable } from '../store/sqlite/reader.ts'
import { prepareRows } from '../store/sqlite/row-statement.ts'
import type { OfferBatch, OfferSlotRows, SlotRange } from './types.ts'

export function offerOperations(database: Database) {
  return {
    recordOffers: { durable: false, run: recordOffers(database) },
    forgetOffers: { durable: false, run: forgetOffers(database) },
  } as const satisfies OperationTable
}

export type OfferOperations = ReturnType<typeof offerOperations>

export function offerReads(database: Database) {
  return {
    offerSlot: { run: readSlot(database) },
    offersSince: { run: readSince(database) },
  } as const satisfies ReadTable
}

export type OfferReads = ReturnType<typeof offerReads>

function recordOffers(database: Database) {
  const addCounts = prepare(
    database,
    `INSERT INTO offer_count (slot_ms, slot, upstream, upstream_model, requests, failures, cost)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (slot_ms, slot, upstream, upstream_model) DO UPDATE SET
      requests = offer_count.requests + ?5, failures = offer_count.failures + ?6, cost = offer_count.cost + ?7`,
  )
  const addFirstByte = prepare(
    database,
    `INSERT INTO offer_first_byte (slot_ms, slot, upstream, upstream_model, bucket, count)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (slot_ms, slot, upstream, upstream_model, bucket) DO UPDATE SET
      count = offer_first_byte.count + ?6`,
  )
  const removals = ['offer_count', 'offer_first_byte'].map((table) =>
    prepare(database, `DELETE FROM ${table} WHERE slot_ms = ?1 AND slot < ?2`),
  )
  return ({ counts, oldest }: OfferBatch): void => {
    for (const { slotMs, slot, upstream, upstreamModel, requests, failures, cost, firstBytes } of counts) {
      const key = [BigInt(slotMs), BigInt(slot), upstream, upstreamModel] as const
      addCounts.run(...key, BigInt(requests), BigInt(failures), cost)
      for (const [bucket, count] of firstBytes.entries())
        if (count > 0) addFirstByte.run(...key, BigInt(bucket), BigInt(count))
    }
    for (const { slotMs, slot } of oldest)
      for (const removal of removals) removal.run(BigInt(slotMs), BigInt(slot))
  }
}

function forgetOffers(database: Database) {
  const removals = ['offer_count', 'offer_first_byte'].map((table) =>
    prepare(database, `DELETE FROM ${table} WHERE slot_ms = ?1 AND slot = ?2 AND upstream = ?3`),
  )
  return (upstream: string, ranges: readonly SlotRange[]): void => {
    for (const { slotMs, from, to } of ranges)
      for (let slot = from; slot <= to; slot += 1)
        for (const removal of removals) removal.run(BigInt(slotMs), BigInt(slot), upstream)
  }
}

const countRow = rowOf({
  upstream: text('upstream'),
  upstreamModel: text('upstream_model'),
  requests: number('requests'),
  failures: number('failures'),
  cost: integer('cost'),
})

const firstByteRow = rowOf({
  upstream: text('upstream'),
  upstreamModel: text('upstream_model'),
  bucket: number('bucket'),
  count: number('count'),
})

/** Reads a slot of all upstreams, or of one. */
function readSlot(database: Database) {
  const at = 'WHERE slot_ms = ?1 AND slot = ?2'
  const counts = prepareRows(database, countRow, `SELECT ${countRow.names} FROM offer_count ${at}`)
  const countsOf = prepareRows(
    database,
    countRow,
    `SELECT ${countRow.names} FROM offer_count ${at} AND upstream = ?3`,
  )
  const buckets = prepareRows(
    database,
    firstByteRow,
    `SELECT ${firstByteRow.names} FROM offer_first_byte ${at}`,
  )
  const bucketsOf = prepareRows(
    database,
    firstByteRow,
    `SELECT ${firstByteRow.names} FROM offer_first_byte ${at} AND upstream = ?3`,
  )
  return (slotMs: number, slot: number, upstream: string | null): OfferSlotRows => {
    const key = [BigInt(slotMs), BigInt(slot)] as const
    return upstream === null
      ? { counts: counts.all(...key), firstBytes: buckets.all(...key) }
      : { counts: countsOf.all(...key, upstream), firstBytes: bucketsOf.all(...key, upstream) }
  }
}

const sinceRow = rowOf({ slot: numberOrNull('min(slot)') })

function readSince(database: Database) {
  const select = prepareRows(
    database,
    sinceRow,
    `SELECT ${sinceRow.names} FROM offer_count WHERE slot_ms = ?1 AND slot >= ?2`,
  )
  return (slotMs: number, from: number): number | null =>
    select.one(BigInt(slotMs), BigInt(from))?.slot ?? null
}
