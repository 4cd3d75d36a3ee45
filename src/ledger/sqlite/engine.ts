/**
 * Runs the operations of the machine on the embedded database: loads the rows that an operation names, and writes what a
 * batch has changed before its commit. Runs on the writer thread, and decides nothing.
 */
import type { BatchMemory } from '../../store/sqlite/batch.ts'
import type { Database } from '../../store/sqlite/connection.ts'
import type { RowJournal } from '../../store/sqlite/row-journal.ts'
import type { Engine, LedgerOperation } from '../machine/operation.ts'
import type { LedgerTables, ReceiptState, RowChange, RowId, TableName } from '../machine/rows.ts'
import { ResidentTable } from './resident-table.ts'
import {
  accountNameTable,
  accountProfileTable,
  accountTable,
  creditReferenceTable,
  entryTable,
  holdTable,
  keyUsageTable,
  receiptTable,
} from './stored-tables.ts'

/** Called with each receipt within its batch: `hourlySums`, joined to it in `server/writer-thread.ts`; on PostgreSQL it is `deriveSums`. */
export interface SettlementObserver {
  settled(receipt: ReceiptState): void
}

export interface SqliteEngine extends Engine, BatchMemory {
  readonly tables: ResidentTables
  /** Applies changes that an operation outside of the machine has made. */
  change(changes: readonly RowChange[]): void
}

export type ResidentTables = { readonly [Name in TableName]: ResidentTable<LedgerTables[Name]> }

/** Rows that stay in memory between batches, in each of two generations. */
const residentMax = 4_096
const notResident = 0
/** The tables of the rows that stay. */
export const residentTables = ['account', 'key_usage', 'hold']

/** @param journal where accounts and key usages are written first; it is flushed after the engine */
export function sqliteEngine(
  database: Database,
  observer: SettlementObserver,
  journal: RowJournal,
): SqliteEngine {
  return engineOn(
    {
      accountProfile: new ResidentTable(accountProfileTable(database), notResident),
      accountName: new ResidentTable(accountNameTable(database), notResident),
      account: new ResidentTable(accountTable(database, journal), residentMax),
      keyUsage: new ResidentTable(keyUsageTable(database, journal), residentMax),
      hold: new ResidentTable(holdTable(database), residentMax),
      entry: new ResidentTable(entryTable(database), notResident),
      creditReference: new ResidentTable(creditReferenceTable(database), notResident),
      receipt: new ResidentTable(receiptTable(database, journal), notResident),
    },
    observer,
  )
}

/** The engine on tables whose rows are read and written synchronously. */
export function engineOn(tables: ResidentTables, observer: SettlementObserver): SqliteEngine {
  const { receipt: _last, ...first } = tables
  const inOrder = Object.values(first)

  function load(ids: readonly RowId[]): boolean {
    let isLoaded = false
    for (const { table, id } of ids) isLoaded = tables[table].load(id) || isLoaded
    return isLoaded
  }

  function applyChange<Name extends TableName>(change: RowChange<Name>): void {
    tables[change.table].change(change, change.row)
  }

  function change(changes: readonly RowChange[]): void {
    for (const each of changes) applyChange(each)
  }

  function clear(): void {
    for (const table of Object.values(tables)) table.clear()
  }

  function flush(): void {
    for (const table of inOrder) table.flush()
    tables.receipt.flush(observer.settled)
  }

  return {
    tables,
    change,
    run<Input, Answer>(operation: LedgerOperation<Input, Answer>, input: Input): Answer {
      while (load(operation.rows(input, tables)));
      const { answer, changes } = operation.apply(tables, input)
      change(changes)
      return answer
    },
    flush,
    writeAll: flush,
    committed() {},
    forget: clear,
    forgetShared: clear,
  }
}
