/**
 * The hourly sums that every settlement adds to: accumulated in memory by a batch, each row written once before its
 * commit, to the journal at first. Rows stay cached across batches, because no other code writes them, and the cache is
 * dropped whenever a batch is rolled back. Sums for display; never a basis for moving money.
 */
import { bucketOf, count } from '../base/histogram.ts'
import { hourOf } from '../base/ids.ts'
import type { ReceiptState } from '../ledger/machine/rows.ts'
import type { SettlementObserver } from '../ledger/sqlite/engine.ts'
import { usageOfDraft } from '../ledger/sqlite/rows.ts'
import type { BatchMemory } from '../store/sqlite/batch.ts'
import { integer, number, rowOf, text } from '../store/sqlite/columns.ts'
import { type Database, type Output, prepare } from '../store/sqlite/connection.ts'
import type { RowJournal } from '../store/sqlite/row-journal.ts'
import { addTokens, type GrowingSums, noSums, sumsRow } from './sums.ts'

export interface HourlySums extends BatchMemory, SettlementObserver {
  /** Adds requests that were rejected. */
  rejected(rowKey: HourKey, times: number): void
}

export interface HourKey {
  readonly account: bigint
  readonly hour: number
  readonly key: bigint
  readonly model: string
}

/** The columns of a row other than its key. */
export const hourRow = rowOf({
  ...sumsRow.fields,
  /** Requests with a write-off. */
  writeOffs: number('write_offs'),
})
export const hourKeyRow = rowOf({
  account: integer('account'),
  hour: number('hour'),
  key: integer('key'),
  model: text('model'),
})

interface Hour {
  readonly rowKey: HourKey
  /** In the journal. */
  readonly name: string
  readonly sums: HourSums
  /** Write-offs in the table; null: the table lacks the row. */
  storedWriteOffs: number | null
  isChanged: boolean
}

/** Rows that stay known: those of the present hour, mostly. */
const knownMax = 10_000

export function hourlySums(database: Database, journal: RowJournal): HourlySums {
  const { read, write } = rowsIn(database, journal)
  /** By key: each has few models in an hour. */
  const known = new Map<bigint, Hour[]>()
  let knownCount = 0
  let changed: Hour[] = []

  function changing(rowKey: HourKey): Hour['sums'] {
    let rows = known.get(rowKey.key)
    if (rows === undefined) {
      rows = []
      known.set(rowKey.key, rows)
    }
    let row = rows.find((other) => other.rowKey.hour === rowKey.hour && other.rowKey.model === rowKey.model)
    if (row === undefined) {
      row = read(rowKey)
      rows.push(row)
      knownCount += 1
    }
    if (!row.isChanged) {
      row.isChanged = true
      changed.push(row)
    }
    return row.sums
  }

  function forget(): void {
    known.clear()
    knownCount = 0
    changed = []
  }

  function flush(): void {
    for (const row of changed) {
      write(row)
      row.isChanged = false
    }
    changed = []
    if (knownCount > knownMax) forget()
  }

  return {
    settled: (receipt) => addReceipt(changing(rowKeyOf(receipt)), receipt),
    rejected(rowKey, times) {
      changing(rowKey).rejected += times
    },
    flush,
    writeAll: flush,
    committed() {},
    forget,
    // No statement of the control plane changes them.
    forgetShared() {},
  }
}

function rowsIn(database: Database, journal: RowJournal) {
  const where = 'account = ? AND hour = ? AND key = ? AND model = ?'
  const select = prepare(database, `SELECT ${hourRow.names} FROM usage_hour WHERE ${where}`)
  const columns = [...hourRow.columns, ...hourKeyRow.columns]
  const insert = prepare(
    database,
    `INSERT INTO usage_hour (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
  const journaled = journal.rowsOf('usage_hour', columns)
  return {
    read(rowKey: HourKey): Hour {
      const { account, hour, key, model } = rowKey
      const name = `${account} ${hour} ${key} ${model}`
      const row = (journaled.find(name) as Output[] | undefined) ?? select.row(...hourKeyRow.bind(rowKey))
      const sums = row === undefined ? noHourSums() : hourRow.toRow(row)
      return {
        rowKey,
        name,
        sums,
        storedWriteOffs: row === undefined ? null : sums.writeOffs,
        isChanged: false,
      }
    },
    write(row: Hour): void {
      const { rowKey, name, sums, storedWriteOffs } = row
      // Bytes of durations are valid until the next row is bound.
      const bound = hourRow.bind(sums).map((value) => (value instanceof Uint8Array ? value.slice() : value))
      const values = [...bound, ...hourKeyRow.bind(rowKey)]
      if (storedWriteOffs === null) insert.run(...values)
      else journaled[storedWriteOffs === sums.writeOffs ? 'put' : 'putImmediately'](name, values)
      row.storedWriteOffs = sums.writeOffs
    },
  }
}

/** The row that counts the receipt of a request. */
export const rowKeyOf = ({
  id,
  account,
  key,
  model,
}: Pick<ReceiptState, 'id' | 'account' | 'key' | 'model'>): HourKey => ({
  account,
  hour: hourOf(id),
  key,
  model,
})

export type HourSums = GrowingSums & { writeOffs: number }

export const noHourSums = (): HourSums => ({ ...noSums(), writeOffs: 0 })

export function addReceipt(
  sums: HourSums,
  { draft, endedMs: nowMs, charged, writtenOff }: ReceiptState,
): void {
  const used = usageOfDraft(draft)
  sums.charged += charged
  sums.writtenOff += writtenOff
  if (writtenOff > 0n) sums.writeOffs += 1
  sums.requests += 1
  if (used.endReason !== 'complete') sums.errors += 1
  addTokens(sums, used.tokens)
  sums.ownKeyCost += used.ownKeyCost
  // Failed requests would only show how soon they failed, so durations omit them.
  if (used.endReason !== 'complete') return
  count(sums.latency, bucketOf(Math.max(0, nowMs - used.startedMs)))
  if (used.firstByteMs !== null)
    count(sums.firstByte, bucketOf(Math.max(0, used.firstByteMs - used.startedMs)))
}
