/**
 * The operations on top-ups that move money: payment, return (a refund or a dispute) and its reversal. Each changes the top-up's row
 * and the entry in one transaction, so that no crash can separate them. Only a return may take the balance below the reserved amount,
 * and below zero.
 */
import { assert } from '../../base/assert.ts'
import {
  flag,
  integer,
  number,
  numberOrNull,
  rowOf,
  text,
  textOrNull,
  type ValueOf,
} from '../../store/sqlite/columns.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import { prepareRows } from '../../store/sqlite/row-statement.ts'
import { credit as creditAccount, debit, suspend } from '../machine/account-operations.ts'
import { byReference } from '../machine/rows.ts'
import type {
  PayInput,
  PayResult,
  RestoreInput,
  RestoreResult,
  ReturnInput,
  ReturnResult,
} from '../payment-types.ts'
import { assertAmount, least } from '../rules/money.ts'
import type { CreditInput, CreditResult } from '../types.ts'
import type { SqliteEngine } from './engine.ts'

type Credit = (input: CreditInput) => CreditResult

/** A top-up as far as its money goes. */
const topUpRow = rowOf({
  id: integer('id'),
  account: integer('account'),
  amount: integer('amount'),
  refunded: integer('refunded'),
  paymentIntent: textOrNull('payment_intent'),
  isPaid: flag('paid_ms IS NOT NULL'),
})
type TopUpAmounts = ValueOf<typeof topUpRow>

const selectTopUp = (database: Database) =>
  prepareRows(database, topUpRow, `SELECT ${topUpRow.names} FROM top_up WHERE id = ?`)

export function topUpOperations(database: Database, engine: SqliteEngine) {
  const credit: Credit = (input) => engine.run(creditAccount, input)
  return {
    payTopUp: { durable: true, run: payTopUpOperation(database, engine, credit) },
    returnTopUp: { durable: true, run: returnTopUpOperation(database, engine) },
    restoreTopUp: { durable: true, run: restoreTopUpOperation(database, engine, credit) },
  } as const
}

function payTopUpOperation(database: Database, engine: SqliteEngine, credit: Credit) {
  const find = selectTopUp(database)
  const findOther = prepare(database, 'SELECT id FROM top_up WHERE payment_intent = ? AND id <> ?')
  const update = prepare(
    database,
    `UPDATE top_up SET state = 'paid', payment_intent = ?, paid_ms = ?, problem = NULL, pay_url = NULL WHERE id = ?`,
  )
  return ({ entryId, topUp: id, paymentIntent, nowMs }: PayInput): PayResult => {
    const topUp = find.one(id)
    if (topUp === undefined) return { kind: 'no_top_up' }
    const { account, amount } = topUp
    if (topUp.isPaid) {
      const isSame = topUp.paymentIntent === paymentIntent
      return isSame ? { kind: 'paid', created: false, account } : { kind: 'conflict' }
    }
    if (findOther.row(paymentIntent, id) !== undefined) return { kind: 'conflict' }
    const byHand = engine.tables.creditReference.find(byReference('manual', paymentIntent))
    if (byHand !== undefined) return { kind: 'conflict' }
    const credited = credit({
      entryId,
      account,
      amount,
      source: 'payment',
      reference: paymentIntent,
      nowMs,
      note: null,
    })
    if (credited.kind !== 'credited') return { kind: 'conflict' }
    update.run(paymentIntent, BigInt(nowMs), id)
    return { kind: 'paid', created: credited.created, account }
  }
}

/** The state of a paid top-up, by what of it stays taken. */
function stateOf({
  amount,
  refunded,
  disputed,
}: Pick<TopUpAmounts, 'amount' | 'refunded'> & { readonly disputed: bigint }): string {
  if (disputed > 0n) return 'disputed'
  if (refunded === 0n) return 'paid'
  return refunded === amount ? 'refunded' : 'partly_refunded'
}

const returnedRow = rowOf({
  refunded: integer("coalesce(sum(amount) FILTER (WHERE source = 'refund'), 0)"),
  withdrawn: integer("coalesce(sum(amount) FILTER (WHERE source = 'dispute'), 0)"),
})

