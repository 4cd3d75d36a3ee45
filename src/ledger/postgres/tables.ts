/**
 * The tables of the ledger on PostgreSQL: for each row of the machine its columns, how it is found, locked and written. One
 * statement serves all rows of a batch, and finds each by its account. No statement runs here.
 */

import { arrayOf, type ColumnType } from '../../store/postgres/arrays.ts'
import type { Parameter, PostgresStatement } from '../../store/postgres/connection.ts'
import { integer, type Row, rowOf, text } from '../../store/sqlite/columns.ts'
import type { Input, Output } from '../../store/sqlite/connection.ts'
import type { LedgerTables, ReceiptState, RowId, RowKey, TableName } from '../machine/rows.ts'
import {
  accountProfile,
  accountState,
  entryState,
  holdState,
  keyUsageState,
  receiptHead,
  receiptRow,
} from '../sqlite/rows.ts'

const textColumns: ReadonlySet<string> = new Set(
  `kind email name owner counter source reference note model format checkpoint_draft provider upstream upstream_model
   upstream_request_id end_reason usage_source error_code fees ran_at attempts person implausible input_bound
   own_key_fee offer_cost referenced_scope`.split(/\s+/),
)

const byteColumns: ReadonlySet<string> = new Set(['rates', 'latency', 'first_byte'])

/** The type of a column; integer by default. */
export function columnType(column: string): ColumnType {
  if (byteColumns.has(column)) return 'bytea'
  return textColumns.has(column) ? 'text' : 'bigint'
}

/** A table as its statements need it. */
export interface TableShape {
  readonly table: string
  readonly columns: readonly string[]
  /** The primary key, which begins with the account; credits and names are found by a text over all accounts. */
  readonly key: readonly string[]
  /** Whether rows change, so that they are locked while they are read. */
  readonly isChanged: boolean
}

interface StoredTable<Row> extends TableShape {
  readonly bind: (row: Row) => readonly Input[]
  /** Absent: no operation reads it. */
  readonly read?: (row: Output[]) => Row
}

const creditReference = rowOf({
  name: text('name'),
  entry: integer('entry'),
  account: integer('account'),
  amount: integer('amount'),
})
const accountName = rowOf({ name: text('name'), account: integer('account') })

const bindReceipt = (row: ReceiptState): readonly Input[] => [
  ...receiptHead.bind(row),
  ...(row.draft as Input[]),
]
const readReceipt = (row: Output[]): ReceiptState => ({
  ...receiptHead.toRow(row),
  draft: row.slice(receiptHead.columns.length) as ReceiptState['draft'],
  providerObjects: null,
})

type Stored = { readonly [Name in TableName]: StoredTable<LedgerTables[Name]> }

const stateOf = <Table extends Parameters<typeof rowOf>[0]>(table: string, row: Row<Table>) => ({
  table,
  columns: row.columns,
  bind: row.bind,
})

/** In the order in which they are locked and written. A name or a reference has its text as a column, which its row has not. */
export const storedTables: Stored = {
  account: {
    ...stateOf('account', accountState),
    key: ['id'],
    read: accountState.toRow,
    isChanged: true,
  },
  accountProfile: {
    ...stateOf('account_profile', accountProfile),
    key: ['id'],
    isChanged: false,
  },
  accountName: {
    table: 'account_name',
    columns: accountName.columns,
    key: ['name'],
    bind: ({ account }) => [account],
    read: accountName.toRow,
    isChanged: false,
  },
  keyUsage: {
    ...stateOf('key_usage', keyUsageState),
    key: ['account', 'key'],
    read: keyUsageState.toRow,
    isChanged: true,
  },
  hold: {
    ...stateOf('hold', holdState),
    key: ['account', 'id'],
    read: holdState.toRow,
    isChanged: true,
  },
  entry: {
    ...stateOf('entry', entryState),
    key: ['account', 'id'],
    isChanged: false,
  },
  creditReference: {
    table: 'credit_reference',
    columns: creditReference.columns,
    key: ['name'],
    bind: ({ entry, account, amount }) => [entry, account, amount],
    read: creditReference.toRow,
    isChanged: false,
  },
  receipt: {
    table: 'receipt',
    columns: receiptRow.columns,
    key: ['account', 'id'],
    bind: bindReceipt,
    read: readReceipt,
    isChanged: false,
  },
}

export const tableNames = Object.keys(storedTables) as readonly TableName[]

const unnest = (columns: readonly string[]): string =>
  `unnest(${columns.map((column, index) => `$${index + 1}::${columnType(column)}[]`).join(', ')})`

export interface TableStatements {
  /** By key, in the order of the keys. */
  readonly find: PostgresStatement
  /** By the last column of the key, whatever the account. */
  readonly locate: PostgresStatement
  readonly insert: PostgresStatement
  readonly update: PostgresStatement
  readonly remove: PostgresStatement
}

function statementsOf({ table, columns, key, isChanged }: TableShape): TableStatements {
  const names = columns.join(', ')
  const statement = (verb: string, body: string): PostgresStatement => ({
    name: `${table}_${verb}`,
    text: body,
  })
  const onKey = key.map((column) => `stored.${column} = given.${column}`).join(' AND ')
  const order = key.map((column) => `stored.${column}`).join(', ')
  const own = columns.map((column) => `stored.${column}`).join(', ')
  const changes = columns.filter((column) => !key.includes(column))
  const last = key.at(-1) ?? ''
  return {
    find: statement(
      'find',
      `SELECT ${own} FROM ${unnest(key)} AS given (${key.join(', ')}) JOIN ${table} AS stored ON ${onKey} ORDER BY ${order}${isChanged ? ' FOR UPDATE OF stored' : ''}`,
    ),
    locate: statement(
      'locate',
      `SELECT ${names} FROM ${table} WHERE ${last} = ANY ($1::${columnType(last)}[])`,
    ),
    insert: statement('insert', `INSERT INTO ${table} (${names}) SELECT * FROM ${unnest(columns)}`),
    update: statement(
      'update',
      `UPDATE ${table} AS stored SET ${changes.map((column) => `${column} = given.${column}`).join(', ')} FROM ${unnest(columns)} AS given (${names}) WHERE ${onKey}`,
    ),
    remove: statement(
      'remove',
      `DELETE FROM ${table} AS stored USING ${unnest(key)} AS given (${key.join(', ')}) WHERE ${onKey}`,
    ),
  }
}

export const statements = Object.fromEntries(
  tableNames.map((name) => [name, statementsOf(storedTables[name])]),
) as Readonly<Record<TableName, TableStatements>>

/** The values of a row under its columns. A text by which a row is found is a column of its own. */
export function valuesOf(name: TableName, id: RowKey, row: unknown): readonly Input[] {
  const { bind, key } = storedTables[name] as StoredTable<unknown>
  return key[0] === 'name' ? [id, ...bind(row)] : bind(row)
}

/** Rows as one array for each column. */
export function columnArrays(
  columns: readonly string[],
  rows: readonly (readonly Input[])[],
): readonly Parameter[] {
  return columns.map((column, index) =>
    arrayOf(
      columnType(column),
      rows.map((row) => row[index] ?? null),
    ),
  )
}

/** The values of the key's columns by which a row is found; undefined where its account is not known. */
export function keyOf({ table, id, account }: RowId): readonly Input[] | undefined {
  const { key } = storedTables[table]
  if (key.length === 1) return [id]
  return account === undefined ? undefined : [account, id]
}
