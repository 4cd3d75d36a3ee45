/**
 * One small step of holding the ledger against itself, so that a whole round costs the reading thread a few milliseconds
 * at a time: what accounts say is compared with what filled them, what their keys were charged and what is held; what
 * receipts say with their entries. Less than a verification, which reads everything. Only reads.
 */
import { type Database, type Output, prepare } from '../../store/sqlite/connection.ts'

export interface CheckAsk {
  /** After which account to go on; null: the accounts are done. */
  readonly afterAccount: bigint | null
  readonly accountsMax: number
  /** Before which receipt to go on; null: the receipts are done. */
  readonly beforeReceipt: bigint | null
  readonly receiptsMax: number
}

export interface Checked {
  readonly afterAccount: bigint | null
  readonly beforeReceipt: bigint | null
  /** One line for each contradiction, in the words of a verification. */
  readonly drift: readonly string[]
}

export function checkStep(database: Database): (ask: CheckAsk) => Checked {
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

function checkAccounts(database: Database) {
  const select = prepare(
    database,
    'SELECT id, posted, held, open_holds FROM account WHERE id > ? ORDER BY id LIMIT ?',
  )
  const filled = prepare(
    database,
    "SELECT coalesce(sum(amount), 0) FROM entry WHERE kind <> 'usage' AND kind <> 'write_off' AND account = ?",
  )
  const charged = prepare(database, 'SELECT coalesce(sum(spent), 0) FROM key_usage WHERE account = ?')
  const holds = prepare(database, 'SELECT account, sum(amount), count(*) FROM hold GROUP BY account')
  return (after: bigint, limit: number): Step => {
    const open = new Map(holds.rows().map(([account, amount, count]) => [account, { amount, count }]))
    const drift: string[] = []
    const rows = select.rows(after, BigInt(limit))
    for (const [id, posted, held, openHolds] of rows as [bigint, bigint, bigint, bigint][]) {
      const due = amountOf(filled.row(id)) - amountOf(charged.row(id))
      if (posted !== due) drift.push(`account ${id}: posted is ${posted}, credits less charges are ${due}`)
      const { amount = 0n, count = 0n } = open.get(id) ?? {}
      if (held === amount && openHolds === count) continue
      drift.push(
        `account ${id}: held is ${held} in ${openHolds} holds, its holds sum to ${amount} and are ${count}`,
      )
    }
    return { drift, next: rows.length < limit ? null : ((rows.at(-1)?.[0] ?? null) as bigint | null) }
  }
}

const amountOf = (row: Output[] | undefined): bigint => row?.[0] as bigint

function checkReceipts(database: Database) {
  const select = prepare(
    database,
    `SELECT r.id, r.account, r.charged + r.written_off, coalesce(-e.amount, 0) FROM receipt r
      LEFT JOIN entry e ON e.id = r.id AND e.kind = 'usage' AND e.account = r.account
      WHERE r.id < ? ORDER BY r.id DESC LIMIT ?`,
  )
  return (before: bigint, limit: number): Step => {
    const rows = select.rows(before, BigInt(limit)) as [bigint, bigint, bigint, bigint][]
    const drift = rows.flatMap(([id, account, told, moved]) =>
      told === moved
        ? []
        : [`receipt ${id}: tells account ${account} of ${told}, its usage entry moved ${moved}`],
    )
    return { drift, next: rows.length < limit ? null : (rows.at(-1)?.[0] ?? null) }
  }
}
