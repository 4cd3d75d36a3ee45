/**
 * Rows that many commits change are written behind: a commit appends the rows that it has changed to a journal, on a few
 * adjacent pages, and their tables get what has gathered together. Until then the row in the journal is the valid one: this
 * memory, readers (`journal-overlay.ts`) and the next start take it from there. Knows no row's meaning.
 */
import { assert } from '../../base/assert.ts'
import type { BatchMemory } from './batch.ts'
import { type Database, type Input, prepare, type Statement } from './connection.ts'
import { RecordWriter, readRecord, type TableRows } from './journal-codec.ts'
import { type JournaledName, journaledTables, journalTable } from './journaled-tables.ts'

/** Identifies a row within its table. */
export type JournalKey = bigint | string

/** One table's rows that the journal has. */
export interface JournaledRows {
  /** The values of a row that its table does not have yet; undefined: its table has the row, or there is none. */
  find(key: JournalKey): readonly Input[] | undefined
  /** A row has changed: `values` in the order of the columns. */
  put(key: JournalKey, values: readonly Input[]): void
  /** The same for a column that the table has to have immediately. */
  putNow(key: JournalKey, values: readonly Input[]): void
}

/** A table to which rows are added that nothing changes, and that the writer does not read. */
export interface JournaledList {
  /** `values` in the order of the columns. */
  add(values: readonly Input[]): void
}

export interface RowJournal extends BatchMemory {
  /** @param columns all that have to be known to insert a row */
  rowsOf(table: JournaledName, columns: readonly string[]): JournaledRows
  listOf(table: JournaledName, columns: readonly string[]): JournaledList
}

/** What a transaction does with one table. */
interface Journaled {
  readonly isEmpty: boolean
  changed(): TableRows
  /** Writes to the table what has to be there immediately. */
  writeNow(): void
  /** Writes everything to the table. */
  writeAll(): void
  committed(): void
  forget(): void
}

/**
 * Opens the journal, and first gives the tables what an earlier process has left in it.
 * @param rowsMax changed rows after which the tables get them; what a start and a reader have to go through
 */
