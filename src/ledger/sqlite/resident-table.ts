/**
 * A table's rows in memory: operations of a batch change them there, and they are written once before its commit. Rows that requests
 * use again stay in memory between batches, which is safe because only this process writes: every transaction checks the fence, and a
 * rollback or a statement of the control plane clears the memory.
 */
import { assert } from '../../base/assert.ts'
import type { RowChange, RowKey, RowReader } from '../machine/rows.ts'

/** How one table's rows are read and written. */
export interface StoredTable<Row> {
  find(id: RowKey): Row | undefined
  insert(row: Row, id: RowKey): void
  /** `before`: the row as it was stored last. */
  update(row: Row, id: RowKey, before: Row): void
  remove(id: RowKey): void
}

interface Slot<Row> {
  readonly id: RowKey
  /** Undefined: no row has the ID. */
  row: Row | undefined
  /** The row that the database has, as of the last write. */
  stored: Row | undefined
  isChanged: boolean
}

/**
 * Rows are in two generations. Once the newer one is full, what was not used since the older one began is dropped, so that
 * a row in use costs no list to maintain.
 */
export class ResidentTable<Row> implements RowReader<Row> {
  readonly #stored: StoredTable<Row>
  /** In one generation; 0: no row stays between batches. */
  readonly #residentMax: number
  #newer = new Map<RowKey, Slot<Row>>()
  #older = new Map<RowKey, Slot<Row>>()
  #changed: Slot<Row>[] = []
  /** IDs that have no row: remembered within a batch only. */
  #absent: RowKey[] = []

  constructor(stored: StoredTable<Row>, residentMax: number) {
    this.#stored = stored
    this.#residentMax = residentMax
  }

  /** A row that was loaded; undefined also where it was not. */
  get(id: RowKey): Row | undefined {
    return this.#slot(id)?.row
  }

  /** Makes the row of an ID available to `get`; false: it was already. */
  load(id: RowKey): boolean {
    if (this.#slot(id) !== undefined) return false
    const row = this.#stored.find(id)
    if (row === undefined) this.#absent.push(id)
    this.#newer.set(id, { id, row, stored: row, isChanged: false })
    return true
  }

  /** The row of an ID, loaded if it is not. */
  find(id: RowKey): Row | undefined {
    this.load(id)
    return this.get(id)
  }

  change({ kind, id }: Pick<RowChange, 'kind' | 'id'>, row: Row | null): void {
    let slot = this.#slot(id)
    if (slot === undefined) {
      assert(kind === 'insert', 'a row that is changed was loaded')
      slot = { id, row: undefined, stored: undefined, isChanged: false }
      this.#newer.set(id, slot)
    }
    assert(
      (kind === 'insert') === (slot.row === undefined),
      'a row is inserted once, and changed only if it exists',
    )
    slot.row = row ?? undefined
    if (slot.isChanged) return
    slot.isChanged = true
    this.#changed.push(slot)
  }

  /** Writes what has changed; `written` is called with each row that was inserted. */
  flush(written?: (row: Row) => void): void {
    for (const slot of this.#changed) {
      this.#write(slot, written)
      slot.isChanged = false
      slot.stored = slot.row
      if (slot.row === undefined) this.#drop(slot.id)
    }
    this.#changed = []
    for (const id of this.#absent) if (this.#slot(id)?.row === undefined) this.#drop(id)
    this.#absent = []
    if (this.#residentMax === 0) return this.clear()
    if (this.#newer.size <= this.#residentMax) return
    this.#older = this.#newer
    this.#newer = new Map()
  }

  /** Drops all rows and what was changed. */
  clear(): void {
    this.#newer = new Map()
    this.#older = new Map()
    this.#changed = []
    this.#absent = []
  }

  #slot(id: RowKey): Slot<Row> | undefined {
    const newer = this.#newer.get(id)
    if (newer !== undefined) return newer
    const older = this.#older.get(id)
    if (older !== undefined) this.#newer.set(id, older)
    return older
  }

  #write({ id, row, stored }: Slot<Row>, written?: (row: Row) => void): void {
    if (row === undefined) {
      if (stored !== undefined) this.#stored.remove(id)
    } else if (stored !== undefined) {
      this.#stored.update(row, id, stored)
    } else {
      this.#stored.insert(row, id)
      written?.(row)
    }
  }

  #drop(id: RowKey): void {
    this.#newer.delete(id)
    this.#older.delete(id)
  }
}
