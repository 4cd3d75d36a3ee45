/**
 * A table's journaled rows in three parts: those of the current transaction, those of newer records, and those of older records,
 * which are written to the table in slices while newer ones gather. `row-journal.ts` decides when.
 */
import { assert } from '../../base/assert.ts'
import { type Database, type Input, prepare, type Statement } from './connection.ts'
import type { TableRows } from './journal-codec.ts'
import { type JournaledName, journaledTables } from './journaled-tables.ts'

/** Identifies a row within its table. */
export type JournalKey = bigint | string

/** A table's rows in the journal. */
export interface JournaledRows {
  /** The values of a row that its table may not have yet; undefined: its table has the row, or there is none. */
  find(key: JournalKey): readonly Input[] | undefined
  /** A row has changed: `values` in the order of the columns. */
  put(key: JournalKey, values: readonly Input[]): void
  /** The same for a column that the table has to have immediately. */
  putImmediately(key: JournalKey, values: readonly Input[]): void
}

/** A table to which rows are added that nothing changes, and that the writer does not read. */
export interface JournaledList {
  /** `values` in the order of the columns. */
  add(values: readonly Input[]): void
}

/** A transaction's changes to a table. */
export interface Journaled {
  readonly isEmpty: boolean
  /** Writes to the table what has to be there immediately. */
  writeNow(): void
  /** Returns the rows changed since the last call, for a record. */
  takeChanged(): TableRows
  /** Between transactions: the newer rows become the older ones. */
  startSlices(): void
  /** Writes up to `rowsMax` older rows; returns the number written: fewer once the table has all of them. */
  writeSlice(rowsMax: number): number
  /** Between transactions: the table has all older rows, and the journal does not need them any more. */
  endSlices(): void
  /** Writes everything to the table. */
  writeAll(): void
  committed(): void
  forget(): void
}

