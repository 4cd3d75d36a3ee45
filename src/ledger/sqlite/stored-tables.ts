/** How the rows of the machine are read from the tables of the database and written to them, one statement a row. */
import { assert } from '../../base/assert.ts'
import { type Fields, integer, type Row, rowOf } from '../../store/sqlite/columns.ts'
import { type Database, type Output, prepare } from '../../store/sqlite/connection.ts'
import {
  type AccountName,
  type AccountProfile,
  type AccountState,
  byEmail,
  byOwner,
  type CreditReference,
  type EntryState,
  type HoldState,
  type KeyUsageState,
  type ReceiptState,
} from '../machine/rows.ts'
import { saveProviderObjects } from './provider-objects.ts'
import type { StoredTable } from './resident-table.ts'
import {
  accountChanges,
  accountProfile,
  accountState,
  entryState,
  holdChanges,
  holdState,
  keyUsageChanges,
  keyUsageState,
  receiptHead,
  receiptRow,
} from './rows.ts'

/** For rows that no operation of the machine inserts, changes or removes. */
const never = (what: string) => (): never => {
  throw new Error(`${what} is not an operation of this table`)
}

function insertInto<Table extends Fields>(database: Database, table: string, row: Row<Table>) {
  return prepare(database, `INSERT INTO ${table} (${row.names}) VALUES (${row.placeholders})`)
}

export function accountTable(database: Database): StoredTable<AccountState> {
  const select = prepare(database, `SELECT ${accountState.names} FROM account WHERE id = ?`)
  const insert = insertInto(database, 'account', accountState)
  const update = prepare(database, `UPDATE account SET ${accountChanges.assignments} WHERE id = ?`)
  return {
    find: (id) => readBy(select.row(id), accountState.toRow),
    insert: (row) => void insert.run(...accountState.bind(row)),
    update: (row) => void update.run(...accountChanges.bind(row), row.id),
    remove: never('remove'),
  }
}

export function accountProfileTable(database: Database): StoredTable<AccountProfile> {
  const insert = insertInto(database, 'account_profile', accountProfile)
  return {
    find: never('find'),
    insert: (row) => void insert.run(...accountProfile.bind(row)),
    update: never('update'),
    remove: never('remove'),
  }
}

/** Names are columns of the profile, which finds them by its indexes. */
export function accountNameTable(database: Database): StoredTable<AccountName> {
  const names = [
    { prefix: byEmail(''), select: prepare(database, 'SELECT id FROM account_profile WHERE email = ?') },
    { prefix: byOwner(''), select: prepare(database, 'SELECT id FROM account_profile WHERE owner = ?') },
  ]
  return {
    find(id) {
      const name = String(id)
      const [found] = names.flatMap(({ prefix, select }) =>
        name.startsWith(prefix) ? (select.row(name.slice(prefix.length)) ?? []) : [],
      )
      return found === undefined ? undefined : { account: found as bigint }
    },
    insert() {},
    update: never('update'),
    remove: never('remove'),
  }
}

const creditRow = rowOf({ entry: integer('id'), account: integer('account'), amount: integer('amount') })

/** The entry of the credit has its source and its reference, in a unique index. */
export function creditReferenceTable(database: Database): StoredTable<CreditReference> {
  const select = prepare(database, `SELECT ${creditRow.names} FROM entry WHERE source = ? AND reference = ?`)
  return {
    find(id) {
      const [source = '', ...reference] = String(id).split(' ')
      return readBy(select.row(source, reference.join(' ')), creditRow.toRow)
    },
    insert() {},
    update: never('update'),
    remove: never('remove'),
  }
}

export function keyUsageTable(database: Database): StoredTable<KeyUsageState> {
  const select = prepare(database, `SELECT ${keyUsageState.names} FROM key_usage WHERE key = ?`)
  const insert = insertInto(database, 'key_usage', keyUsageState)
  const update = prepare(database, `UPDATE key_usage SET ${keyUsageChanges.assignments} WHERE key = ?`)
  return {
    find: (key) => readBy(select.row(key), keyUsageState.toRow),
    insert: (row) => void insert.run(...keyUsageState.bind(row)),
    update: (row) => void update.run(...keyUsageChanges.bind(row), row.key),
    remove: never('remove'),
  }
}

export function holdTable(database: Database): StoredTable<HoldState> {
  const select = prepare(database, `SELECT ${holdState.names} FROM hold WHERE id = ?`)
  const insert = insertInto(database, 'hold', holdState)
  const update = prepare(database, `UPDATE hold SET ${holdChanges.assignments} WHERE id = ?`)
  const remove = prepare(database, 'DELETE FROM hold WHERE id = ?')
  return {
    find: (id) => readBy(select.row(id), holdState.toRow),
    insert: (row) => void insert.run(...holdState.bind(row)),
    update: (row) => void update.run(...holdChanges.bind(row), row.id),
    remove: (id) => assert(remove.run(id) === 1, 'a hold is closed once'),
  }
}

export function entryTable(database: Database): StoredTable<EntryState> {
  const insert = insertInto(database, 'entry', entryState)
  return {
    find: never('find'),
    insert: (row) => void insert.run(...entryState.bind(row)),
    update: never('update'),
    remove: never('remove'),
  }
}

/** What a provider stored of an answer has a table for itself. */
export function receiptTable(database: Database): StoredTable<ReceiptState> {
  const select = prepare(database, `SELECT ${receiptRow.names} FROM receipt WHERE id = ?`)
  const insert = insertInto(database, 'receipt', receiptRow)
  const saveObjects = saveProviderObjects(database)
  const toReceipt = (row: Output[]): ReceiptState => ({
    ...receiptHead.toRow(row),
    draft: row.slice(receiptHead.columns.length) as ReceiptState['draft'],
    providerObjects: null,
  })
  return {
    find: (id) => readBy(select.row(id), toReceipt),
    insert(row) {
      insert.run(...receiptHead.bind(row), ...row.draft)
      saveObjects({ account: row.account, receipt: row.id, nowMs: row.endedMs }, row.providerObjects)
    },
    update: never('update'),
    remove: never('remove'),
  }
}

function readBy<Stored, Value>(row: Stored | undefined, toRow: (row: Stored) => Value): Value | undefined {
  return row === undefined ? undefined : toRow(row)
}