/**
 * Recomputes the refunded and disputed sums of a top-up. A bank may withdraw more than was paid: the account owes all of
 * it, and the row of the top-up shows its whole amount as disputed.
 */
function updateReturnedSums(database: Database) {
  const find = prepareRows(
    database,
    returnedRow,
    `SELECT ${returnedRow.names} FROM top_up_return WHERE top_up = ? AND restored_entry IS NULL`,
  )
  const update = prepare(database, 'UPDATE top_up SET refunded = ?, disputed = ?, state = ? WHERE id = ?')
  return ({ id, amount }: TopUpAmounts): void => {
    const { refunded, withdrawn } = find.one(id) ?? { refunded: 0n, withdrawn: 0n }
    const disputed = least(withdrawn, amount)
    update.run(refunded, disputed, stateOf({ amount, refunded, disputed }), id)
  }
}

/** The latest return under a provider's reference; `reference` is that of our row. */
const returnRow = rowOf({
  topUp: integer('top_up'),
  amount: integer('amount'),
  reference: text('reference'),
  isRestored: flag('restored_entry IS NOT NULL'),
  /** How many returns the reference has. */
  times: number('count(*) OVER ()'),
})

/** A dispute that was won can be lost after all: the reference of each later return ends with a space and its number. */
function findLatestReturn(database: Database) {
  const find = prepareRows(
    database,
    returnRow,
    `SELECT ${returnRow.names} FROM top_up_return
      WHERE source = ?1 AND (reference = ?2 OR (reference > ?2 || ' ' AND reference < ?2 || '!'))
      ORDER BY entry DESC LIMIT 1`,
  )
  return (source: ReturnInput['source'], reference: string): ValueOf<typeof returnRow> | undefined =>
    find.one(source, reference)
}

/** A refund that failed stays failed; a repeated event about it is old. */
const canBeTakenAgain = (source: ReturnInput['source']): boolean => source === 'dispute'

function returnTopUpOperation(database: Database, engine: SqliteEngine) {
  const find = selectTopUp(database)
  const findReturn = findLatestReturn(database)
  const insertReturn = prepare(
    database,
    'INSERT INTO top_up_return (entry, top_up, source, reference, amount) VALUES (?, ?, ?, ?, ?)',
  )
  const save = updateReturnedSums(database)
  const take = takeBack(database, engine)
  return (input: ReturnInput): ReturnResult => {
    const { entryId, source, amount } = input
    assertAmount(amount, 'a return')
    assert(amount > 0n, 'a return is more than zero')
    const topUp = find.one(input.topUp)
    if (topUp === undefined || !topUp.isPaid) return { kind: 'not_paid' }
    const earlier = findReturn(source, input.reference)
    const isAgain = earlier?.isRestored === true && canBeTakenAgain(source)
    if (earlier !== undefined && !isAgain) {
      const isSame = earlier.topUp === topUp.id && earlier.amount === amount
      return isSame ? { kind: 'returned', created: false, account: topUp.account } : { kind: 'conflict' }
    }
    // A refund is at most what was paid; a bank may withdraw more.
    if (source === 'refund' && topUp.refunded + amount > topUp.amount) return { kind: 'conflict' }
    const reference = earlier === undefined ? input.reference : `${input.reference} ${earlier.times + 1}`
    take(topUp.account, { ...input, reference })
    insertReturn.run(entryId, topUp.id, source, reference, amount)
    save(topUp)
    return { kind: 'returned', created: true, account: topUp.account }
  }
}

/** The reversing entry; an account that is to be frozen is suspended in the same step. */
function takeBack(database: Database, engine: SqliteEngine) {
  const suspend = suspendForDispute(database)
  return (id: bigint, { freeze: reason, ...input }: ReturnInput): void => {
    const before = engine.tables.account.find(id)
    assert(before !== undefined, 'a paid top-up names an account that exists')
    engine.run(debit, { ...input, account: id, suspends: reason !== null })
    if (reason !== null) suspend(id, before.suspendedMs, { reason, atMs: input.nowMs })
  }
}

