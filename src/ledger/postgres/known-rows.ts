/**
 * Rows that this process remembers: the account of each hold, and keys that share usage. They only serve to name the rows of a batch;
 * values are always read under locks.
 */
import type { HoldState, KeyUsageState, RowKey, RowReader, Rows } from '../machine/rows.ts'
import type { BatchChanges, NamedRows } from './batch.ts'

/** Holds, and keys, that are remembered: more than a process has requests in flight. */
const rememberedMax = 65_536

class Remembered<Row> implements RowReader<Row> {
  readonly #rows = new Map<RowKey, Row>()

  get(id: RowKey): Row | undefined {
    return this.#rows.get(id)
  }
  set(id: RowKey, row: Row): void {
    this.#rows.set(id, row)
    if (this.#rows.size <= rememberedMax) return
    const [oldest] = this.#rows.keys()
    if (oldest !== undefined) this.#rows.delete(oldest)
  }
  delete(id: RowKey): void {
    this.#rows.delete(id)
  }
}

const unknown: RowReader<never> = { get: () => undefined }

export class KnownRows {
  readonly #holds = new Remembered<HoldState>()
  readonly #sharing = new Remembered<KeyUsageState>()
  readonly rows: Rows = {
    account: unknown,
    accountProfile: unknown,
    accountName: unknown,
    keyUsage: this.#sharing,
    hold: this.#holds,
    entry: unknown,
    creditReference: unknown,
    receipt: unknown,
  }

  /** Remembers what a committed batch has changed. */
  learn(changes: BatchChanges): void {
    for (const { id, row } of changes.of('hold', 'insert')) this.#holds.set(id, row as HoldState)
    for (const { id, row } of changes.of('hold', 'update')) this.#modelOf(id, row as HoldState)
    for (const { id } of changes.of('hold', 'remove')) this.#holds.delete(id)
    for (const { row } of changes.of('keyUsage', 'insert')) this.seen(row as KeyUsageState)
  }

  /** Updates a hold's model, the only change that affects which rows its receipt changes. */
  #modelOf(id: RowKey, { model }: HoldState): void {
    const hold = this.#holds.get(id)
    if (hold !== undefined && hold.model !== model) this.#holds.set(id, { ...hold, model })
  }

  found(hold: HoldState): void {
    this.#holds.set(hold.id, hold)
  }

  seen(usage: KeyUsageState): void {
    if (usage.shared !== null) this.#sharing.set(usage.key, usage)
  }

  /** Forgets holds of which something else was found. */
  forget(named: NamedRows): void {
    for (const id of named.get('hold')?.keys() ?? []) this.#holds.delete(id)
  }
}
