/**
 * The operations of the writer thread, by name. Each is one step of the ledger: synchronous, on prepared statements, atomic with its
 * batch. No other code moves money.
 */

import { assert } from '../../base/assert.ts'
import { formatId, processSlots } from '../../base/ids.ts'
import { dayOf } from '../../limits/calendar.ts'
import type { OperationTable } from '../../store/sqlite/batch.ts'
import { flag, integer, numberOrNull, rowOf } from '../../store/sqlite/columns.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import { prepareRows } from '../../store/sqlite/row-statement.ts'
import type { CodeInput, CodeResult } from '../payment-types.ts'
import type {
  AccountAssignment,
  CreditInput,
  CreditResult,
  SignupInput,
  SignupResult,
  TakeOverInput,
} from '../types.ts'
import { backgroundOperations, isNoBackgroundHold } from './background-responses.ts'
import type { SqliteEngine } from './engine.ts'
import { machineOperations } from './machine-operations.ts'
import { type Orphan, orphanColumns, toOrphan } from './rows.ts'
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

/** Each is one step on the writer, so that of two concurrent owners one gets the account. */
function ownerOperations(database: Database, engine: SqliteEngine) {
  return {
    assign: { durable: true, run: assignOperation(database, engine) },
    takeOver: { durable: true, run: takeOverOperation(database, engine) },
  } as const
}

function assignOperation(database: Database, engine: SqliteEngine) {
  const taken = prepare(database, 'SELECT 1 FROM account_profile WHERE id <> ? AND (owner = ? OR email = ?)')
  const update = prepare(database, 'UPDATE account_profile SET owner = ?, email = ?, name = ? WHERE id = ?')
  return (id: bigint, { owner, email, name }: AccountAssignment): 'assigned' | 'taken' | 'no_account' => {
    engine.flush()
    const folded = email === null ? null : email.toLowerCase()
    if (taken.row(id, owner, folded) !== undefined) return 'taken'
    return update.run(owner, folded, name, id) === 1 ? 'assigned' : 'no_account'
  }
}

function takeOverOperation(database: Database, engine: SqliteEngine) {
  const find = prepare(database, 'SELECT owner FROM account_profile WHERE id = ?')
  const findTopUp = prepare(database, 'SELECT 1 FROM top_up WHERE account = ? LIMIT 1')
  const leave = prepare(
    database,
    "UPDATE account_profile SET owner = NULL, email = NULL, name = 'unused' WHERE id = ? AND owner = ?",
  )
  const assign = assignOperation(database, engine)
  const isUsed = (id: bigint): boolean => {
    const account = engine.tables.account.find(id)
    assert(account !== undefined, 'an account that is left exists')
    const { posted, openHolds } = account
    return posted !== 0n || openHolds > 0 || findTopUp.row(id) !== undefined
  }
  return ({ account, leaving, ...to }: TakeOverInput): 'taken_over' | 'not_free' => {
    engine.flush()
    const found = find.row(account)
    if (found === undefined) return 'not_free'
    const [owner] = found
    if (owner === to.owner) return 'taken_over'
    if (owner !== null || (leaving !== null && isUsed(leaving))) return 'not_free'
    if (leaving !== null && leave.run(leaving, to.owner) !== 1) return 'not_free'
    // The previous account stays where another account has the name: a failure is rolled back with the step.
    const assigned = assign(account, to)
    assert(leaving === null || assigned === 'assigned', 'who leaves an account gets the other')
    return assigned === 'assigned' ? 'taken_over' : 'not_free'
  }
}

const codeRow = rowOf({
  id: integer('id'),
  amount: integer('amount'),
  hasUsesLeft: flag('uses < uses_max'),
  expiresMs: numberOrNull('expires_ms'),
  revokedMs: numberOrNull('revoked_ms'),
})

/** The use of a code and its credit in one step, so that concurrent attempts get no more than the code allows. */
function redeemOperation(database: Database, credit: (input: CreditInput) => CreditResult) {
  const find = prepareRows(database, codeRow, `SELECT ${codeRow.names} FROM redeem_code WHERE hash = ?`)
  const findUse = prepare(database, 'SELECT 1 FROM code_use WHERE code = ? AND account = ?')
  const use = prepare(database, 'UPDATE redeem_code SET uses = uses + 1 WHERE id = ? AND uses < uses_max')
  const insert = prepare(database, 'INSERT INTO code_use (code, account, entry) VALUES (?, ?, ?)')
  return ({ entryId, hash, account, nowMs }: CodeInput): CodeResult => {
    const code = find.one(hash)
    if (code === undefined) return { kind: 'rejected', reason: 'unknown' }
    const { id, amount, hasUsesLeft, expiresMs, revokedMs } = code
    if (revokedMs !== null) return { kind: 'rejected', reason: 'revoked' }
    if (expiresMs !== null && expiresMs <= nowMs) return { kind: 'rejected', reason: 'expired' }
    if (findUse.row(id, account) !== undefined) return { kind: 'rejected', reason: 'used_before' }
    if (!hasUsesLeft) return { kind: 'rejected', reason: 'used_up' }
    const credited = credit({
      entryId,
      account,
      amount,
      source: 'code',
      reference: codeReference(id, account),
      nowMs,
      note: null,
    })
    assert(credited.kind === 'credited' && credited.created, 'a code that was not used gives credit')
    assert(use.run(id) === 1, 'a code that has a use left is used')
    insert.run(id, account, entryId)
    return { kind: 'credited', amount, posted: credited.posted }
  }
}

const codeReference = (code: bigint, account: bigint): string =>
  `${formatId('code', code)}:${formatId('acct', account)}`

/**
 * The starting credit of a person: once per person, once per folded address, and no more per day than the installation
 * gives away. One step on the writer, so that parallel sign-ups cannot get more.
 */
function signupCreditOperation(
  database: Database,
  engine: SqliteEngine,
  credit: (input: CreditInput) => CreditResult,
) {
  const byAddress = prepare(database, 'SELECT account FROM signup_credit WHERE address = ?')
  const givenOn = prepare(database, 'SELECT coalesce(sum(amount), 0) FROM signup_credit WHERE day = ?')
  const given = prepare(database, "SELECT 1 FROM entry WHERE source = 'signup' AND reference = ?")
  const isDecided = prepare(database, 'SELECT 1 FROM account_profile WHERE id = ? AND credit_decided = 1')
  const insert = prepare(
    database,
    'INSERT INTO signup_credit (address, account, amount, day) VALUES (?, ?, ?, ?)',
  )
  return (input: SignupInput): SignupResult => {
    engine.flush()
    if (byAddress.row(input.addressHash) !== undefined) return { kind: 'had_it' }
    // The creator of the account has already decided its credit.
    if (isDecided.row(input.account) !== undefined) return { kind: 'had_it' }
    // Another address makes no other person.
    const reference = `person:${input.person}`
    if (given.row(reference) !== undefined) return { kind: 'had_it' }
    const day = BigInt(dayOf(input.nowMs))
    const [givenToday] = givenOn.row(day) ?? []
    if ((givenToday as bigint) + input.amount > input.perDayMax) return { kind: 'day_is_full' }
    insert.run(input.addressHash, input.account, input.amount, day)
    const credited = credit({
      entryId: input.entryId,
      account: input.account,
      amount: input.amount,
      source: 'signup',
      reference,
      nowMs: input.nowMs,
      note: null,
    })
    assert(
      credited.kind === 'credited' && credited.created,
      `a starting credit is given, not ${credited.kind}`,
    )
    return { kind: 'credited', posted: credited.posted }
  }
}