const frozenRow = rowOf({ frozenMs: numberOrNull('frozen_ms') })
const frozenOf = `SELECT ${frozenRow.names} FROM billing_setting WHERE account = ?`

/** Writes down why an account is frozen, and whether it was this that suspended it. */
function suspendForDispute(database: Database) {
  const find = prepareRows(database, frozenRow, frozenOf)
  const upsert = prepare(
    database,
    `INSERT INTO billing_setting (account, frozen, frozen_ms) VALUES (?1, ?2, ?3)
      ON CONFLICT (account) DO UPDATE SET frozen = ?2, frozen_ms = ?3`,
  )
  return (
    account: bigint,
    suspendedMs: number | null,
    { reason, atMs }: { reason: string; atMs: number },
  ) => {
    const earlierMs = find.one(account)?.frozenMs ?? null
    const isOurs = suspendedMs === null || earlierMs === suspendedMs
    upsert.run(account, reason, isOurs ? BigInt(suspendedMs ?? atMs) : null)
  }
}

/** An operator's decision about an account has priority: the end of a dispute does not lift it, and a known dispute does not suspend again. */
export function overrideDisputeSuspension(database: Database) {
  const keepReason = prepare(database, 'UPDATE billing_setting SET frozen_ms = NULL WHERE account = ?')
  const clear = prepare(
    database,
    'UPDATE billing_setting SET frozen = NULL, frozen_ms = NULL WHERE account = ?',
  )
  return (account: bigint, isSuspended: boolean): void => {
    ;(isSuspended ? keepReason : clear).run(account)
  }
}

function restoreTopUpOperation(database: Database, engine: SqliteEngine, credit: Credit) {
  const findReturn = findLatestReturn(database)
  const find = selectTopUp(database)
  const restore = prepare(
    database,
    'UPDATE top_up_return SET restored_entry = ? WHERE source = ? AND reference = ?',
  )
  const save = updateReturnedSums(database)
  const liftSuspension = liftDisputeSuspension(database, engine)
  return ({ entryId, source, reference: asked, nowMs }: RestoreInput): RestoreResult => {
    const latest = findReturn(source, asked)
    if (latest === undefined) return { kind: 'nothing' }
    const { amount, reference } = latest
    const topUp = find.one(latest.topUp)
    assert(topUp !== undefined, 'a return names a top-up that exists')
    if (latest.isRestored) return { kind: 'restored', created: false, account: topUp.account }
    const credited = credit({
      entryId,
      account: topUp.account,
      amount,
      source,
      reference: `${reference} ${restoredMark}`,
      nowMs,
      note: null,
    })
    assert(credited.kind === 'credited' && credited.created, 'a return is reversed once')
    restore.run(entryId, source, reference)
    save(topUp)
    if (source === 'dispute') liftSuspension(topUp.account)
    return { kind: 'restored', created: true, account: topUp.account }
  }
}

/** Ends the reference of the entry that reverses a return. */
const restoredMark = 'returned'

/** Lifts a suspension that was ours, once no payment of the account is in dispute; an operator's stays. */
function liftDisputeSuspension(database: Database, engine: SqliteEngine) {
  const disputed = prepare(database, 'SELECT 1 FROM top_up WHERE account = ? AND disputed > 0 LIMIT 1')
  const find = prepareRows(database, frozenRow, frozenOf)
  const clear = prepare(
    database,
    'UPDATE billing_setting SET frozen = NULL, frozen_ms = NULL WHERE account = ?',
  )
  return (id: bigint): void => {
    if (disputed.row(id) !== undefined) return
    const frozenMs = find.one(id)?.frozenMs ?? null
    const suspendedMs = engine.tables.account.find(id)?.suspendedMs ?? null
    if (frozenMs !== null && suspendedMs === frozenMs) engine.run(suspend, { account: id, atMs: null })
    clear.run(id)
  }
}
