/**
 * The operations on top-ups that move money: paid, taken back by a refund or a dispute, given back again. Each changes
 * the top-up's row together with the entry, so that no crash can part them. What is taken back may take the balance
 * below what is held and below zero; nothing else may.
 */
import { assert } from '../../base/assert.ts'
import { type Database, type Output, prepare } from '../../store/sqlite/connection.ts'
import type {
  PayAsk,
  PayResult,
  RestoreAsk,
  RestoreResult,
  ReturnAsk,
  ReturnResult,
} from '../payment-types.ts'
import { assertAmount, least, most, nanoMax } from '../rules/money.ts'
import type { CreditAsk, CreditResult } from '../types.ts'
import type { AccountState } from './rows.ts'
import type { StateRows } from './state-rows.ts'

type Credit = (ask: CreditAsk) => CreditResult

/** A top-up as far as its money goes. */
interface Paid {
  readonly id: bigint
  readonly account: bigint
  readonly amount: bigint
  readonly refunded: bigint
  readonly paymentIntent: string | null
  readonly isPaid: boolean
}

const paidColumns = 'id, account, amount, refunded, payment_intent, paid_ms IS NOT NULL'

function toPaid(row: Output[]): Paid {
  return {
    id: row[0] as bigint,
    account: row[1] as bigint,
    amount: row[2] as bigint,
    refunded: row[3] as bigint,
    paymentIntent: row[4] as string | null,
    isPaid: row[5] === 1n,
  }
}

export function topUpOperations(database: Database, rows: StateRows, credit: Credit) {
  return {
    payTopUp: { durable: true, run: payTopUpOperation(database, credit) },
    returnTopUp: { durable: true, run: returnTopUpOperation(database, rows) },
    restoreTopUp: { durable: true, run: restoreTopUpOperation(database, rows, credit) },
  } as const
}

function payTopUpOperation(database: Database, credit: Credit) {
  const find = prepare(database, `SELECT ${paidColumns} FROM top_up WHERE id = ?`)
  const findOther = prepare(database, 'SELECT id FROM top_up WHERE payment_intent = ? AND id <> ?')
  const update = prepare(
    database,
    `UPDATE top_up SET state = 'paid', payment_intent = ?, paid_ms = ?, problem = NULL, pay_url = NULL WHERE id = ?`,
  )
  return ({ entryId, topUp: id, paymentIntent, nowMs }: PayAsk): PayResult => {
    const row = find.row(id)
    if (row === undefined) return { kind: 'no_top_up' }
    const topUp = toPaid(row)
    const { account, amount } = topUp
    if (topUp.isPaid) {
      const isSame = topUp.paymentIntent === paymentIntent
      return isSame ? { kind: 'paid', created: false, account } : { kind: 'conflict' }
    }
    if (findOther.row(paymentIntent, id) !== undefined) return { kind: 'conflict' }
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
}: Pick<Paid, 'amount' | 'refunded'> & { readonly disputed: bigint }): string {
  if (disputed > 0n) return 'disputed'
  if (refunded === 0n) return 'paid'
  return refunded === amount ? 'refunded' : 'partly_refunded'
}

/**
 * Sums anew what of a top-up stays taken. A bank may take more than was paid; the account owes it all the same, and the
 * row, which is of this top-up alone, tells of it no more than that it is disputed whole.
 */
function updateReturnedSums(database: Database) {
  const find = prepare(
    database,
    `SELECT coalesce(sum(amount) FILTER (WHERE source = 'refund'), 0),
      coalesce(sum(amount) FILTER (WHERE source = 'dispute'), 0)
      FROM top_up_return WHERE top_up = ? AND restored_entry IS NULL`,
  )
  const update = prepare(database, 'UPDATE top_up SET refunded = ?, disputed = ?, state = ? WHERE id = ?')
  return ({ id, amount }: Paid): void => {
    const [refunded, taken] = find.row(id) as [bigint, bigint]
    const disputed = least(taken, amount)
    update.run(refunded, disputed, stateOf({ amount, refunded, disputed }), id)
  }
}

/** What was taken last under a provider's reference, by the reference that our rows have for that turn. */
interface Taken {
  readonly topUp: bigint
  readonly amount: bigint
  readonly reference: string
  readonly isRestored: boolean
  /** How often it was taken. */
  readonly turns: number
}

/** A dispute that was won can be lost after all: each later turn has a space and its number behind the reference. */
function takenLookup(database: Database) {
  const find = prepare(
    database,
    `SELECT top_up, amount, reference, restored_entry IS NOT NULL, count(*) OVER () FROM top_up_return
      WHERE source = ?1 AND (reference = ?2 OR (reference > ?2 || ' ' AND reference < ?2 || '!'))
      ORDER BY entry DESC LIMIT 1`,
  )
  return (source: ReturnAsk['source'], asked: string): Taken | undefined => {
    const row = find.row(source, asked)
    if (row === undefined) return undefined
    const [topUp, amount, reference, restored, turns] = row as [bigint, bigint, string, bigint, bigint]
    return { topUp, amount, reference, isRestored: restored === 1n, turns: Number(turns) }
  }
}

/** A refund that failed stays failed; what is told of it again is old. */
const canBeTakenAgain = (source: ReturnAsk['source']): boolean => source === 'dispute'

