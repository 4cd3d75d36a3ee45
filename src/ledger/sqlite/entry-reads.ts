/**
 * Reads the entries of one account, the latest first. Usage is found through its receipts, everything else through an
 * index of its own, so that neither costs a request more. A range of time is a range of ids, as it is for sums and
 * receipts: usage belongs to the time at which its request began. Never a basis for moving money.
 */
import { firstIdAt } from '../../base/ids.ts'
import { dayMs } from '../../limits/calendar.ts'
import { type Database, type Output, prepare } from '../../store/sqlite/connection.ts'
import type { DayMoved, EntryFilter, EntryKind, EntryRow, Movement } from '../payment-types.ts'
import { least } from '../rules/money.ts'

const columns =
  'e.id, e.created_ms, e.kind, e.amount, e.balance_after, e.source, e.reference, e.note, e.request'

const lastId = (1n << 63n) - 1n

export function listEntries(database: Database) {
  const usage = prepare(
    database,
    `SELECT ${columns} FROM receipt r JOIN entry e ON e.id = r.id AND e.kind = 'usage'
      WHERE r.account = ?1 AND r.id < ?2 AND r.id >= ?3 ORDER BY r.id DESC LIMIT ?4`,
  )
  const other = prepare(
    database,
    `SELECT ${columns} FROM entry e
      WHERE e.kind <> 'usage' AND e.account = ?1 AND e.id < ?2 AND e.id >= ?3 AND (?5 IS NULL OR e.kind = ?5)
      ORDER BY e.id DESC LIMIT ?4`,
  )
  return ({ account, kind, fromMs, toMs, limit, before }: EntryFilter): readonly EntryRow[] => {
    const bounds = [
      account,
      least(before ?? lastId, toMs === null ? lastId : firstIdAt(toMs)),
      fromMs === null ? 0n : firstIdAt(fromMs),
      BigInt(limit),
    ]
    const ofUsage = kind === null || kind === 'usage' ? usage.rows(...bounds) : []
    const ofOthers = kind === 'usage' ? [] : other.rows(...bounds, kind)
    return [...ofUsage, ...ofOthers]
      .map(toEntryRow)
      .toSorted((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, limit)
  }
}

const isMovement = "kind <> 'usage' AND kind <> 'write_off' AND account = ?1"

/** Credits and refunds; a write-off is part of the usage that it covers. */
export function sumMovements(database: Database) {
  const select = prepare(
    database,
    `SELECT kind, source, count(*), sum(amount) FROM entry
      WHERE ${isMovement} AND created_ms >= ?2 AND created_ms < ?3 GROUP BY kind, source ORDER BY kind, source`,
  )
  return (account: bigint, fromMs: number, toMs: number): readonly Movement[] =>
    select.rows(account, BigInt(fromMs), BigInt(toMs)).map(([kind, source, count, amount]) => ({
      kind: kind as Movement['kind'],
      source: source as string,
      count: Number(count),
      amount: amount as bigint,
    }))
}

export function sumDays(database: Database) {
  const select = prepare(
    database,
    `SELECT created_ms / ${dayMs} AS day, sum(amount) FROM entry WHERE ${isMovement} GROUP BY day ORDER BY day`,
  )
  return (account: bigint): readonly DayMoved[] =>
    select.rows(account).map(([day, amount]) => ({ day: Number(day), amount: amount as bigint }))
}

function toEntryRow(row: Output[]): EntryRow {
  const kind = row[2] as EntryKind
  return {
    id: row[0] as bigint,
    atMs: Number(row[1]),
    kind,
    amount: row[3] as bigint,
    balanceAfter: row[4] as bigint,
    source: row[5] as string | null,
    reference: kind === 'usage' ? null : (row[6] as string | null),
    note: row[7] as string | null,
    request: row[8] as bigint | null,
  }
}
