/**
 * Reads the entries of one account, the latest first. Usage is found through its receipts, everything else through an
 * separate index, so that neither makes a request more expensive. A range of time is a range of IDs, as it is for sums and
 * receipts: usage belongs to the time at which its request began. Never a basis for moving money.
 */
import { firstIdAt } from '../../base/ids.ts'
import { dayMs } from '../../limits/calendar.ts'
import { integer, integerOrNull, number, oneOf, rowOf, text, textOrNull } from '../../store/sqlite/columns.ts'
import type { Database } from '../../store/sqlite/connection.ts'
import { prepareRows } from '../../store/sqlite/row-statement.ts'
import type { DayMoved, EntryFilter, EntryKind, EntryRow, Movement } from '../payment-types.ts'
import { least } from '../rules/money.ts'

const entryRow = rowOf({
  id: integer('e.id'),
  atMs: number('e.created_ms'),
  kind: oneOf<EntryKind>('e.kind'),
  amount: integer('e.amount'),
  balanceAfter: integer('e.balance_after'),
  source: textOrNull('e.source'),
  // A usage entry's reference is the write-off that covers it, not a payment.
  reference: textOrNull("CASE e.kind WHEN 'usage' THEN NULL ELSE e.reference END"),
  note: textOrNull('e.note'),
  request: integerOrNull('e.request'),
})

/** A usage entry with its receipt's id, which orders the list of receipts. */
const usageRow = rowOf({ ...entryRow.fields, id: integer('r.id') })

const lastId = (1n << 63n) - 1n

export function listEntries(database: Database) {
  const usage = prepareRows(
    database,
    usageRow,
    `SELECT ${usageRow.names} FROM receipt_by_account r JOIN entry e ON e.id = r.id AND e.kind = 'usage'
      WHERE r.account = ?1 AND r.id < ?2 AND r.id >= ?3 ORDER BY r.id DESC LIMIT ?4`,
  )
  const other = prepareRows(
    database,
    entryRow,
    `SELECT ${entryRow.names} FROM entry e
      WHERE e.kind <> 'usage' AND e.account = ?1 AND e.id < ?2 AND e.id >= ?3 AND (CAST(?5 AS TEXT) IS NULL OR e.kind = ?5)
      ORDER BY e.id DESC LIMIT ?4`,
  )
  return ({ account, kind, fromMs, toMs, limit, before }: EntryFilter): readonly EntryRow[] => {
    const bounds = [
      account,
      least(before ?? lastId, toMs === null ? lastId : firstIdAt(toMs)),
      fromMs === null ? 0n : firstIdAt(fromMs),
      BigInt(limit),
    ]
    const ofUsage = kind === null || kind === 'usage' ? usage.all(...bounds) : []
    const ofOthers = kind === 'usage' ? [] : other.all(...bounds, kind)
    return [...ofUsage, ...ofOthers].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit)
  }
}

const isMovement = "kind <> 'usage' AND kind <> 'write_off' AND account = ?1"

const movementRow = rowOf({
  kind: oneOf<Movement['kind']>('kind'),
  source: text('source'),
  count: number('count(*)'),
  amount: integer('sum(amount)'),
})

/** Credits and refunds; a write-off is part of the usage that it covers. */
export function sumMovements(database: Database) {
  const select = prepareRows(
    database,
    movementRow,
    `SELECT ${movementRow.names} FROM entry
      WHERE ${isMovement} AND created_ms >= ?2 AND created_ms < ?3 GROUP BY kind, source ORDER BY kind, source`,
  )
  return (account: bigint, fromMs: number, toMs: number): readonly Movement[] =>
    select.all(account, BigInt(fromMs), BigInt(toMs))
}

/**
 * The sum of each platform account's entries, negated. Revenue is computed from the balances of all accounts, which avoids reading
 * the usage entries, one per request. For both databases.
 */
export const platformSums = `SELECT counter, -sum(amount) FROM entry WHERE kind <> 'usage' GROUP BY counter
  UNION ALL SELECT 'revenue', (SELECT coalesce(sum(amount), 0) FROM entry WHERE kind <> 'usage')
    - (SELECT coalesce(sum(posted), 0) FROM account)`

const dayRow = rowOf({ day: number(`created_ms / ${dayMs}`), amount: integer('sum(amount)') })

export function sumDays(database: Database) {
  const select = prepareRows(
    database,
    dayRow,
    `SELECT ${dayRow.names} FROM entry WHERE ${isMovement} GROUP BY 1 ORDER BY 1`,
  )
  return (account: bigint): readonly DayMoved[] => select.all(account)
}
