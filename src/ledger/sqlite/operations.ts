/**
 * The operations of the writer thread, by name. Each is one whole step of the ledger: synchronous,
 * on prepared statements, atomic with its batch. Together they are the only code that moves money.
 */
import { assert } from '../../base/assert.ts'
import { processSlots } from '../../base/ids.ts'
import type { OperationTable } from '../../store/sqlite/batch.ts'
import { integer, rowOf } from '../../store/sqlite/columns.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import { prepareRows } from '../../store/sqlite/row-statement.ts'
import { assertAmount, nanoMax } from '../rules/money.ts'
import type { CreditAsk, CreditResult, CreditSource } from '../types.ts'
import { openingOperations } from './account-operations.ts'
import { backgroundOperations, isNoBackgroundHold } from './background-responses.ts'
import type { SqliteEngine } from './engine.ts'
import { insertEntry } from './entry-writes.ts'
import { machineOperations } from './machine-operations.ts'
import { redeemOperation } from './redeem-operation.ts'
import { type Orphan, orphanColumns, toOrphan } from './rows.ts'
import { shareKeyUsageOperation } from './share-key-usage-operation.ts'
import { signupCreditOperation } from './signup-credit-operation.ts'
import { type StateRows, stateRows } from './state-rows.ts'
import { overrideDisputeSuspension, topUpOperations } from './top-up-operations.ts'

export function ledgerOperations(database: Database, engine: SqliteEngine) {
  const rows = stateRows(engine)
  const credit = creditOperation(database, rows)
  return {
    ...machineOperations(engine),
    ...backgroundOperations(database, rows),
    credit: { durable: true, run: credit },
    ...topUpOperations(database, rows, credit),
    redeem: { durable: true, run: redeemOperation(database, credit) },
    signupCredit: { durable: true, run: signupCreditOperation(database, credit) },
    ...openingOperations(database, rows, credit),
    suspend: { durable: true, run: suspendOperation(database, rows) },
    shareKeyUsage: { durable: true, run: shareKeyUsageOperation(engine, rows) },
    unrestrict: { durable: true, run: unrestrictOperation(rows) },
    claimProcess: { durable: true, run: claimProcessOperation(database) },
    orphans: { durable: false, run: findOrphans(database, rows) },
    overdue: { durable: false, run: findOverdue(database, rows) },
  } as const satisfies OperationTable
}

export type LedgerOperations = ReturnType<typeof ledgerOperations>

/** Which platform account a credit comes from. */
const counters: Readonly<Record<CreditSource, 'promo' | 'clearing'>> = {
  signup: 'promo',
  code: 'promo',
  manual: 'promo',
  payment: 'clearing',
  refund: 'clearing',
  dispute: 'clearing',
}

const creditedRow = rowOf({ id: integer('id'), account: integer('account'), amount: integer('amount') })

function creditOperation(database: Database, rows: StateRows) {
  const find = prepareRows(
    database,
    creditedRow,
    `SELECT ${creditedRow.names} FROM entry WHERE source = ? AND reference = ?`,
  )
  const insert = insertEntry(database)
  return (ask: CreditAsk): CreditResult => {
    const { account: id, amount, source, reference } = ask
    assertAmount(amount, 'a credit')
    assert(amount > 0n, 'a credit is more than nothing')
    const account = rows.account(id)
    if (account === undefined) return { kind: 'no_account' }
    const { held } = account
    const earlier = find.one(source, reference)
    if (earlier !== undefined) {
      if (earlier.account !== id || earlier.amount !== amount) return { kind: 'conflict' }
      return { kind: 'credited', entryId: earlier.id, created: false, posted: account.posted, held }
    }
    const posted = account.posted + amount
    assert(posted <= nanoMax, 'a balance fits its column')
    const position = account.entries + 1
    insert({
      id: ask.entryId,
      account: id,
      position,
      counter: counters[source],
      kind: 'credit',
      amount,
      balanceAfter: posted,
      source,
      reference,
      request: null,
      note: ask.note,
      createdMs: ask.nowMs,
    })
    rows.saveAccount({ ...account, posted, entries: position })
    return { kind: 'credited', entryId: ask.entryId, created: true, posted, held }
  }
}

function suspendOperation(database: Database, rows: StateRows) {
  const overrule = overrideDisputeSuspension(database)
  return (id: bigint, atMs: number | null): void => {
    const account = rows.account(id)
    if (account === undefined) return
    rows.saveAccount({ ...account, suspendedMs: atMs })
    overrule(id, atMs !== null)
  }
}

/** The day's losses are forgiven with it: the operator has looked at them. */
function unrestrictOperation(rows: StateRows) {
  return (id: bigint): void => {
    const account = rows.account(id)
    if (account === undefined) return
    rows.saveAccount({ ...account, restrictedMs: null, losses: { ...account.losses, amount: 0n } })
  }
}

/**
 * Takes the next ID slot for this process, which owns the database alone. A separate slot for every
 * start makes IDs unique even when the clock has stepped back, and identifies earlier holds as orphans.
 */
function claimProcessOperation(database: Database) {
  const last = prepare(database, 'SELECT id FROM process ORDER BY started_ms DESC LIMIT 1')
  const clear = prepare(database, 'DELETE FROM process')
  const insert = prepare(database, 'INSERT INTO process (id, started_ms) VALUES (?, ?)')
  return (nowMs: number): number => {
    const slot = (Number(last.row()?.[0] ?? -1) + 1) % processSlots
    clear.run()
    insert.run(BigInt(slot), BigInt(nowMs))
    return slot
  }
}

/** Holds of processes that are gone; `process` is the one that lives. */
function findOrphans(database: Database, rows: StateRows) {
  const select = prepare(
    database,
    `SELECT ${orphanColumns} FROM hold WHERE process <> ? AND ${isNoBackgroundHold} ORDER BY id LIMIT ?`,
  )
  return (process: number, limit: number): readonly Orphan[] => {
    rows.flush()
    return select.rows(BigInt(process), BigInt(limit)).map(toOrphan)
  }
}

/** Holds older than the id `before`: no request lives so long. */
function findOverdue(database: Database, rows: StateRows) {
  const select = prepare(
    database,
    `SELECT ${orphanColumns} FROM hold WHERE process = ? AND id < ? AND ${isNoBackgroundHold} ORDER BY id LIMIT ?`,
  )
  return (process: number, before: bigint, limit: number): readonly Orphan[] => {
    rows.flush()
    return select.rows(BigInt(process), before, BigInt(limit)).map(toOrphan)
  }
}
