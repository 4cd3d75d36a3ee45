/**
 * The operations of the writer thread, by name. Each is one step of the ledger: synchronous, on prepared statements, atomic with its
 * batch. No other code moves money.
 */
import { processSlots } from '../../base/ids.ts'
import type { OperationTable } from '../../store/sqlite/batch.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import { ownerOperations } from './account-operations.ts'
import { backgroundOperations, isNoBackgroundHold } from './background-responses.ts'
import type { SqliteEngine } from './engine.ts'
import { machineOperations } from './machine-operations.ts'
import { redeemOperation } from './redeem-operation.ts'
import { type Orphan, orphanColumns, toOrphan } from './rows.ts'
import { signupCreditOperation } from './signup-credit-operation.ts'
import { overrideDisputeSuspension, topUpOperations } from './top-up-operations.ts'

export function ledgerOperations(database: Database, engine: SqliteEngine) {
  const machine = machineOperations(engine)
  const credit = machine.credit.run
  return {
    ...machine,
    ...backgroundOperations(database, engine),
    ...topUpOperations(database, engine),
    redeem: { durable: true, run: redeemOperation(database, credit) },
    signupCredit: { durable: true, run: signupCreditOperation(database, engine, credit) },
    ...ownerOperations(database, engine),
    suspend: { durable: true, run: suspendOperation(database, machine.suspend.run) },
    removeReceipts: { durable: false, run: removeReceiptsOperation(database) },
    claimProcess: { durable: true, run: claimProcessOperation(database) },
    claimThread: { durable: true, run: claimThreadOperation(database) },
    orphans: { durable: false, run: findOrphans(database, engine) },
    overdue: { durable: false, run: findOverdue(database, engine) },
  } as const satisfies OperationTable
}

export type LedgerOperations = ReturnType<typeof ledgerOperations>

/** An operator's decision, which has priority over a dispute's. */
function suspendOperation(database: Database, suspend: (account: bigint, atMs: number | null) => boolean) {
  const overrule = overrideDisputeSuspension(database)
  return (account: bigint, atMs: number | null): void => {
    if (suspend(account, atMs)) overrule(account, atMs !== null)
  }
}

/**
 * Takes the next ID slot for this process, which owns the database alone. A separate slot for every
 * start makes IDs unique even when the clock has stepped back, and identifies earlier holds as orphans.
 */
function claimProcessOperation(database: Database) {
  const take = slotTaker(database)
  const clear = prepare(database, 'DELETE FROM process')
  return (nowMs: number): number => take(nowMs, () => clear.run())
}

/** Takes another slot, for a thread of this process. */
function claimThreadOperation(database: Database) {
  const take = slotTaker(database)
  return (nowMs: number): number => take(nowMs)
}

/** Takes the slot after the one that was taken last. `beforeTaking` runs when that is known. */
function slotTaker(database: Database) {
  const last = prepare(database, 'SELECT id, started_ms FROM process ORDER BY started_ms DESC LIMIT 1')
  const insert = prepare(database, 'INSERT INTO process (id, started_ms) VALUES (?, ?)')
  return (nowMs: number, beforeTaking: () => void = () => {}): number => {
    const [id, startedMs] = last.row() ?? [-1n, 0n]
    const slot = (Number(id) + 1) % processSlots
    beforeTaking()
    // Later than the last one even if the clock was set back: slots are ordered by this time.
    const takenMs = Math.max(nowMs, Number(startedMs) + 1)
    insert.run(BigInt(slot), BigInt(takenMs))
    return slot
  }
}

/** Holds of processes, and of their threads, that are gone; `process` is one that lives. */
function findOrphans(database: Database, engine: SqliteEngine) {
  const select = prepare(
    database,
    `SELECT ${orphanColumns} FROM hold WHERE process <> ? AND process NOT IN (SELECT id FROM process)
      AND ${isNoBackgroundHold} ORDER BY id LIMIT ?`,
  )
  return (process: number, limit: number): readonly Orphan[] => {
    engine.flush()
    return select.rows(BigInt(process), BigInt(limit)).map(toOrphan)
  }
}

/** Holds older than the id `before`: no request lives so long. */
function findOverdue(database: Database, engine: SqliteEngine) {
  const select = prepare(
    database,
    `SELECT ${orphanColumns} FROM hold WHERE process = ? AND id < ? AND ${isNoBackgroundHold} ORDER BY id LIMIT ?`,
  )
  return (process: number, before: bigint, limit: number): readonly Orphan[] => {
    engine.flush()
    return select.rows(BigInt(process), before, BigInt(limit)).map(toOrphan)
  }
}

/** Removes receipts by age, on both databases; what they charged stays in the entries and in the hourly sums: at most `limit` of requests with smaller IDs than `before`; returns how many. The mark never goes back. */
function removeReceiptsOperation(database: Database) {
  const mark = prepare(
    database,
    `INSERT INTO receipt_retention (one, before_id) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET before_id = excluded.before_id
      WHERE receipt_retention.before_id < excluded.before_id`,
  )
  const remove = prepare(
    database,
    'DELETE FROM receipt WHERE id IN (SELECT id FROM receipt WHERE id < ? ORDER BY id LIMIT ?)',
  )
  return (before: bigint, limit: number): number => {
    mark.run(before)
    return remove.run(before, BigInt(limit))
  }
}
