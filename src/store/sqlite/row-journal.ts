/**
 * Rows that many commits change are written behind: a commit appends the rows that it has changed to a journal, on a few
 * adjacent pages, and their tables get what has gathered, in slices that later commits write. Until then the row in the journal is
 * the valid one: this memory, readers (`journal-overlay.ts`) and the next start take it from there. Knows no row's meaning.
 */
import type { BatchMemory } from './batch.ts'
import { type Database, prepare, type Statement } from './connection.ts'
import { RecordWriter, readRecord } from './journal-codec.ts'
import {
  AddedRows,
  ChangedRows,
  type Journaled,
  type JournaledList,
  type JournaledRows,
  writerOf,
} from './journaled-rows.ts'
import { type JournaledName, journalTable } from './journaled-tables.ts'

export interface RowJournal extends BatchMemory {
  /** @param columns all that have to be known to insert a row */
  rowsOf(table: JournaledName, columns: readonly string[]): JournaledRows
  listOf(table: JournaledName, columns: readonly string[]): JournaledList
}

export interface JournalLimits {
  /** Changed rows that gather before their tables get them; the journal has half as many again while they do. */
  readonly gatheredRows: number
  /** Changed rows for which a commit writes a slice, so that a slice is worth the pages on which it begins and ends. */
  readonly sliceForRows: number
}

/** Each appended row writes this many old rows back: all are written before half as many newer ones have gathered. */
const slicePace = 2

/** Progress of the current transaction. */
const nothingDone = {
  /** Rows that it has appended. */
  appended: 0,
  /** Appended rows for which a slice was written. */
  paidFor: 0,
  /** Whether it has deleted the older records, because all of their rows are in their tables. */
  areSlicesDone: false,
  /** Whether the tables got everything. */
  isWritten: false,
}

/** Opens the journal, and first gives the tables what an earlier process has left in it. */
export function openRowJournal(
  database: Database,
  { gatheredRows, sliceForRows }: JournalLimits,
): RowJournal {
  recoverJournal(database)
  const append = prepare(database, `INSERT INTO ${journalTable} (seq, rows) VALUES (?, ?)`)
  const removeUpTo = prepare(database, `DELETE FROM ${journalTable} WHERE seq <= ?`)
  const records = new RecordWriter()
  const tables: Journaled[] = []
  let seq = 0n
  /** The last one of the older records; null: there are none. */
  let olderSeq: bigint | null = null
  /** Rows of the newer records. */
  let gathered = 0
  /** Gathered rows for which no slice has been written yet. */
  let unpaid = 0
  let done = { ...nothingDone }

  function writeSlice(): void {
    if (olderSeq === null || done.areSlicesDone || done.isWritten) return
    const due = unpaid + done.appended - done.paidFor
    if (due < sliceForRows) return
    done.paidFor += due
    let left = due * slicePace
    // The order of a table's rows is found when its turn comes.
    for (const table of tables) if (left > 0) left -= table.writeSlice(left)
    if (left === 0) return
    removeUpTo.run(olderSeq)
    done.areSlicesDone = true
  }

  /** Between transactions. */
  function startSlicesIfGathered(): void {
    if (olderSeq !== null || gathered < gatheredRows) return
    for (const table of tables) table.startSlices()
    olderSeq = seq
    gathered = 0
    unpaid = 0
  }

  return {
    rowsOf: (name, columns) => added(tables, new ChangedRows(database, name, columns)),
    listOf: (name, columns) => added(tables, new AddedRows(database, name, columns)),
    flush() {
      for (const table of tables) table.writeNow()
      const changed = tables.map((table) => table.takeChanged()).filter(({ rows }) => rows.length > 0)
      if (changed.length === 0) return
      seq += 1n
      append.run(seq, records.write(changed))
      done.appended += changed.reduce((sum, { rows }) => sum + rows.length, 0)
      writeSlice()
    },
    writeAll() {
      done = { ...nothingDone, isWritten: true }
      if (tables.every((table) => table.isEmpty)) return
      for (const table of tables) table.writeAll()
      removeUpTo.run(seq)
    },
    committed() {
      for (const table of tables) table.committed()
      if (done.isWritten) {
        olderSeq = null
        gathered = 0
        unpaid = 0
      }
      gathered += done.appended
      unpaid += done.appended - done.paidFor
      if (done.areSlicesDone) {
        for (const table of tables) table.endSlices()
        olderSeq = null
      }
      done = { ...nothingDone }
      startSlicesIfGathered()
    },
    forget() {
      for (const table of tables) table.forget()
      done = { ...nothingDone }
    },
    forgetShared() {},
  }
}

function added<Table extends Journaled>(tables: Journaled[], table: Table): Table {
  tables.push(table)
  return table
}

/** Gives the tables what the journal has; the caller has the database for itself. */
export function recoverJournal(database: Database): void {
  const records = prepare(database, `SELECT rows FROM ${journalTable} ORDER BY seq`)
  if (records.row() === undefined) return
  const writers = new Map<string, Statement>()
  database.exec('BEGIN IMMEDIATE')
  try {
    for (const { table, columns, rows } of records
      .rows()
      .flatMap(([record]) => readRecord(record as Uint8Array))) {
      const name = `${table} ${columns.join()}`
      const writer = writers.get(name) ?? writerOf(database, table, columns)
      writers.set(name, writer)
      for (const row of rows) writer.run(...row)
    }
    database.exec(`DELETE FROM ${journalTable}`)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}
