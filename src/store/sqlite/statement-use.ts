/**
 * Whether a statement of the control plane has to find in its tables what is written behind, as SQLite reports it while the
 * statement is prepared: with what its views, triggers and foreign keys use. Knows no statement.
 */
import { constants, type DatabaseSync } from 'node:sqlite'
import { type JournaledName, journaledTables } from './journaled-tables.ts'

/** Finds which tables a statement uses while preparing it. */
export type StatementUse = <Prepared>(prepare: () => Prepared) => {
  readonly prepared: Prepared
  /** Whether it changes rows that are in memory, or reads values that may be in the journal. */
  readonly needsTables: boolean
}

/** @param resident tables whose rows are in memory */
export function statementUse(database: DatabaseSync, resident: readonly string[]): StatementUse {
  const inMemory = new Set<string | null>([...resident, ...Object.keys(journaledTables)])
  let needsTables = false
  database.setAuthorizer((action, table, column) => {
    needsTables ||= needs(inMemory, action, { table, column })
    return constants.SQLITE_OK
  })
  return (prepare) => {
    needsTables = false
    return { prepared: prepare(), needsTables }
  }
}

interface Subject {
  readonly table: string | null
  readonly column: string | null
}

const changes: ReadonlySet<number> = new Set([
  constants.SQLITE_INSERT,
  constants.SQLITE_UPDATE,
  constants.SQLITE_DELETE,
])
/** Actions that do not depend on which rows are used. */
const harmless: ReadonlySet<number> = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
])

function needs(inMemory: ReadonlySet<string | null>, action: number, { table, column }: Subject): boolean {
  if (changes.has(action)) return inMemory.has(table)
  if (action === constants.SQLITE_READ) return isBehind(table, column)
  return !harmless.has(action)
}

/** Whether the table may have another value in this column than the journal; the name of a column is empty where rows are only counted. */
function isBehind(table: string | null, column: string | null): boolean {
  if (table === null || !(table in journaledTables)) return false
  const { key, current, isList } = journaledTables[table as JournaledName]
  const stored: readonly (string | null)[] = ['', ...key, ...current]
  return isList || !stored.includes(column)
}
