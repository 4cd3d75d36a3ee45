/**
 * A batch of operations on PostgreSQL, without the connection: the rows that it names, running it on the rows that were found, and
 * its changes. Operations run in order, each on the rows as the previous ones left them.
 */
import { assert } from '../../base/assert.ts'
import type { LedgerOperation } from '../machine/operation.ts'
import type { HoldState, LedgerTables, RowChange, RowId, RowKey, Rows, TableName } from '../machine/rows.ts'
import { tableNames } from './tables.ts'

/** An operation with its name and its input. */
export interface Step<Input = unknown, Answer = unknown> {
  readonly name: string
  readonly operation: LedgerOperation<Input, Answer>
  readonly input: Input
}

export type StepResult =
  | { readonly kind: 'answer'; readonly answer: unknown }
  /** The operation broke an invariant; none of its changes apply. */
  | { readonly kind: 'failure'; readonly error: unknown }

type AnyRow = LedgerTables[TableName]
type TableMaps = Readonly<Record<TableName, Map<RowKey, AnyRow | undefined>>>

function emptyMaps(): TableMaps {
  return Object.fromEntries(tableNames.map((name) => [name, new Map()])) as unknown as TableMaps
}

/** Rows by their IDs; a row that does not exist is undefined, one that was not read is absent. */
export class FoundRows {
  readonly #maps = emptyMaps()
  /** The rows, for operations to read. */
  readonly rows = this.#maps as unknown as Rows

  has({ table, id }: RowId): boolean {
    return this.#maps[table].has(id)
  }
  set(table: TableName, id: RowKey, row: AnyRow | undefined): void {
    this.#maps[table].set(id, row)
  }
}

/** Rows that operations need and that were not found: the batch starts again with them. */
export class MissingRows extends Error {
  readonly ids: readonly RowId[]

  constructor(ids: readonly RowId[]) {
    super('rows are missing')
    this.ids = ids
  }
}

/** All rows that the steps name, as far as `found` has the rows that name them, by table. */
export function namedRows(steps: readonly Step[], found: Rows, extra: readonly RowId[] = []): NamedRows {
  const named = new Map<TableName, Map<RowKey, RowId>>()
  const add = (row: RowId): void => {
    const rows = named.get(row.table) ?? new Map<RowKey, RowId>()
    named.set(row.table, rows)
    if (row.account !== undefined || !rows.has(row.id)) rows.set(row.id, row)
  }
  for (const { operation, input } of steps) for (const row of operation.rows(input, found)) add(row)
  for (const row of extra) add(row)
  return named
}

export type NamedRows = ReadonlyMap<TableName, ReadonlyMap<RowKey, RowId>>

/** The holds that the steps settle, as far as `known` has them. */
export function settledHolds(steps: readonly Step[], known: Rows): readonly HoldState[] {
  return steps.flatMap(({ operation, input }) => {
    const id = operation.settles?.(input)
    return id === undefined ? [] : (known.hold.get(id) ?? [])
  })
}

/** Runs the steps on the rows, which are changed by them. Throws MissingRows where one needs a row that was not looked for. */
export function runSteps(
  steps: readonly Step[],
  found: FoundRows,
): { results: StepResult[]; changes: BatchChanges } {
  const changes = new BatchChanges()
  const missing: RowId[] = []
  const results = steps.map((step): StepResult => {
    const absent = step.operation.rows(step.input, found.rows).filter((row) => !found.has(row))
    missing.push(...absent)
    if (missing.length > 0) return { kind: 'failure', error: null }
    try {
      const { answer, changes: made } = step.operation.apply(found.rows, step.input)
      changes.add(made, found)
      return { kind: 'answer', answer }
    } catch (error) {
      return { kind: 'failure', error }
    }
  })
  if (missing.length > 0) throw new MissingRows(missing)
  return { results, changes }
}

type Kind = RowChange['kind']

/** How two changes of a row combine; null: the row was inserted and removed. */
const combined: Readonly<Record<Kind, Readonly<Record<Kind, Kind | null | undefined>>>> = {
  insert: { insert: undefined, update: 'insert', remove: null },
  update: { insert: undefined, update: 'update', remove: 'remove' },
  remove: { insert: 'update', update: undefined, remove: undefined },
}

/** The changes of a batch, one for each row. */
export class BatchChanges {
  readonly #tables = new Map<TableName, Map<RowKey, RowChange>>()

  get isEmpty(): boolean {
    return [...this.#tables.values()].every((changes) => changes.size === 0)
  }

  /** All changes of an operation, or none where one of them is impossible. */
  add(made: readonly RowChange[], found: FoundRows): void {
    const together = made.map((change) => this.#combine(change, found))
    for (const [index, { table, id, row }] of made.entries()) {
      const change = together[index] ?? null
      const changes = this.#tables.get(table) ?? new Map<RowKey, RowChange>()
      this.#tables.set(table, changes)
      if (change === null) changes.delete(id)
      else changes.set(id, change)
      found.set(table, id, row ?? undefined)
    }
  }

  /** Combines a change with the one before it; null: the row was inserted in this batch and removed again. */
  #combine(change: RowChange, found: FoundRows): RowChange | null {
    const { table, id, kind, row } = change
    const before = this.#tables.get(table)?.get(id)
    if (before === undefined && kind === 'insert')
      assert(found.rows[table].get(id) === undefined, `${table} ${id} is inserted once`)
    const together = before === undefined ? kind : combined[before.kind][kind]
    assert(together !== undefined, `${table} ${id}: ${kind} after ${before?.kind}`)
    if (together === null) return null
    return { ...change, kind: together, row: row ?? found.rows[table].get(id) ?? null }
  }

  /** The changes of one kind to a table; of a removed row, how it was before. */
  of(table: TableName, kind: Kind): readonly RowChange[] {
    const changes: RowChange[] = []
    for (const change of this.#tables.get(table)?.values() ?? [])
      if (change.kind === kind) changes.push(change)
    return changes
  }
}
