/**
 * Assigns accounts to an owner, and lets an invited owner take one over. Each is one step on the writer, so that of two
 * concurrent owners one gets it.
 */
import { assert } from '../../base/assert.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import type { AccountAssignment, TakeOverInput } from '../types.ts'
import type { SqliteEngine } from './engine.ts'

export function ownerOperations(database: Database, engine: SqliteEngine) {
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
