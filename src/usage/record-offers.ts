/** The operations and reads of the statistics of offers: rows that are only added to, and removed by age. Moves no money. */
import type { OperationTable } from '../store/sqlite/batch.ts'
import { integer, number, numberOrNull, rowOf, text } from '../store/sqlite/columns.ts'
import { type Database, prepare } from '../store/sqlite/connection.ts'
import type { ReadTable } from '../store/sqlite/reader.ts'
import { prepareRows } from '../store/sqlite/row-statement.ts'
import type { OfferBatch, OfferSlotRows, OfferSpeed, SlotRange } from './types.ts'

/** Speeds are stored in thousandths. */
const speedUnit = 1_000

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
    offerSpeeds: { run: readSpeeds(database) },
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
  const setSpeed = prepare(
    database,
    `INSERT INTO offer_speed (upstream, upstream_model, first_byte_ms, tokens_per_second, at_ms)
      VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (upstream, upstream_model) DO UPDATE SET
      first_byte_ms = ?3, tokens_per_second = ?4, at_ms = ?5`,
  )
  const removals = ['offer_count', 'offer_first_byte'].map((table) =>
    prepare(database, `DELETE FROM ${table} WHERE slot_ms = ?1 AND slot < ?2`),
  )
  const removeSpeeds = prepare(database, 'DELETE FROM offer_speed WHERE at_ms < ?1')
  return ({ counts, speeds, oldest, speedsSinceMs }: OfferBatch): void => {
    for (const { slotMs, slot, upstream, upstreamModel, requests, failures, cost, firstBytes } of counts) {
      const key = [BigInt(slotMs), BigInt(slot), upstream, upstreamModel] as const
      addCounts.run(...key, BigInt(requests), BigInt(failures), cost)
      for (const [bucket, count] of firstBytes.entries())
        if (count > 0) addFirstByte.run(...key, BigInt(bucket), BigInt(count))
    }
    for (const { upstream, upstreamModel, firstByteMs, tokensPerSecond, atMs } of speeds)
      setSpeed.run(upstream, upstreamModel, stored(firstByteMs), storedOrNull(tokensPerSecond), BigInt(atMs))
    for (const { slotMs, slot } of oldest)
      for (const removal of removals) removal.run(BigInt(slotMs), BigInt(slot))
    removeSpeeds.run(BigInt(speedsSinceMs))
  }
}

const stored = (value: number): bigint => BigInt(Math.round(value * speedUnit))
const storedOrNull = (value: number | null): bigint | null => (value === null ? null : stored(value))

function forgetOffers(database: Database) {
  const removals = ['offer_count', 'offer_first_byte'].map((table) =>
    prepare(database, `DELETE FROM ${table} WHERE slot_ms = ?1 AND slot = ?2 AND upstream = ?3`),
  )
  const removeSpeed = prepare(database, 'DELETE FROM offer_speed WHERE upstream = ?1')
  return (upstream: string, ranges: readonly SlotRange[]): void => {
    for (const { slotMs, from, to } of ranges)
      for (let slot = from; slot <= to; slot += 1)
        for (const removal of removals) removal.run(BigInt(slotMs), BigInt(slot), upstream)
    removeSpeed.run(upstream)
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

/** One slot of all upstreams, or of one. */
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

const speedRow = rowOf({
  upstream: text('upstream'),
  upstreamModel: text('upstream_model'),
  firstByteMs: number('first_byte_ms'),
  tokensPerSecond: numberOrNull('tokens_per_second'),
  atMs: number('at_ms'),
})

/** The latest first. */
function readSpeeds(database: Database) {
  const select = prepareRows(
    database,
    speedRow,
    `SELECT ${speedRow.names} FROM offer_speed WHERE at_ms >= ?1 ORDER BY at_ms DESC LIMIT ?2`,
  )
  return (sinceMs: number, max: number): readonly OfferSpeed[] =>
    select.all(BigInt(sinceMs), BigInt(max)).map(({ firstByteMs, tokensPerSecond, ...row }) => ({
      ...row,
      firstByteMs: firstByteMs / speedUnit,
      tokensPerSecond: tokensPerSecond === null ? null : tokensPerSecond / speedUnit,
    }))
}
