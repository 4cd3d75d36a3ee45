/**
 * Checks the ledger against itself in small steps, so that a full round costs the reading thread a few milliseconds at a time:
 * account balances against entries, key charges and holds; receipts against entries. Checks less than a verification, which reads
 * everything. Only reads.
 */
import { integer, number, rowOf } from '../../store/sqlite/columns.ts'
import type { Database } from '../../store/sqlite/connection.ts'
import { prepareRows } from '../../store/sqlite/row-statement.ts'

export interface CheckInput {
  /** The account to continue after; null: the accounts are done. */
  readonly afterAccount: bigint | null
  readonly accountsMax: number
  /** The receipt to continue before; null: the receipts are done. */
  readonly beforeReceipt: bigint | null
  readonly receiptsMax: number
}

export interface Checked {
  readonly afterAccount: bigint | null
  readonly beforeReceipt: bigint | null
  /** A line for each contradiction, in the wording of a verification. */
  readonly drift: readonly string[]
}

export function checkStep(database: Database): (input: CheckInput) => Checked {
  const accounts = checkAccounts(database)
  const receipts = checkReceipts(database)
  return ({ afterAccount, accountsMax, beforeReceipt, receiptsMax }) => {
    const ofAccounts = afterAccount === null ? nothing : accounts(afterAccount, accountsMax)
    const ofReceipts = beforeReceipt === null ? nothing : receipts(beforeReceipt, receiptsMax)
    return {
      afterAccount: ofAccounts.next,
      beforeReceipt: ofReceipts.next,
      drift: [...ofAccounts.drift, ...ofReceipts.drift],
    }
  }
}

interface Step {
  readonly next: bigint | null
  readonly drift: readonly string[]
}

const nothing: Step = { next: null, drift: [] }

const accountRow = rowOf({
  id: integer('id'),
  posted: integer('posted'),
  held: integer('held'),
  openHolds: number('open_holds'),
})
const creditRow = rowOf({ sum: integer('coalesce(sum(amount), 0)') })
const chargeRow = rowOf({ sum: integer('coalesce(sum(spent), 0)') })
const holdRow = rowOf({
  account: integer('account'),
  amount: integer('sum(amount)'),
  count: number('count(*)'),
})

function checkAccounts(database: Database) {
  const select = prepareRows(
    database,
    accountRow,
    `SELECT ${accountRow.names} FROM account WHERE id > ? ORDER BY id LIMIT ?`,
  )
  const credits = prepareRows(
    database,
    creditRow,
    `SELECT ${creditRow.names} FROM entry WHERE kind <> 'usage' AND kind <> 'write_off' AND account = ?`,
  )
  const charges = prepareRows(
    database,
    chargeRow,
    `SELECT ${chargeRow.names} FROM key_usage WHERE account = ?`,
  )
  const holds = prepareRows(database, holdRow, `SELECT ${holdRow.names} FROM hold GROUP BY account`)
  return (after: bigint, limit: number): Step => {
    const open = new Map(holds.all().map((row) => [row.account, row]))
    const drift: string[] = []
    const rows = select.all(after, BigInt(limit))
    for (const { id, posted, held, openHolds } of rows) {
      const due = (credits.one(id)?.sum ?? 0n) - (charges.one(id)?.sum ?? 0n)
      if (posted !== due) drift.push(`account ${id}: posted is ${posted}, credits less charges are ${due}`)
      const { amount = 0n, count = 0 } = open.get(id) ?? {}
      if (held === amount && openHolds === count) continue
      drift.push(
        `account ${id}: held is ${held} in ${openHolds} holds, its holds sum to ${amount} and are ${count}`,
      )
    }
    return { drift, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) }
  }
}

const receiptRow = rowOf({
  id: integer('r.id'),
  account: integer('r.account'),
  stated: integer('r.charged + r.written_off'),
  moved: integer('coalesce(-e.amount, 0)'),
})

function checkReceipts(database: Database) {
  const select = prepareRows(
    database,
    receiptRow,
    `SELECT ${receiptRow.names} FROM receipt r
      LEFT JOIN entry e ON e.id = r.id AND e.kind = 'usage' AND e.account = r.account
      WHERE r.id < ? ORDER BY r.id DESC LIMIT ?`,
  )
  return (before: bigint, limit: number): Step => {
    const rows = select.all(before, BigInt(limit))
    const drift = rows.flatMap(({ id, account, stated, moved }) =>
      stated === moved
        ? []
        : [`receipt ${id}: states ${stated} to account ${account}, its usage entry moved ${moved}`],
    )
    return { drift, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) }
  }
}
