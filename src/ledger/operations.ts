/**
 * The operations of the thread that writes, by name. Each is one whole step of the ledger: synchronous,
 * on prepared statements, atomic with its batch. Together they are the only code that moves money.
 */
import { assert } from '../base/assert.ts'
import { processSlots } from '../base/ids.ts'
import type { BatchMemory, OperationTable } from '../store/sqlite/batch.ts'
import { type Database, prepare } from '../store/sqlite/connection.ts'
import { holdOperations } from './holding.ts'
import { assertAmount, nanoMax } from './money.ts'
import { openingOperations } from './opening.ts'
import { redeeming } from './redeeming.ts'
import { overruling, topUpOperations } from './refunding.ts'
import { refusing } from './refusing.ts'
import { type Orphan, orphanColumns, toOrphan } from './rows.ts'
import { settling } from './settling.ts'
import { sharingMeters } from './sharing-meters.ts'
import { signingUp } from './signing-up.ts'
import { type StateRows, stateRows } from './state-rows.ts'
import type { CreditAsk, CreditResult, CreditSource } from './types.ts'
import { type UsageRows, usageRows } from './usage-rows.ts'

export function ledgerPlan(database: Database) {
  const rows = stateRows(database)
  const usage = usageRows(database)
  const memories: readonly BatchMemory[] = [rows, usage]
  const memory: BatchMemory = {
    flush() {
      for (const part of memories) part.flush()
    },
    forget() {
      for (const part of memories) part.forget()
    },
  }
  return { memory, operations: ledgerOperations(database, rows, usage) }
}

function ledgerOperations(database: Database, rows: StateRows, usage: UsageRows) {
  const credit = crediting(database, rows)
  return {
    ...holdOperations(database, rows),
    settle: { durable: true, run: settling(database, rows, usage) },
    credit: { durable: true, run: credit },
    ...topUpOperations(database, rows, credit),
    redeem: { durable: true, run: redeeming(database, credit) },
    signupCredit: { durable: true, run: signingUp(database, credit) },
    ...openingOperations(database, rows, credit),
    suspend: { durable: true, run: suspending(database, rows) },
    shareMeter: { durable: true, run: sharingMeters(database, rows) },
    refuse: { durable: false, run: refusing(database, usage) },
    unrestrict: { durable: true, run: unrestricting(rows) },
    claimProcess: { durable: true, run: claiming(database) },
    orphans: { durable: false, run: findingOrphans(database) },
    overdue: { durable: false, run: findingOverdue(database) },
  } as const satisfies OperationTable
}

export type LedgerOperations = ReturnType<typeof ledgerOperations>

/** Which house account a credit comes from. */
const counters: Readonly<Record<CreditSource, 'promo' | 'clearing'>> = {
  signup: 'promo',
  code: 'promo',
  manual: 'promo',
  payment: 'clearing',
  refund: 'clearing',
  dispute: 'clearing',
}

function crediting(database: Database, rows: StateRows) {
  const find = prepare(database, 'SELECT id, account, amount FROM entry WHERE source = ? AND reference = ?')
  const insert = prepare(
    database,
    `INSERT INTO entry (id, account, position, counter, kind, amount, balance_after, source, reference, note,
      created_ms) VALUES (?, ?, ?, ?, 'credit', ?, ?, ?, ?, ?, ?)`,
  )
  return (ask: CreditAsk): CreditResult => {
    const { account: id, amount, source, reference } = ask
    assertAmount(amount, 'a credit')
    assert(amount > 0n, 'a credit is more than nothing')
    const account = rows.account(id)
    if (account === undefined) return { kind: 'no_account' }
    const { held } = account
    const earlier = find.row(source, reference)
    if (earlier !== undefined) {
      const [entryId, creditedAccount, creditedAmount] = earlier as [bigint, bigint, bigint]
      if (creditedAccount !== id || creditedAmount !== amount) return { kind: 'conflict' }
      return { kind: 'credited', entryId, created: false, posted: account.posted, held }
    }
    const posted = account.posted + amount
    assert(posted <= nanoMax, 'a balance fits its column')
    const position = account.entries + 1
    insert.run(
      ask.entryId,
      id,
      BigInt(position),
      counters[source],
      amount,
      posted,
      source,
      reference,
      ask.note,
      BigInt(ask.nowMs),
    )
    rows.saveAccount(id, { ...account, posted, entries: position })
    return { kind: 'credited', entryId: ask.entryId, created: true, posted, held }
  }
}

function suspending(database: Database, rows: StateRows) {
  const overrule = overruling(database)
  return (id: bigint, atMs: number | null): void => {
    const account = rows.account(id)
    if (account === undefined) return
    rows.saveAccount(id, { ...account, suspendedMs: atMs })
    overrule(id, atMs !== null)
  }
}

/** The day's losses are forgiven with it: the operator has looked at them. */
function unrestricting(rows: StateRows) {
  return (id: bigint): void => {
    const account = rows.account(id)
    if (account === undefined) return
    rows.saveAccount(id, { ...account, restrictedMs: null, losses: { ...account.losses, amount: 0n } })
  }
}

/**
 * Takes the next id slot for this process, which owns the database alone. A slot of its own at every
 * start keeps ids apart even when the clock has stepped back, and makes earlier holds known as orphans.
 */
function claiming(database: Database) {
  const last = prepare(database, 'SELECT id FROM process ORDER BY started_ms DESC LIMIT 1')
  const clear = prepare(database, 'DELETE FROM process')
  const insert = prepare(database, 'INSERT INTO process (id, started_ms, lease_until_ms) VALUES (?, ?, NULL)')
  return (nowMs: number): number => {
    const slot = (Number(last.row()?.[0] ?? -1) + 1) % processSlots
    clear.run()
    insert.run(BigInt(slot), BigInt(nowMs))
    return slot
  }
}

/** Holds of processes that are gone; `process` is the one that lives. */
function findingOrphans(database: Database) {
  const select = prepare(database, `SELECT ${orphanColumns} FROM hold WHERE process <> ? ORDER BY id LIMIT ?`)
  return (process: number, limit: number): readonly Orphan[] =>
    select.rows(BigInt(process), BigInt(limit)).map(toOrphan)
}

/** Holds older than the id `before`: no request lives so long. */
function findingOverdue(database: Database) {
  const select = prepare(
    database,
    `SELECT ${orphanColumns} FROM hold WHERE process = ? AND id < ? ORDER BY id LIMIT ?`,
  )
  return (process: number, before: bigint, limit: number): readonly Orphan[] =>
    select.rows(BigInt(process), before, BigInt(limit)).map(toOrphan)
}
