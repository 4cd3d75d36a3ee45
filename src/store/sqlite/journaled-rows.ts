/**
 * One table's rows that are written behind, in three parts: those of the present transaction, those of newer records, and those of
 * older records, which the table gets in slices while newer ones gather. `row-journal.ts` says when.
 */
import { assert } from '../../base/assert.ts'
import { type Database, type Input, prepare, type Statement } from './connection.ts'
import type { TableRows } from './journal-codec.ts'
import { type JournaledName, journaledTables } from './journaled-tables.ts'

/** Identifies a row within its table. */
export type JournalKey = bigint | string

/** One table's rows that the journal has. */
export interface JournaledRows {
  /** The values of a row that its table may not have yet; undefined: its table has the row, or there is none. */
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

/** What a transaction does with one table. */
export interface Journaled {
  readonly isEmpty: boolean
  /** Writes to the table what has to be there immediately. */
  writeNow(): void
  /** What was changed since the last call, for a record. */
  takeChanged(): TableRows
  /** Between transactions: the newer rows become the older ones. */
  startSlices(): void
  /** Continues with the older rows, so many at most; returns how many these were: fewer when the table has all of them. */
  writeSlice(rowsMax: number): number
  /** Between transactions: the table has all older rows, and the journal does not need them any more. */
  endSlices(): void
  /** Writes everything to the table. */
  writeAll(): void
  committed(): void
  forget(): void
}

/** Inserts a row, or changes the one that is there. */
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

type Rows = Map<JournalKey, readonly Input[]>

export class ChangedRows implements JournaledRows, Journaled {
  readonly #name: string
  readonly #columns: readonly string[]
  readonly #writer: Statement
  /** What newer records have. */
  #newer: Rows = new Map()
  /** What older records have; its table may have it, too. */
  #older: Rows = new Map()
  /** The keys of `#older` in their order, made by its first slice. */
  #slices: Slices<JournalKey> | null = null
  /** What records of the present transaction have. */
  #appended: Rows = new Map()
  /** What it has changed, and no record has. */
  #changed: Rows = new Map()
  readonly #now = new Set<JournalKey>()
  /** Whether the table got all rows in the present transaction. */
  #isWritten = false

  constructor(database: Database, name: string, columns: readonly string[]) {
    this.#name = name
    this.#columns = columns
    this.#writer = writerOf(database, name, columns)
  }

