/** How the rows of the machine are read from the tables of the database and written to them, one statement a row. */
import { assert } from '../../base/assert.ts'
import { type Fields, integer, type Row, rowOf } from '../../store/sqlite/columns.ts'
import { type Database, type Output, prepare, type Statement } from '../../store/sqlite/connection.ts'
import type { JournaledRows } from '../../store/sqlite/journaled-rows.ts'
import type { RowJournal } from '../../store/sqlite/row-journal.ts'
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
  type RowKey,
} from '../machine/rows.ts'
import { saveProviderObjects } from './provider-objects.ts'
import type { StoredTable } from './resident-table.ts'
import {
  accountProfile,
  accountState,
  entryState,
  holdChanges,
  holdState,
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

/** A row is inserted immediately, because others refer to it; its changes are written behind. */
export function accountTable(database: Database, journal: RowJournal): StoredTable<AccountState> {
  const select = prepare(database, `SELECT ${accountState.names} FROM account WHERE id = ?`)
  const insert = insertInto(database, 'account', accountState)
  const journaled = journal.rowsOf('account', accountState.columns)
  return {
    find: (id) => readBy(journaledOr(journaled, id, select), accountState.toRow),
    insert: (row) => void insert.run(...accountState.bind(row)),
    update(row, id, before) {
      assertAccount(row)
      // Threads learn of a suspension by reading the table.
      const put = row.suspendedMs === before.suspendedMs ? 'put' : 'putImmediately'
      journaled[put](id, accountState.bind(row))
    },
    remove: never('remove'),
  }
}

/** The constraints of the table, before the row is written to the journal. */
function assertAccount({ posted, held, overdrawn, openHolds, running, entries, losses }: AccountState): void {
  assert(held >= 0n && overdrawn >= 0n && losses.amount >= 0n, 'sums of an account are not negative')
  assert(running >= 0 && running <= openHolds && entries >= 0, 'an account runs some of its holds')
  assert(held <= posted + overdrawn, 'more can never be reserved than there is')
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

/** Stores key usage through the journal, as with accounts. */
export function keyUsageTable(database: Database, journal: RowJournal): StoredTable<KeyUsageState> {
  const select = prepare(database, `SELECT ${keyUsageState.names} FROM key_usage WHERE key = ?`)
  const insert = insertInto(database, 'key_usage', keyUsageState)
  const journaled = journal.rowsOf('key_usage', keyUsageState.columns)
  return {
    find: (key) => readBy(journaledOr(journaled, key, select), keyUsageState.toRow),
    insert: (row) => void insert.run(...keyUsageState.bind(row)),
    update(row, key) {
      assertKeyUsage(row)
      journaled.put(key, keyUsageState.bind(row))
    },
    remove: never('remove'),
  }
}

/** The constraints of the table, before the row is written to the journal. */
function assertKeyUsage({ held, openHolds, running, spend, spentMax }: KeyUsageState): void {
  assert(held >= 0n && running >= 0 && running <= openHolds, 'a key runs some of its holds')
  const { spent, beforeDay, beforeWeek, beforeMonth } = spend
  const isOrdered = beforeDay >= 0n && beforeDay <= spent && beforeWeek >= 0n && beforeMonth >= 0n
  assert(isOrdered && beforeWeek <= beforeDay && beforeMonth <= beforeDay, 'windows contain one another')
  assert(spentMax === null || spent + held <= spentMax, 'a key never spends more than its budget')
}

/** The values of a row as they are valid: the table gets those of the journal later. */
const journaledOr = (
  journaled: JournaledRows,
  key: RowKey,
  select: Statement,
): readonly Output[] | undefined => (journaled.find(key) as readonly Output[] | undefined) ?? select.row(key)

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

/** Stores receipts. Provider objects are in a separate table; the list by account is written later. */
export function receiptTable(database: Database, journal: RowJournal): StoredTable<ReceiptState> {
  const select = prepare(database, `SELECT ${receiptRow.names} FROM receipt WHERE id = ?`)
  const insert = insertInto(database, 'receipt', receiptRow)
  const saveObjects = saveProviderObjects(database)
  const listed = journal.listOf('receipt_list', ['account', 'id'])
  const toReceipt = (row: Output[]): ReceiptState => ({
    ...receiptHead.toRow(row),
    draft: row.slice(receiptHead.columns.length) as ReceiptState['draft'],
    providerObjects: null,
  })
  return {
    find: (id) => readBy(select.row(id), toReceipt),
    insert(row) {
      insert.run(...receiptHead.bind(row), ...row.draft)
      listed.add([row.account, row.id])
      saveObjects({ account: row.account, receipt: row.id, nowMs: row.endedMs }, row.providerObjects)
    },
    update: never('update'),
    remove: never('remove'),
  }
}

function readBy<Stored, Value>(row: Stored | undefined, toRow: (row: Stored) => Value): Value | undefined {
  return row === undefined ? undefined : toRow(row)
}
