/** A check of the ledger: a query whose every row is a contradiction, and the line that reports it. Only reads. */
import { type Field, rowOf, same } from '../../store/sqlite/columns.ts'
import type { Database, Output } from '../../store/sqlite/connection.ts'
import { prepareRows } from '../../store/sqlite/row-statement.ts'

export interface Check {
  /** A line for each contradiction. */
  lines(database: Database): Iterable<string>
}

/** Reports `line` for each row of `SELECT <columns> <from>`; `columns` gives each expression its name. */
export function check<Name extends string>(
  columns: Readonly<Record<Name, string>>,
  from: string,
  line: (row: Readonly<Record<Name, Output>>) => string,
): Check {
  const fields = Object.entries<string>(columns).map(([name, sql]) => [name, same<Output>(sql)] as const)
  const row = rowOf(Object.fromEntries(fields) as Record<Name, Field<Output>>)
  return {
    *lines(database) {
      for (const found of prepareRows(database, row, `SELECT ${row.names} ${from}`).each()) yield line(found)
    },
  }
}
