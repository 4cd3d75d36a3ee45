/**
 * The reads of the thread that only reads: rows for people and answers, never a basis for moving money.
 * Each call sees one moment of what is committed.
 */
import { assert } from '../base/assert.ts'
import { rollSpend, spentIn } from '../limits/budget.ts'
import type { BudgetWindow } from '../limits/types.ts'
import { type Database, type Output, prepare, type Statement } from '../store/sqlite/connection.ts'
import type { ReadTable } from '../store/sqlite/reader.ts'
import { checking } from './check.ts'
import { listingEntries, summingDays, summingMovements } from './entry-reads.ts'
import { findingKept } from './kept.ts'
import { searchingReceipts } from './receipt-search.ts'
import {
  accountColumns,
  meterColumns,
  receiptColumns,
  runningColumns,
  toAccountRow,
  toMeterState,
  toReceiptRow,
  toRunningRow,
} from './rows.ts'
import type { AccountRow, ReceiptRow } from './types.ts'
import { verify } from './verify.ts'

export function ledgerReads(database: Database) {
  const accountById = prepare(database, `SELECT ${accountColumns} FROM account WHERE id = ?`)
  const accountByEmail = prepare(database, `SELECT ${accountColumns} FROM account WHERE email = ?`)
  const accountByOwner = prepare(database, `SELECT ${accountColumns} FROM account WHERE owner = ?`)
  const countAccounts = prepare(database, 'SELECT count(*) FROM account')
  const credit = prepare(database, "SELECT 1 FROM entry WHERE account = ? AND kind = 'credit' LIMIT 1")
  const receipt = prepare(database, `SELECT ${receiptColumns} FROM receipt WHERE id = ?`)
  const running = prepare(database, `SELECT ${runningColumns} FROM hold WHERE id = ?`)
  return {
    account: { run: (id: bigint) => one(accountById, toAccountRow, id) },
    accountByEmail: { run: (email: string) => one(accountByEmail, toAccountRow, email.toLowerCase()) },
    accountByOwner: { run: (owner: string) => one(accountByOwner, toAccountRow, owner) },
    accounts: { run: listingAccounts(database) },
    searchAccounts: { run: searchingAccounts(database) },
    entries: { run: listingEntries(database) },
    movements: { run: summingMovements(database) },
    movedByDay: { run: summingDays(database) },
    everCredited: { run: (id: bigint) => credit.row(id) !== undefined },
    accountCount: { run: () => Number(countAccounts.row()?.[0]) },
    receipt: { run: (id: bigint) => one(receipt, toReceiptRow, id) },
    receipts: { run: listingReceipts(database) },
    searchReceipts: { run: searchingReceipts(database) },
    running: { run: (id: bigint) => one(running, toRunningRow, id) },
    kept: { run: findingKept(database) },
    keySpend: { run: readingSpend(database) },
    house: { run: () => houseBalances(database) },
    check: { run: checking(database) },
    verify: { run: (driftLinesMax: number) => verify(database, driftLinesMax) },
  } as const satisfies ReadTable
}

export type LedgerReads = ReturnType<typeof ledgerReads>

function one<Row>(
  statement: Statement,
  toRow: (row: Output[]) => Row,
  value: bigint | string,
): Row | undefined {
  const row = statement.row(value)
  return row === undefined ? undefined : toRow(row)
}

function listingAccounts(database: Database) {
  const select = prepare(database, `SELECT ${accountColumns} FROM account WHERE id > ? ORDER BY id LIMIT ?`)
  return (limit: number, afterId: bigint): readonly AccountRow[] =>
    select.rows(afterId, rowCount(limit)).map(toAccountRow)
}

export interface AccountsFound {
  readonly found: readonly AccountRow[]
  /** After which account to go on; null: there are no more. */
  readonly next: bigint | null
}

/** One bounded step of looking through all accounts. */
function searchingAccounts(database: Database) {
  const findEnd = prepare(database, 'SELECT id FROM account WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?')
  const select = prepare(
    database,
    `SELECT ${accountColumns} FROM account
      WHERE id > ?1 AND id <= ?2 AND (email LIKE ?3 ESCAPE '!' OR name LIKE ?3 ESCAPE '!') ORDER BY id LIMIT ?4`,
  )
  return ({ search, afterId, limit, scannedMax }: AccountSearch): AccountsFound => {
    const [end = null] = findEnd.row(afterId, rowCount(scannedMax - 1)) ?? []
    const pattern = `%${search.replace(/[!%_]/g, '!$&')}%`
    const found = select.rows(afterId, end ?? lastId, pattern, rowCount(limit)).map(toAccountRow)
    return { found, next: end as bigint | null }
  }
}

interface AccountSearch {
  readonly search: string
  readonly afterId: bigint
  readonly limit: number
  readonly scannedMax: number
}

const lastId = (1n << 63n) - 1n

/** Newest first. */
function listingReceipts(database: Database) {
  const select = prepare(
    database,
    `SELECT ${receiptColumns} FROM receipt WHERE account = ? AND id < ? ORDER BY id DESC LIMIT ?`,
  )
  return (account: bigint, limit: number, beforeId: bigint | null): readonly ReceiptRow[] =>
    select.rows(account, beforeId ?? lastId, rowCount(limit)).map(toReceiptRow)
}

function readingSpend(database: Database) {
  const select = prepare(
    database,
    `SELECT ${meterColumns} FROM key_meter
      WHERE key = coalesce((SELECT shared FROM key_meter WHERE key = ?1), ?1)`,
  )
  return (key: bigint, window: BudgetWindow, nowMs: number): { spent: bigint; held: bigint } => {
    const row = select.row(key)
    if (row === undefined) return { spent: 0n, held: 0n }
    const { spend, held } = toMeterState(row)
    return { spent: spentIn(rollSpend(spend, nowMs), window), held }
  }
}

/** House balances are sums of the entries, seen from the house's side; nothing stores them. */
function houseBalances(database: Database): Readonly<Record<string, bigint>> {
  const sums = prepare(database, 'SELECT counter, -sum(amount) FROM entry GROUP BY counter').rows()
  const empty = { revenue: 0n, promo: 0n, clearing: 0n, absorbed_loss: 0n, refunds: 0n }
  return { ...empty, ...(Object.fromEntries(sums) as Record<string, bigint>) }
}

function rowCount(limit: number): bigint {
  assert(Number.isSafeInteger(limit) && limit >= 0, 'a limit is a whole number')
  return BigInt(limit)
}
