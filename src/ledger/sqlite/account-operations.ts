/**
 * Creates accounts with their starting credit, assigns them to an owner, and lets an invited owner take one over. Each is
 * one step on the writer, so that of two concurrent owners one gets it.
 */
import { assert } from '../../base/assert.ts'
import { formatId } from '../../base/ids.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import type { AccountAssignment, CreditAsk, CreditResult, NewAccount, TakeOverAsk } from '../types.ts'
import type { StateRows } from './state-rows.ts'

export function openingOperations(
  database: Database,
  rows: StateRows,
  credit: (ask: CreditAsk) => CreditResult,
) {
  return {
    createAccount: { durable: true, run: createAccountOperation(database, credit) },
    assign: { durable: true, run: assignOperation(database) },
    takeOver: { durable: true, run: takeOverOperation(database, rows) },
  } as const
}

function createAccountOperation(database: Database, credit: (ask: CreditAsk) => CreditResult) {
  const find = prepare(database, 'SELECT id FROM account WHERE id = ? OR email = ? OR owner = ?')
  const insert = prepare(
    database,
    'INSERT INTO account (id, kind, email, name, created_ms, owner, credit_decided) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  return (account: NewAccount): { kind: 'created' } | { kind: 'exists'; id: bigint } => {
    const { id, kind, name, nowMs, startingCredit } = account
    const email = account.email === null ? null : account.email.toLowerCase()
    const owner = account.owner ?? null
    const [existing] = find.row(id, email, owner) ?? []
    if (existing !== undefined) return { kind: 'exists', id: existing as bigint }
    insert.run(id, kind, email, name, BigInt(nowMs), owner, startingCredit === undefined ? 0n : 1n)
    if (startingCredit === undefined || startingCredit.amount === 0n) return { kind: 'created' }
    const source = 'signup' as const
    const given = { ...startingCredit, source, reference: formatId('acct', id), note: null }
    const { kind: credited } = credit({ ...given, account: id, nowMs })
    assert(credited === 'credited', `a new account takes its starting credit, not ${credited}`)
    return { kind: 'created' }
  }
}

function assignOperation(database: Database) {
  const taken = prepare(database, 'SELECT 1 FROM account WHERE id <> ? AND (owner = ? OR email = ?)')
  const update = prepare(database, 'UPDATE account SET owner = ?, email = ?, name = ? WHERE id = ?')
  return (id: bigint, { owner, email, name }: AccountAssignment): 'assigned' | 'taken' | 'no_account' => {
    const folded = email === null ? null : email.toLowerCase()
    if (taken.row(id, owner, folded) !== undefined) return 'taken'
    return update.run(owner, folded, name, id) === 1 ? 'assigned' : 'no_account'
  }
}

function takeOverOperation(database: Database, rows: StateRows) {
  const find = prepare(database, 'SELECT owner FROM account WHERE id = ?')
  const findTopUp = prepare(database, 'SELECT 1 FROM top_up WHERE account = ? LIMIT 1')
  const leave = prepare(
    database,
    "UPDATE account SET owner = NULL, email = NULL, name = 'unused' WHERE id = ? AND owner = ?",
  )
  const assign = assignOperation(database)
  const isUsed = (id: bigint): boolean => {
    const { posted, openHolds } = rows.knownAccount(id)
    return posted !== 0n || openHolds > 0 || findTopUp.row(id) !== undefined
  }
  return ({ account, leaving, ...to }: TakeOverAsk): 'taken_over' | 'not_free' => {
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
