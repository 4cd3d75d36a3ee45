/**
 * The starting credit of a person: once per person, once per folded address, and no more per day than the installation
 * gives away. One step on the writer, so that parallel sign-ups cannot get more.
 */
import { assert } from '../../base/assert.ts'
import { dayOf } from '../../limits/calendar.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import type { CreditInput, CreditResult, SignupInput, SignupResult } from '../types.ts'
import type { SqliteEngine } from './engine.ts'

export function signupCreditOperation(
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