function returnTopUpOperation(database: Database, rows: StateRows) {
  const find = prepare(database, `SELECT ${paidColumns} FROM top_up WHERE id = ?`)
  const findTaken = takenLookup(database)
  const insertReturn = prepare(
    database,
    'INSERT INTO top_up_return (entry, top_up, source, reference, amount) VALUES (?, ?, ?, ?, ?)',
  )
  const save = updateReturnedSums(database)
  const take = takeBack(database, rows)
  return (ask: ReturnAsk): ReturnResult => {
    const { entryId, source, amount } = ask
    assertAmount(amount, 'what is taken back')
    assert(amount > 0n, 'more than nothing is taken back')
    const row = find.row(ask.topUp)
    if (row === undefined) return { kind: 'not_paid' }
    const topUp = toPaid(row)
    if (!topUp.isPaid) return { kind: 'not_paid' }
    const earlier = findTaken(source, ask.reference)
    const isAgain = earlier?.isRestored === true && canBeTakenAgain(source)
    if (earlier !== undefined && !isAgain) {
      const isSame = earlier.topUp === topUp.id && earlier.amount === amount
      return isSame ? { kind: 'returned', created: false, account: topUp.account } : { kind: 'conflict' }
    }
    // No refund is of more than was paid; what a bank takes does not ask us.
    if (source === 'refund' && topUp.refunded + amount > topUp.amount) return { kind: 'conflict' }
    const reference = earlier === undefined ? ask.reference : `${ask.reference} ${earlier.turns + 1}`
    take(topUp.account, { ...ask, reference })
    insertReturn.run(entryId, topUp.id, source, reference, amount)
    save(topUp)
    return { kind: 'returned', created: true, account: topUp.account }
  }
}

/** The reversing entry; an account that is to be frozen is suspended in the same step. */
function takeBack(database: Database, rows: StateRows) {
  const insert = prepare(
    database,
    `INSERT INTO entry (id, account, position, counter, kind, amount, balance_after, source, reference, note,
      created_ms) VALUES (?, ?, ?, 'clearing', 'refund', ?, ?, ?, ?, ?, ?)`,
  )
  // The only place where `overdrawn` grows; it shrinks with every other change of the row.
  const overdraw = prepare(database, 'UPDATE account SET overdrawn = max(overdrawn, ?) WHERE id = ?')
  const freeze = suspendForDispute(database)
  return (
    id: bigint,
    { entryId, amount, source, reference, note, nowMs, freeze: reason }: ReturnAsk,
  ): void => {
    const account = rows.knownAccount(id)
    const posted = account.posted - amount
    assert(posted >= -nanoMax, 'a balance fits its column')
    const entries = account.entries + 1
    insert.run(entryId, id, BigInt(entries), -amount, posted, source, reference, note, BigInt(nowMs))
    overdraw.run(most(account.held - posted, 0n), id)
    const taken: AccountState = { ...account, posted, entries }
    if (reason === null) {
      rows.saveAccount(id, taken)
      return
    }
    freeze(id, account.suspendedMs, { reason, atMs: nowMs })
    rows.saveAccount(id, { ...taken, suspendedMs: account.suspendedMs ?? nowMs })
  }
}

/** Writes down why an account is frozen, and whether it was this that suspended it. */
function suspendForDispute(database: Database) {
  const find = prepare(database, 'SELECT frozen_ms FROM billing_setting WHERE account = ?')
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
    const [earlierMs = null] = find.row(account) ?? []
    const isOurs = suspendedMs === null || earlierMs === BigInt(suspendedMs)
    upsert.run(account, reason, isOurs ? BigInt(suspendedMs ?? atMs) : null)
  }
}

/** What an operator says of an account stands: a dispute that ends does not lift it, one that is known freezes no more. */
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

function restoreTopUpOperation(database: Database, rows: StateRows, credit: Credit) {
  const findTaken = takenLookup(database)
  const find = prepare(database, `SELECT ${paidColumns} FROM top_up WHERE id = ?`)
  const restore = prepare(
    database,
    'UPDATE top_up_return SET restored_entry = ? WHERE source = ? AND reference = ?',
  )
  const save = updateReturnedSums(database)
  const thaw = liftDisputeSuspension(database, rows)
  return ({ entryId, source, reference: asked, nowMs }: RestoreAsk): RestoreResult => {
    const taken = findTaken(source, asked)
    if (taken === undefined) return { kind: 'nothing' }
    const { amount, reference } = taken
    const topUp = toPaid(find.row(taken.topUp) ?? [])
    if (taken.isRestored) return { kind: 'restored', created: false, account: topUp.account }
    const credited = credit({
      entryId,
      account: topUp.account,
      amount,
      source,
      reference: `${reference} ${restoredMark}`,
      nowMs,
      note: null,
    })
    assert(credited.kind === 'credited' && credited.created, 'what was taken is given back once')
    restore.run(entryId, source, reference)
    save(topUp)
    if (source === 'dispute') thaw(topUp.account)
    return { kind: 'restored', created: true, account: topUp.account }
  }
}

/** Stands behind a reference in the entry that gives back what was taken under it. */
const restoredMark = 'returned'

/** Lifts a suspension that was ours, once no payment of the account is in dispute; an operator's stays. */
function liftDisputeSuspension(database: Database, rows: StateRows) {
  const disputed = prepare(database, 'SELECT 1 FROM top_up WHERE account = ? AND disputed > 0 LIMIT 1')
  const find = prepare(database, 'SELECT frozen_ms FROM billing_setting WHERE account = ?')
  const clear = prepare(
    database,
    'UPDATE billing_setting SET frozen = NULL, frozen_ms = NULL WHERE account = ?',
  )
  return (id: bigint): void => {
    if (disputed.row(id) !== undefined) return
    const [frozenMs = null] = find.row(id) ?? []
    const account = rows.knownAccount(id)
    if (frozenMs !== null && account.suspendedMs !== null && BigInt(account.suspendedMs) === frozenMs) {
      rows.saveAccount(id, { ...account, suspendedMs: null })
    }
    clear.run(id)
  }
}
