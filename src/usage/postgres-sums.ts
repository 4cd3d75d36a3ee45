/**
 * The hourly sums on PostgreSQL: read and written in the transaction of the settlements that they count, which has locked
 * their accounts, so that no other transaction counts settlements in them. Nothing stays in memory, because other processes
 * count in the same rows.
 */

import type { Derive } from '../ledger/postgres/derived-rows.ts'
import { columnArrays, columnType } from '../ledger/postgres/tables.ts'
import type { PostgresStatement } from '../store/postgres/connection.ts'
import { type Database, type Input, type Output, prepare } from '../store/sqlite/connection.ts'
import {
  addReceipt,
  type HourKey,
  type HourSums,
  hourKeyRow,
  hourRow,
  noHourSums,
  rowKeyOf,
} from './hourly-sums.ts'
import type { RejectionSums } from './record-rejections.ts'

const columns = [...hourRow.columns, ...hourKeyRow.columns]
const given = (names: readonly string[]): string =>
  `unnest(${names.map((name, index) => `$${index + 1}::${columnType(name)}[]`).join(', ')}) AS given (${names.join(', ')})`
const isRow = hourKeyRow.columns.map((name) => `u.${name} = given.${name}`).join(' AND ')

const find: PostgresStatement = {
  name: 'usage_hour_find',
  text: `SELECT ${columns.map((name) => `u.${name}`).join(', ')} FROM ${given(hourKeyRow.columns)} JOIN usage_hour u ON ${isRow}`,
}
/** Rejected requests are counted by others, without a lock of the account. */
const counted = hourRow.columns.filter((name) => name !== 'rejected')
const write: PostgresStatement = {
  name: 'usage_hour_write',
  text: `INSERT INTO usage_hour (${columns.join(', ')}) SELECT * FROM ${given(columns)}
    ON CONFLICT (account, hour, key, model) DO UPDATE SET ${counted.map((name) => `${name} = excluded.${name}`).join(', ')}`,
}

const nameOf = ({ account, hour, key, model }: HourKey): string => `${account} ${hour} ${key} ${model}`

/** Adds a batch's receipts to the sums of their hours. */
export const deriveSums: Derive = {
  nameOf: (request) => nameOf(rowKeyOf(request)),
  find: (requests) => ({
    statement: find,
    values: columnArrays(
      hourKeyRow.columns,
      requests.map((request) => hourKeyRow.bind(rowKeyOf(request))),
    ),
  }),
  write(receipts, found) {
    const stored = new Map<string, HourSums>(found.map(storedSums))
    const changed = new Map<string, { readonly rowKey: HourKey; readonly sums: HourSums }>()
    for (const receipt of receipts) {
      const rowKey = rowKeyOf(receipt)
      const name = nameOf(rowKey)
      const row = changed.get(name) ?? { rowKey, sums: stored.get(name) ?? noHourSums() }
      changed.set(name, row)
      addReceipt(row.sums, receipt)
    }
    const rows = [...changed.values()].map(({ rowKey, sums }) => [
      ...ownBytes(hourRow.bind(sums)),
      ...hourKeyRow.bind(rowKey),
    ])
    return [{ statement: write, values: columnArrays(columns, rows) }]
  },
}

const storedSums = (row: Output[]): [string, HourSums] => [
  nameOf(hourKeyRow.toRow(row.slice(hourRow.columns.length))),
  hourRow.toRow(row),
]

/** Copies histograms, because they are in memory that the next row reuses. */
const ownBytes = (values: readonly Input[]): readonly Input[] =>
  values.map((value) => (value instanceof Uint8Array ? value.slice() : value))

/** Adds to the row, which another process may be adding to. */
export function postgresRejectionSums(database: Database): RejectionSums {
  const names = [...hourRow.columns, ...hourKeyRow.columns]
  const add = prepare(
    database,
    `INSERT INTO usage_hour (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
      ON CONFLICT (account, hour, key, model) DO UPDATE SET rejected = usage_hour.rejected + excluded.rejected`,
  )
  return {
    rejected(rowKey, times) {
      add.run(...ownBytes(hourRow.bind({ ...noHourSums(), rejected: times })), ...hourKeyRow.bind(rowKey))
    },
  }
}