  get isEmpty(): boolean {
    return [this.#older, this.#newer, this.#appended, this.#changed].every(({ size }) => size === 0)
  }

  find(key: JournalKey): readonly Input[] | undefined {
    const changed = this.#changed.get(key) ?? this.#appended.get(key)
    return changed !== undefined || this.#isWritten ? changed : (this.#newer.get(key) ?? this.#older.get(key))
  }

  put(key: JournalKey, values: readonly Input[]): void {
    this.#changed.set(key, values)
  }

  putNow(key: JournalKey, values: readonly Input[]): void {
    this.put(key, values)
    this.#now.add(key)
  }

  writeNow(): void {
    for (const key of this.#now) this.#writer.run(...(this.#changed.get(key) ?? []))
    this.#now.clear()
  }

  takeChanged(): TableRows {
    const rows = [...this.#changed.values()]
    if (this.#appended.size === 0) {
      const empty = this.#appended
      this.#appended = this.#changed
      this.#changed = empty
    } else {
      addTo(this.#appended, this.#changed)
      this.#changed.clear()
    }
    return { table: this.#name, columns: this.#columns, rows }
  }

  startSlices(): void {
    this.#older = this.#newer
    this.#newer = new Map()
  }

  writeSlice(rowsMax: number): number {
    this.#slices ??= new Slices([...this.#older.keys()].sort(ascending))
    const keys = this.#slices.next(rowsMax)
    for (const key of keys) {
      // A newer record has the row, too; and of one that was written immediately the table has the newer values.
      if (this.#newer.has(key) || this.#appended.has(key) || this.#changed.has(key)) continue
      this.#writer.run(...(this.#older.get(key) ?? []))
    }
    return keys.length
  }

  endSlices(): void {
    this.#older = new Map()
    this.#slices = null
  }

  writeAll(): void {
    const rows: Rows = new Map()
    const parts = [this.#appended, this.#changed]
    for (const part of this.#isWritten ? parts : [this.#older, this.#newer, ...parts]) addTo(rows, part)
    // In the order of their keys, so that rows of one page are written one after another.
    for (const key of [...rows.keys()].sort(ascending)) this.#writer.run(...(rows.get(key) ?? []))
    this.#forgetChanged()
    this.#isWritten = true
  }

  committed(): void {
    if (this.#isWritten) {
      this.#newer.clear()
      this.endSlices()
    }
    addTo(this.#newer, this.#appended)
    this.#slices?.committed()
    this.#forgetChanged()
  }

  forget(): void {
    this.#slices?.forget()
    this.#forgetChanged()
  }

  #forgetChanged(): void {
    this.#appended.clear()
    this.#changed.clear()
    this.#now.clear()
    this.#isWritten = false
  }
}

function addTo(rows: Rows, others: Rows): void {
  for (const [key, values] of others) rows.set(key, values)
}

/** Rows of a list by the first column of its key, so that those of one page are written one after another. */
type AddedByFirst = Map<Input, (readonly Input[])[]>

export class AddedRows implements JournaledList, Journaled {
  readonly #name: string
  readonly #columns: readonly string[]
  readonly #writer: Statement
  /** As in `ChangedRows`. */
  #newer: AddedByFirst = new Map()
  #older: AddedByFirst = new Map()
  #slices: Slices<readonly Input[]> | null = null
  #appended: readonly (readonly Input[])[] = []
  #changed: (readonly Input[])[] = []
  #isWritten = false

  constructor(database: Database, name: string, columns: readonly string[]) {
    this.#name = name
    this.#columns = columns
    this.#writer = writerOf(database, name, columns)
  }

  get isEmpty(): boolean {
    const isNothingNew = this.#appended.length === 0 && this.#changed.length === 0
    return isNothingNew && this.#older.size === 0 && this.#newer.size === 0
  }

  add(values: readonly Input[]): void {
    this.#changed.push(values)
  }

  writeNow(): void {}

  takeChanged(): TableRows {
    const rows = this.#changed
    this.#appended = this.#appended.length === 0 ? rows : [...this.#appended, ...rows]
    this.#changed = []
    return { table: this.#name, columns: this.#columns, rows }
  }

  startSlices(): void {
    this.#older = this.#newer
    this.#newer = new Map()
  }

  writeSlice(rowsMax: number): number {
    this.#slices ??= new Slices(inOrder(this.#older))
    const rows = this.#slices.next(rowsMax)
    for (const values of rows) this.#writer.run(...values)
    return rows.length
  }

  endSlices(): void {
    this.#older = new Map()
    this.#slices = null
  }

  writeAll(): void {
    const before = this.#isWritten ? [] : [...inOrder(this.#older), ...inOrder(this.#newer)]
    for (const values of [...before, ...this.#appended, ...this.#changed]) this.#writer.run(...values)
    this.#forgetChanged()
    this.#isWritten = true
  }

  committed(): void {
    if (this.#isWritten) {
      this.#newer.clear()
      this.endSlices()
    }
    for (const values of this.#appended) {
      const first = values[0] ?? null
      const rows = this.#newer.get(first)
      if (rows === undefined) this.#newer.set(first, [values])
      else rows.push(values)
    }
    this.#slices?.committed()
    this.#forgetChanged()
  }

  forget(): void {
    this.#slices?.forget()
    this.#forgetChanged()
  }

  #forgetChanged(): void {
    this.#appended = []
    this.#changed = []
    this.#isWritten = false
  }
}

const inOrder = (rows: AddedByFirst): readonly (readonly Input[])[] =>
  [...rows.keys()].sort(ascending).flatMap((first) => rows.get(first) ?? [])

/** Of values of one type. */
function ascending<Value extends Input>(a: Value, b: Value): number {
  if (a === b) return 0
  return (a as JournalKey) < (b as JournalKey) ? -1 : 1
}
