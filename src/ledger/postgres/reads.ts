/**
 * Reads of the ledger on PostgreSQL: rows for users and responses, never a basis for moving money. Each call sees one
 * committed state.
 */

import { rollSpend, spentIn } from '../../limits/budget.ts'
import type { BudgetWindow } from '../../limits/types.ts'
import type { Output } from '../../store/sqlite/connection.ts'
import { platformSums } from '../sqlite/entry-reads.ts'
import type { AccountSearch } from '../sqlite/reads.ts'
import { accountJoin, accountRow, keyUsageState, receiptRow, runningRow } from '../sqlite/rows.ts'
import type { AccountRow, ReceiptRow, RunningRow } from '../types.ts'
import type { Query } from './query.ts'
import { verifyRows } from './verify.ts'

const lastId = (1n << 63n) - 1n
/** An account is two rows: what it is called, and what operations change. Both have its ID. */
const accounts = `SELECT ${accountRow.names} FROM ${accountJoin}`

export function ledgerReads(query: Query) {
  return {
    account: (id: bigint) => one(accountRow, query('account_by_id', `${accounts} WHERE p.id = $1`, [id])),
    accountByEmail: (email: string) =>
      one(accountRow, query('account_by_email', `${accounts} WHERE p.email = $1`, [email.toLowerCase()])),
    accountByOwner: (owner: string) =>
      one(accountRow, query('account_by_owner', `${accounts} WHERE p.owner = $1`, [owner])),
    accounts: (limit: number, afterId: bigint): Promise<readonly AccountRow[]> =>
      every(
        accountRow,
        query('accounts', `${accounts} WHERE p.id > $1 ORDER BY p.id LIMIT $2`, [afterId, BigInt(limit)]),
      ),
    searchAccounts: searchAccounts(query),
    async accountCount(): Promise<number> {
      return Number((await query('account_count', 'SELECT count(*) FROM account'))[0]?.[0])
    },
    async everCredited(id: bigint): Promise<boolean> {
      const text = "SELECT 1::bigint FROM entry WHERE account = $1 AND kind = 'credit' LIMIT 1"
      return (await query('ever_credited', text, [id])).length > 0
    },
    receipt: (id: bigint): Promise<ReceiptRow | undefined> =>
      one(receiptRow, query('receipt', `SELECT ${receiptRow.names} FROM receipt WHERE id = $1`, [id])),
    receipts: (account: bigint, limit: number, beforeId: bigint | null): Promise<readonly ReceiptRow[]> =>
      every(
        receiptRow,
        query(
          'receipts',
          `SELECT ${receiptRow.names} FROM receipt WHERE account = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
          [account, beforeId ?? lastId, BigInt(limit)],
        ),
      ),
    running: (id: bigint): Promise<RunningRow | undefined> =>
      one(runningRow, query('running', `SELECT ${runningRow.names} FROM hold WHERE id = $1`, [id])),
    async keySpend(
      key: bigint,
      window: BudgetWindow,
      nowMs: number,
    ): Promise<{ spent: bigint; held: bigint }> {
      const text = `SELECT ${keyUsageState.names} FROM key_usage
        WHERE key = coalesce((SELECT shared FROM key_usage WHERE key = $1), $1)`
      const usage = await one(keyUsageState, query('key_spend', text, [key]))
      if (usage === undefined) return { spent: 0n, held: 0n }
      return { spent: spentIn(rollSpend(usage.spend, nowMs), window), held: usage.held }
    },
    async platformBalances(): Promise<Readonly<Record<string, bigint>>> {
      const sums = Object.fromEntries(await query('platform_balances', platformSums)) as Record<
        string,
        bigint
      >
      return { revenue: 0n, promo: 0n, clearing: 0n, write_offs: 0n, refunds: 0n, ...sums }
    },
    verify: (driftLinesMax: number) => verifyRows(query, driftLinesMax),
  } as const
}

/** A bounded step of a search through all accounts. */
function searchAccounts(query: Query) {
  const findEnd = 'SELECT id FROM account_profile WHERE id > $1 ORDER BY id LIMIT 1 OFFSET $2'
  const find = `${accounts} WHERE p.id > $1 AND p.id <= $2 AND (p.email ILIKE $3 ESCAPE '!' OR p.name ILIKE $3 ESCAPE '!')
    ORDER BY p.id LIMIT $4`
  return async ({ search, afterId, limit, scannedMax }: AccountSearch) => {
    const [end] = await query('search_end', findEnd, [afterId, BigInt(scannedMax - 1)])
    const next = (end?.[0] ?? null) as bigint | null
    const pattern = `%${search.replace(/[!%_]/g, '!$&')}%`
    const found = query('search_accounts', find, [afterId, next ?? lastId, pattern, BigInt(limit)])
    return { found: await every(accountRow, found), next }
  }
}

interface Reader<Row> {
  readonly toRow: (row: Output[]) => Row
}

async function one<Row>({ toRow }: Reader<Row>, found: Promise<Output[][]>): Promise<Row | undefined> {
  const [row] = await found
  return row === undefined ? undefined : toRow(row)
}

async function every<Row>({ toRow }: Reader<Row>, found: Promise<Output[][]>): Promise<readonly Row[]> {
  return (await found).map(toRow)
}
