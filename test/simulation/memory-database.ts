/**
 * The ledger's memory engine: tables as maps, shared by any number of simulated processes. A batch is one transaction; what
 * it changed is lost where it is not committed, and what was not synced is lost with the power. A deferred batch is
 * committed with the next one, and lost where all processes are killed before. Stricter than a database:
 * an operation may read only rows that it has named, and change only what it has read.
 */
import { assert } from '../../src/base/assert.ts'
import type { Engine, LedgerOperation } from '../../src/ledger/machine/operation.ts'
import type {
  LedgerTables,
  RowChange,
  RowId,
  RowKey,
  Rows,
  TableName,
} from '../../src/ledger/machine/rows.ts'

type MemoryTables = { readonly [Name in TableName]: Map<RowKey, LedgerTables[Name]> }
type AnyRow = LedgerTables[TableName]
type AnyTables = Readonly<Record<TableName, Map<RowKey, AnyRow>>>

/** How a row was before a change. */
interface Undo {
  readonly table: TableName
  readonly id: RowKey
  readonly row: AnyRow | undefined
}

const tableNames = [
  'accountProfile',
  'accountName',
  'account',
  'keyUsage',
  'hold',
  'entry',
  'creditReference',
  'receipt',
] as const satisfies readonly TableName[]

/** Tables whose rows nothing changes. */
const appendOnly: readonly TableName[] = ['entry', 'creditReference', 'receipt']

export class MemoryDatabase {
  readonly tables: MemoryTables
  readonly #tables: AnyTables
  /** Changes that were committed without being synced, oldest first. */
  #unsynced: Undo[] = []
  /** Changes that wait for the next commit. */
  #deferred: Undo[] = []

  constructor() {
    const tables = Object.fromEntries(tableNames.map((name) => [name, new Map()]))
    this.#tables = tables as unknown as AnyTables
    this.tables = tables as unknown as MemoryTables
  }

  /** Runs `work` as one transaction: committed when it returns, or with the next one; undone when it throws. */
  transact<Result>(work: (engine: Engine) => Result, commit: 'now' | 'deferred' = 'now'): Result {
    const undo: Undo[] = []
    const isDurable = { any: false }
    try {
      const result = work({
        run: (operation, input) => {
          isDurable.any ||= operation.durable
          return this.#run(operation, input, undo)
        },
      })
      this.#deferred.push(...undo)
      if (commit === 'now') this.#unsynced.push(...this.#deferred.splice(0))
      if (commit === 'now' && isDurable.any) this.#unsynced = []
      return result
    } catch (error) {
      this.#revert(undo)
      throw error
    }
  }

  /** Loses what no sync has made durable. */
  losePower(): void {
    this.loseDeferred()
    this.#revert(this.#unsynced)
    this.#unsynced = []
  }

  /** Loses what no commit has. */
  loseDeferred(): void {
    this.#revert(this.#deferred)
    this.#deferred = []
  }

  #run<Input, Answer>(operation: LedgerOperation<Input, Answer>, input: Input, undo: Undo[]): Answer {
    const named = new Set<string>()
    for (let isNew = true; isNew; ) {
      isNew = false
      for (const row of operation.rows(input, this.#reader(named, 'naming'))) {
        isNew ||= !named.has(keyOf(row))
        named.add(keyOf(row))
      }
    }
    const { answer, changes } = operation.apply(this.#reader(named, 'running'), input)
    this.#apply(changes, named, undo)
    return answer
  }

  #apply(changes: readonly RowChange[], named: ReadonlySet<string>, undo: Undo[]): void {
    const changed = new Set<string>()
    for (const { kind, table, id, row } of changes) {
      const rows = this.#tables[table]
      const before = rows.get(id)
      assert(!changed.has(keyOf({ table, id })), 'a row is changed once by an operation')
      changed.add(keyOf({ table, id }))
      if (kind === 'insert') assert(before === undefined, `${table} ${id} is inserted once`)
      else assert(before !== undefined && named.has(keyOf({ table, id })), `${table} ${id} was read`)
      assert(kind === 'insert' || !appendOnly.includes(table), `${table} rows are never changed`)
      undo.push({ table, id, row: before })
      if (row === null) rows.delete(id)
      else rows.set(id, row)
    }
  }

  /** While rows are named, those that were not found yet are absent. */
  #reader(named: ReadonlySet<string>, phase: 'naming' | 'running'): Rows {
    const read = (table: TableName) => ({
      get: (id: RowKey) => {
        const isNamed = named.has(keyOf({ table, id }))
        assert(isNamed || phase === 'naming', `${table} ${id} is read without being named`)
        return isNamed ? this.#tables[table].get(id) : undefined
      },
    })
    return Object.fromEntries(tableNames.map((name) => [name, read(name)])) as unknown as Rows
  }

  #revert(undo: readonly Undo[]): void {
    for (const { table, id, row } of undo.toReversed()) {
      if (row === undefined) this.#tables[table].delete(id)
      else this.#tables[table].set(id, row)
    }
  }
}

const keyOf = ({ table, id }: RowId): string => `${table} ${id}`
