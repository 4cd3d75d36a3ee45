/** Statements whose rows are read by a column table, so that no caller sees a position. It must not know a table. */
import type { Fields, Row, ValueOf } from './columns.ts'
import { type Database, type Input, prepare } from './connection.ts'

export interface RowStatement<Value> {
  /** The first row. */
  one(...values: Input[]): Value | undefined
  all(...values: Input[]): Value[]
  /** Reads rows one by one, without holding all of them in memory. */
  each(...values: Input[]): Iterable<Value>
}

/** Prepares a query whose columns are those of `row`, in their order: `SELECT ${row.names} FROM …`. */
export function prepareRows<Table extends Fields>(
  database: Database,
  row: Row<Table>,
  sql: string,
): RowStatement<ValueOf<Row<Table>>> {
  const statement = prepare(database, sql)
  return {
    one(...values) {
      const found = statement.row(...values)
      return found === undefined ? undefined : row.toRow(found)
    },
    all: (...values) => statement.rows(...values).map(row.toRow),
    *each(...values) {
      for (const found of statement.each(...values)) yield row.toRow(found)
    },
  }
}
