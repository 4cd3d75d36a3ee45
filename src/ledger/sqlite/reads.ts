/**
 * The reads of the reader thread: rows for users and responses, never a basis for moving money.
 * Each call sees one committed state.
 */
import { assert } from '../../base/assert.ts'
import { rollSpend, spentIn } from '../../limits/budget.ts'
import type { BudgetWindow } from '../../limits/types.ts'
import { type Database, type Output, prepare, type Statement } from '../../store/sqlite/connection.ts'
import type { ReadTable } from '../../store/sqlite/reader.ts'
import type { AccountRow, ReceiptRow } from '../types.ts'
import { checkStep } from '../verify/check-step.ts'
import { verify } from '../verify/verify.ts'
import { backgroundReads } from './background-responses.ts'
import { listEntries, platformSums, sumDays, sumMovements } from './entry-reads.ts'
import { findProviderObjects } from './provider-objects.ts'
import { accountJoin, accountRow, keyUsageState, receiptRow, runningRow } from './rows.ts'

export function ledgerReads(database: Database) {
  const accountById = prepare(database, `SELECT ${accountRow.names} FROM ${accountJoin} WHERE p.id = ?`)
  const accountByEmail = prepare(database, `SELECT ${accountRow.names} FROM ${accountJoin} WHERE p.email = ?`)
  const accountByOwner = prepare(database, `SELECT ${accountRow.names} FROM ${accountJoin} WHERE p.owner = ?`)
  const countAccounts = prepare(database, 'SELECT count(*) FROM account')
  const credit = prepare(database, "SELECT 1 FROM entry WHERE account = ? AND kind = 'credit' LIMIT 1")
  const receipt = prepare(database, `SELECT ${receiptRow.names} FROM receipt WHERE id = ?`)
  const running = prepare(database, `SELECT ${runningRow.names} FROM hold WHERE id = ?`)
  return {
    account: { run: (id: bigint) => one(accountById, accountRow.toRow, id) },
    accountByEmail: { run: (email: string) => one(accountByEmail, accountRow.toRow, email.toLowerCase()) },
    accountByOwner: { run: (owner: string) => one(accountByOwner, accountRow.toRow, owner) },
    accounts: { run: listAccounts(database) },
    searchAccounts: { run: searchAccounts(database) },
    entries: { run: listEntries(database) },
    movements: { run: sumMovements(database) },
    movedByDay: { run: sumDays(database) },
    everCredited: { run: (id: bigint) => credit.row(id) !== undefined },
    accountCount: { run: () => Number(countAccounts.row()?.[0]) },
    receipt: { run: (id: bigint) => one(receipt, receiptRow.toRow, id) },
    receipts: { run: listReceipts(database) },
    running: { run: (id: bigint) => one(running, runningRow.toRow, id) },
    providerObjects: { run: findProviderObjects(database) },
    ...backgroundReads(database),
    keySpend: { run: readSpend(database) },
    platformBalances: { run: () => platformBalances(database) },
    check: { run: checkStep(database) },
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

function listAccounts(database: Database) {
  const select = prepare(
    database,
    `SELECT ${accountRow.names} FROM ${accountJoin} WHERE p.id > ? ORDER BY p.id LIMIT ?`,
  )
  return (limit: number, afterId: bigint): readonly AccountRow[] =>
    select.rows(afterId, rowCount(limit)).map(accountRow.toRow)
}

export interface AccountsFound {
  readonly found: readonly AccountRow[]
  /** The account to continue after; null: there are no more. */
  readonly next: bigint | null
}

/** A bounded step of a search through all accounts. */
function searchAccounts(database: Database) {
  const findEnd = prepare(
    database,
    'SELECT id FROM account_profile WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?',
  )
  const select = prepare(
    database,
    `SELECT ${accountRow.names} FROM ${accountJoin}
      WHERE p.id > ?1 AND p.id <= ?2 AND (p.email LIKE lower(?3) ESCAPE '!' OR lower(p.name) LIKE lower(?3) ESCAPE '!') ORDER BY p.id LIMIT ?4`,
  )
  return ({ search, afterId, limit, scannedMax }: AccountSearch): AccountsFound => {
    const [end = null] = findEnd.row(afterId, rowCount(scannedMax - 1)) ?? []
    const pattern = `%${search.replace(/[!%_]/g, '!$&')}%`
    const found = select.rows(afterId, end ?? lastId, pattern, rowCount(limit)).map(accountRow.toRow)
    return { found, next: end as bigint | null }
  }
}

export interface AccountSearch {
  readonly search: string
  readonly afterId: bigint
  readonly limit: number
  readonly scannedMax: number
}

const lastId = (1n << 63n) - 1n

/** Newest first. */
function listReceipts(database: Database) {
  const select = prepare(
    database,
    `SELECT ${receiptRow.names} FROM receipt_by_account WHERE account = ? AND id < ? ORDER BY id DESC LIMIT ?`,
  )
  return (account: bigint, limit: number, beforeId: bigint | null): readonly ReceiptRow[] =>
    select.rows(account, beforeId ?? lastId, rowCount(limit)).map(receiptRow.toRow)
}

function readSpend(database: Database) {
  const select = prepare(
    database,
    `SELECT ${keyUsageState.names} FROM key_usage
      WHERE key = coalesce((SELECT shared FROM key_usage WHERE key = ?1), ?1)`,
  )
  return (key: bigint, window: BudgetWindow, nowMs: number): { spent: bigint; held: bigint } => {
    const row = select.row(key)
    if (row === undefined) return { spent: 0n, held: 0n }
    const { spend, held } = keyUsageState.toRow(row)
    return { spent: spentIn(rollSpend(spend, nowMs), window), held }
  }
}

/** Platform balances are sums of the entries with the sign turned; nothing stores them. */
function platformBalances(database: Database): Readonly<Record<string, bigint>> {
  const sums = prepare(database, platformSums).rows()
  const empty = { revenue: 0n, promo: 0n, clearing: 0n, write_offs: 0n, refunds: 0n }
  return { ...empty, ...(Object.fromEntries(sums) as Record<string, bigint>) }
}

function rowCount(limit: number): bigint {
  assert(Number.isSafeInteger(limit) && limit >= 0, 'a limit is a whole number')
  return BigInt(limit)
}