export function openRowJournal(database: Database, rowsMax: number): RowJournal {
  recoverJournal(database)
  const append = prepare(database, `INSERT INTO ${journalTable} (seq, rows) VALUES (?, ?)`)
  const empty = prepare(database, `DELETE FROM ${journalTable}`)
  const records = new RecordWriter()
  const tables: Journaled[] = []
  let seq = 0n
  /** Rows in the journal, and those that the present transaction has appended. */
  let rowCount = 0
  let appendedCount = 0
  /** Within a transaction: whether the tables got everything. */
  let isWritten = false

  function writeAll(): void {
    isWritten = true
    appendedCount = 0
    if (tables.every((table) => table.isEmpty)) return
    for (const table of tables) table.writeAll()
    empty.run()
  }

  return {
    rowsOf(name, columns) {
      const table = new ChangedRows(database, name, columns)
      tables.push(table)
      return table
    },
    listOf(name, columns) {
      const table = new AddedRows(database, name, columns)
      tables.push(table)
      return table
    },
    flush() {
      const changed = tables.map((table) => table.changed()).filter(({ rows }) => rows.length > 0)
      if (changed.length === 0) return
      const changedCount = changed.reduce((sum, { rows }) => sum + rows.length, 0)
      if (rowCount + changedCount > rowsMax) return writeAll()
      for (const table of tables) table.writeNow()
      seq += 1n
      append.run(seq, records.write(changed))
      appendedCount += changedCount
    },
    writeAll,
    committed() {
      for (const table of tables) table.committed()
      rowCount = (isWritten ? 0 : rowCount) + appendedCount
      appendedCount = 0
      isWritten = false
    },
    forget() {
      for (const table of tables) table.forget()
      appendedCount = 0
      isWritten = false
    },
    forgetShared() {},
  }
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

/** Inserts a row, or changes the one that is there. */
function writerOf(database: Database, table: string, columns: readonly string[]): Statement {
  const key = keyOf(table)
  const changes = columns.filter((name) => !key.includes(name)).map((name) => `${name} = excluded.${name}`)
  return prepare(
    database,
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
      ON CONFLICT (${key.join(', ')}) DO ${changes.length === 0 ? 'NOTHING' : `UPDATE SET ${changes.join(', ')}`}`,
  )
}

/** The columns that identify a row. */
function keyOf(table: string): readonly string[] {
  assert(table in journaledTables, `rows of ${table} are in the journal`)
  return journaledTables[table as JournaledName].key
}

class ChangedRows implements JournaledRows, Journaled {
  readonly #name: string
  readonly #columns: readonly string[]
  readonly #writer: Statement
  /** What committed records have, and the table does not. */
  readonly #behind = new Map<JournalKey, readonly Input[]>()
  /** What the present transaction has changed, and neither has. */
  readonly #changed = new Map<JournalKey, readonly Input[]>()
  readonly #now = new Set<JournalKey>()
  /** Whether the table got the rows of both in the present transaction. */
  #isWritten = false

  constructor(database: Database, name: string, columns: readonly string[]) {
    this.#name = name
    this.#columns = columns
    this.#writer = writerOf(database, name, columns)
  }

  get isEmpty(): boolean {
    return this.#behind.size === 0 && this.#changed.size === 0
  }

  find(key: JournalKey): readonly Input[] | undefined {
    return this.#changed.get(key) ?? (this.#isWritten ? undefined : this.#behind.get(key))
  }

  put(key: JournalKey, values: readonly Input[]): void {
    this.#changed.set(key, values)
  }

  putNow(key: JournalKey, values: readonly Input[]): void {
    this.put(key, values)
    this.#now.add(key)
  }

  changed(): TableRows {
    return { table: this.#name, columns: this.#columns, rows: [...this.#changed.values()] }
  }

  writeNow(): void {
    for (const key of this.#now) this.#writer.run(...(this.#changed.get(key) ?? []))
    this.#now.clear()
  }

  writeAll(): void {
    const rows = this.#isWritten ? new Map() : new Map(this.#behind)
    for (const [key, values] of this.#changed) rows.set(key, values)
    // In the order of their keys, so that rows of one page are written one after another.
    for (const key of [...rows.keys()].sort(ascending)) this.#writer.run(...rows.get(key))
    this.#changed.clear()
    this.#now.clear()
    this.#isWritten = true
  }

  committed(): void {
    if (this.#isWritten) this.#behind.clear()
    for (const [key, values] of this.#changed) this.#behind.set(key, values)
    this.forget()
  }

  forget(): void {
    this.#changed.clear()
    this.#now.clear()
    this.#isWritten = false
  }
}

class AddedRows implements JournaledList, Journaled {
  readonly #name: string
  readonly #columns: readonly string[]
  readonly #writer: Statement
  /** As in `ChangedRows`. */
  #behind: (readonly Input[])[] = []
  #changed: (readonly Input[])[] = []
  #isWritten = false

  constructor(database: Database, name: string, columns: readonly string[]) {
    this.#name = name
    this.#columns = columns
    this.#writer = writerOf(database, name, columns)
  }

  get isEmpty(): boolean {
    return this.#behind.length === 0 && this.#changed.length === 0
  }

  add(values: readonly Input[]): void {
    this.#changed.push(values)
  }

  changed(): TableRows {
    return { table: this.#name, columns: this.#columns, rows: this.#changed }
  }

  writeNow(): void {}

  writeAll(): void {
    if (!this.#isWritten) for (const values of this.#behind) this.#writer.run(...values)
    for (const values of this.#changed) this.#writer.run(...values)
    this.#changed = []
    this.#isWritten = true
  }

  committed(): void {
    if (this.#isWritten) this.#behind = []
    for (const values of this.#changed) this.#behind.push(values)
    this.forget()
  }

  forget(): void {
    this.#changed = []
    this.#isWritten = false
  }
}

function ascending(a: JournalKey, b: JournalKey): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
