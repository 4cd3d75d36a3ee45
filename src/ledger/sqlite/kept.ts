/**
 * What a customer's answers left at their providers, by the provider's ids: written with the receipt and
 * found by it. Moves no money, and forgets what the providers have forgotten.
 */
import { inputMeters, type Meter, meters, outputMeters } from '../../../contract/meters.ts'
import { type Database, type Output, prepare } from '../../store/sqlite/connection.ts'
import type { Kept, KeptRow, UsageSource } from '../types.ts'

/** What the settling operation is told; null: the answer left nothing. */
export type PackedKept =
  | readonly [
      /** What was kept before this moment is forgotten. */
      sinceMs: number,
      ids: readonly string[],
      standFor: readonly string[],
    ]
  | null

export function packKept(kept: readonly Kept[], sinceMs: number): PackedKept {
  if (kept.length === 0) return null
  return [sinceMs, kept.map(({ id }) => id), kept.map(({ standsFor }) => standsFor)]
}

/** Old rows that are removed for each one that is written: they are fewer from each answer to the next. */
const forgottenPerRow = 2n

export interface Keeping {
  readonly account: bigint
  readonly receipt: bigint
  readonly nowMs: number
}

/** Writes what one answer left; an id that a provider uses again is the newer answer's. */
export function keeping(database: Database) {
  const insert = prepare(
    database,
    'INSERT OR REPLACE INTO kept (account, id, receipt, stands_for, created_ms) VALUES (?, ?, ?, ?, ?)',
  )
  const forget = prepare(
    database,
    `DELETE FROM kept WHERE position IN
      (SELECT position FROM (SELECT position, created_ms FROM kept ORDER BY position LIMIT ?) WHERE created_ms < ?)`,
  )
  return ({ account, receipt, nowMs }: Keeping, kept: PackedKept): void => {
    if (kept === null) return
    const [sinceMs, ids, standFor] = kept
    for (const [index, id] of ids.entries()) {
      insert.run(account, id, receipt, standFor[index] ?? 'window', BigInt(nowMs))
    }
    forget.run(BigInt(ids.length) * forgottenPerRow, BigInt(sinceMs))
  }
}

/** All of one direction. */
const sumOf = (names: readonly Meter[]): string => names.map((name) => `r.${meters[name].column}`).join(' + ')

/** Of the named ids those that an answer to this account left since then. */
export function findKept(database: Database) {
  const select = prepare(
    database,
    `SELECT k.id, k.receipt, k.stands_for, r.upstream, r.upstream_model, r.usage_source,
        ${sumOf(inputMeters)}, ${sumOf(outputMeters)}, r.reasoning
      FROM kept k JOIN receipt r ON r.id = k.receipt AND r.account = k.account
      WHERE k.account = ? AND k.id = ? AND k.created_ms >= ?`,
  )
  return (account: bigint, ids: readonly string[], sinceMs: number): readonly KeptRow[] =>
    ids.flatMap((id) => {
      const row = select.row(account, id, BigInt(sinceMs))
      return row === undefined ? [] : [toKeptRow(row)]
    })
}

function toKeptRow(row: Output[]): KeptRow {
  return {
    id: row[0] as string,
    receipt: row[1] as bigint,
    standsFor: row[2] as Kept['standsFor'],
    upstream: row[3] as string,
    upstreamModel: row[4] as string,
    usageSource: row[5] as UsageSource,
    input: Number(row[6]),
    output: Number(row[7]),
    reasoning: Number(row[8]),
  }
}