/** Inserts or updates a row. */
export function writerOf(database: Database, table: string, columns: readonly string[]): Statement {
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

/** The older rows in the order in which they are written, and how far they are. */
class Slices<Item> {
  readonly items: readonly Item[]
  #committed = 0
  #written = 0

  constructor(items: readonly Item[]) {
    this.items = items
  }

  /** The rows of the next slice. */
  next(rowsMax: number): readonly Item[] {
    const slice = this.items.slice(this.#written, this.#written + rowsMax)
    this.#written += slice.length
    return slice
  }

  committed(): void {
    this.#committed = this.#written
  }

  forget(): void {
    this.#written = this.#committed
  }
}

type Row = readonly Input[]

/** Rows of one generation. `Item` identifies one of them. */
interface RowSet<Item> {
  readonly size: number
  has(item: Item): boolean
  rowOf(item: Item): Row
  all(): Row[]
  /** Rows of `others` replace those with the same key. */
  addAll(others: this): void
  clear(): void
  /** Sorts rows, so that those on the same page are written in sequence. */
  inOrder(): Item[]
}

class KeyedRows implements RowSet<JournalKey> {
  readonly #rows = new Map<JournalKey, Row>()

  get size(): number {
    return this.#rows.size
  }

  find(key: JournalKey): Row | undefined {
    return this.#rows.get(key)
  }

  put(key: JournalKey, row: Row): void {
    this.#rows.set(key, row)
  }

  has(key: JournalKey): boolean {
    return this.#rows.has(key)
  }

  rowOf(key: JournalKey): Row {
    const row = this.#rows.get(key)
    assert(row !== undefined, 'the key is one of these rows')
    return row
  }

  all(): Row[] {
    return [...this.#rows.values()]
  }

  addAll(others: KeyedRows): void {
    for (const [key, row] of others.#rows) this.#rows.set(key, row)
  }

  clear(): void {
    this.#rows.clear()
  }

  inOrder(): JournalKey[] {
    return [...this.#rows.keys()].sort(ascending)
  }
}

/** No row replaces another, so each identifies itself. */
class ListedRows implements RowSet<Row> {
  #rows: Row[] = []

  get size(): number {
    return this.#rows.length
  }

  add(row: Row): void {
    this.#rows.push(row)
  }

  /** Whether a row replaces one of another generation; rows of a list never do. */
  has(): boolean {
    return false
  }

  rowOf(row: Row): Row {
    return row
  }

  all(): Row[] {
    return [...this.#rows]
  }

  addAll(others: ListedRows): void {
    for (const row of others.#rows) this.#rows.push(row)
  }

  clear(): void {
    this.#rows = []
  }

  /** By the first column of the key. */
  inOrder(): Row[] {
    const byFirst = Map.groupBy(this.#rows, ([first]) => first ?? null)
    return [...byFirst.keys()].sort(ascending).flatMap((first) => byFirst.get(first) ?? [])
  }
}

/** The generations of one table's rows. */
abstract class Generations<Item, Rows extends RowSet<Item>> implements Journaled {
  /** Rows in newer records. */
  protected newer: Rows
  /** Rows in older records; the table may have them too. */
  protected older: Rows
  /** Rows in records of the current transaction. */
  protected appended: Rows
  /** Rows changed in the current transaction that are in no record yet. */
  protected changed: Rows
  /** Whether the table got all rows in the present transaction. */
  protected isWritten = false
  protected readonly writer: Statement
  readonly #empty: () => Rows
  readonly #name: string
  readonly #columns: readonly string[]
  /** Slices of `older`, made by the first slice. */
  #slices: Slices<Item> | null = null

  constructor(database: Database, name: string, columns: readonly string[], empty: () => Rows) {
    this.writer = writerOf(database, name, columns)
    this.newer = empty()
    this.older = empty()
    this.appended = empty()
    this.changed = empty()
    this.#empty = empty
    this.#name = name
    this.#columns = columns
  }

  get isEmpty(): boolean {
    return [this.older, this.newer, this.appended, this.changed].every(({ size }) => size === 0)
  }

  abstract writeNow(): void

  takeChanged(): TableRows {
    const rows = this.changed.all()
    if (this.appended.size === 0) {
      const empty = this.appended
      this.appended = this.changed
      this.changed = empty
    } else {
      this.appended.addAll(this.changed)
      this.changed.clear()
    }
    return { table: this.#name, columns: this.#columns, rows }
  }

  startSlices(): void {
    this.older = this.newer
    this.newer = this.#empty()
  }

  writeSlice(rowsMax: number): number {
    this.#slices ??= new Slices(this.older.inOrder())
    const items = this.#slices.next(rowsMax)
    for (const item of items) {
      // A newer record has the row, too; and of one that was written immediately the table has the newer values.
      if (this.newer.has(item) || this.appended.has(item) || this.changed.has(item)) continue
      this.writer.run(...this.older.rowOf(item))
    }
    return items.length
  }

  endSlices(): void {
    this.older = this.#empty()
    this.#slices = null
  }

  writeAll(): void {
    const rows = this.#empty()
    const parts = [this.appended, this.changed]
    for (const part of this.isWritten ? parts : [this.older, this.newer, ...parts]) rows.addAll(part)
    for (const item of rows.inOrder()) this.writer.run(...rows.rowOf(item))
    this.forgetChanged()
    this.isWritten = true
  }

  committed(): void {
    if (this.isWritten) {
      this.newer.clear()
      this.endSlices()
    }
    this.newer.addAll(this.appended)
    this.#slices?.committed()
    this.forgetChanged()
  }

  forget(): void {
    this.#slices?.forget()
    this.forgetChanged()
  }

  protected forgetChanged(): void {
    this.appended.clear()
    this.changed.clear()
    this.isWritten = false
  }
}

export class ChangedRows extends Generations<JournalKey, KeyedRows> implements JournaledRows {
  /** Keys in `changed` whose rows the table needs immediately. */
  readonly #now = new Set<JournalKey>()

  constructor(database: Database, name: string, columns: readonly string[]) {
    super(database, name, columns, () => new KeyedRows())
  }

  find(key: JournalKey): Row | undefined {
    const changed = this.changed.find(key) ?? this.appended.find(key)
    return changed !== undefined || this.isWritten ? changed : (this.newer.find(key) ?? this.older.find(key))
  }

  put(key: JournalKey, row: Row): void {
    this.changed.put(key, row)
  }

  putImmediately(key: JournalKey, row: Row): void {
    this.put(key, row)
    this.#now.add(key)
  }

  override writeNow(): void {
    for (const key of this.#now) this.writer.run(...this.changed.rowOf(key))
    this.#now.clear()
  }

  protected override forgetChanged(): void {
    super.forgetChanged()
    this.#now.clear()
  }
}

export class AddedRows extends Generations<Row, ListedRows> implements JournaledList {
  constructor(database: Database, name: string, columns: readonly string[]) {
    super(database, name, columns, () => new ListedRows())
  }

  add(row: Row): void {
    this.changed.add(row)
  }

  /** Nothing needs one of these rows before the next slice. */
  override writeNow(): void {}
}

/** Compares values of the same type. */
function ascending<Value extends Input>(a: Value, b: Value): number {
  if (a === b) return 0
  return (a as JournalKey) < (b as JournalKey) ? -1 : 1
}
