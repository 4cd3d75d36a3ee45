/**
 * The rows of the machine on a connection that blocks: for the operations that are statements around one of the machine, such
 * as a top-up with its credit. Rows are locked as they are read, and none stays in memory.
 */
import { type Database, type Output, prepare } from '../../store/sqlite/connection.ts'
import type { LedgerTables, RowKey, TableName } from '../machine/rows.ts'
import { engineOn, type ResidentTables, type SqliteEngine } from '../sqlite/engine.ts'
import { ResidentTable, type StoredTable } from '../sqlite/resident-table.ts'
import { storedTables, tableNames, valuesOf } from './tables.ts'

const notResident = 0

function blockingTable<Name extends TableName>(
  database: Database,
  name: Name,
): StoredTable<LedgerTables[Name]> {
  const { table, columns, key, isChanged, read } = storedTables[name]
  const last = key.at(-1) ?? ''
  const changed = columns.filter((column) => !key.includes(column))
  const onKey = key.map((column) => `${column} = ?`).join(' AND ')
  const find = prepare(
    database,
    `SELECT ${columns.join(', ')} FROM ${table} WHERE ${last} = ?${isChanged ? ' FOR UPDATE' : ''}`,
  )
  const insert = prepare(
    database,
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
  const update = prepare(
    database,
    `UPDATE ${table} SET ${changed.map((column) => `${column} = ?`).join(', ')} WHERE ${onKey}`,
  )
  const remove = prepare(database, `DELETE FROM ${table} WHERE ${last} = ?`)
  const bind = (id: RowKey, row: LedgerTables[Name]) => {
    const values = valuesOf(name, id, row)
    return (column: string) => values[columns.indexOf(column)] ?? null
  }
  return {
    find(id) {
      const row = read === undefined ? undefined : find.row(id)
      return row === undefined ? undefined : (read?.(row as Output[]) as LedgerTables[Name])
    },
    insert: (row, id) => void insert.run(...columns.map(bind(id, row))),
    update: (row, id) => void update.run(...[...changed, ...key].map(bind(id, row))),
    remove: (id) => void remove.run(id),
  }
}

/** Runs operations of the machine in the transaction that is open on this connection. */
export function blockingEngine(database: Database): SqliteEngine {
  const tables = tableNames.map((name) => [
    name,
    new ResidentTable(blockingTable(database, name), notResident),
  ])
  return engineOn(Object.fromEntries(tables) as ResidentTables, {
    settled() {
      throw new Error('requests are settled by the lanes')
    },
  })
}
