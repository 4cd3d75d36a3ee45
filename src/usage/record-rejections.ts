/** The operations of usage, and the one that records rejected requests: counted by hour, the latest of each key one by one. Moves no money. */
import type { OperationTable } from '../store/sqlite/batch.ts'
import { type Database, prepare } from '../store/sqlite/connection.ts'
import type { HourKey } from './hourly-sums.ts'
import { offerOperations } from './record-offers.ts'
import type { RejectionBatch } from './types.ts'

/** Adds requests that were rejected to the sums of their hour. */
export interface RejectionSums {
  rejected(rowKey: HourKey, times: number): void
}

export function usageOperations(database: Database, sums: RejectionSums) {
  return {
    recordRejections: { durable: false, run: recordRejections(database, sums) },
    ...offerOperations(database),
  } as const satisfies OperationTable
}

export type UsageOperations = ReturnType<typeof usageOperations>

function recordRejections(database: Database, sums: RejectionSums) {
  const add = prepare(
    database,
    `INSERT INTO rejection_hour (account, hour, key, code, count) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (account, hour, key, code) DO UPDATE SET count = rejection_hour.count + ?5`,
  )
  const insert = prepare(
    database,
    `INSERT INTO rejection (key, id, account, code, status, model, message) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`,
  )
  const forget = prepare(
    database,
    `DELETE FROM rejection WHERE key = ?1
      AND id <= (SELECT id FROM rejection WHERE key = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
  )
  return ({ counts, rows }: RejectionBatch, keptPerKey: number): void => {
    for (const { account, hour, key, code, model, count } of counts) {
      add.run(account, BigInt(hour), key, code, BigInt(count))
      sums.rejected({ account, hour, key, model }, count)
    }
    for (const { key, id, account, code, status, model, message } of rows) {
      insert.run(key, id, account, code, BigInt(status), model, message)
    }
    for (const key of new Set(rows.map((row) => row.key))) forget.run(key, BigInt(keptPerKey))
  }
}
