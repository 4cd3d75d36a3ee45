/** How each SQLSTATE appears to callers: a rejected statement is an error with its name, trouble at the server is an outage. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrokenInvariant } from '../../base/assert.ts'
import { failureToError, StatementError } from '../errors.ts'
import { isAway, PostgresFailure, toStoreError } from './errors.ts'

const rejected = [
  '0A000',
  '21000',
  '22003',
  '2BP01',
  '34000',
  '3F000',
  '42P01',
  '42501',
  '44000',
  '54001',
  'P0001',
]
const outages = ['08006', '25006', '40001', '53300', '55P03', '57P01', '58030']

const fromServer = (state: string): Error => Object.assign(new Error(`says ${state} itself`), { code: state })

for (const state of [...rejected, ...outages]) {
  const isRejected = rejected.includes(state)
  test(`${state} is ${isRejected ? 'an error with its name' : 'an outage'}`, () => {
    const failure = new PostgresFailure({ state, message: 'it failed' })
    const blocking = failureToError({ sqliteCode: failure.errcode, message: failure.message, stack: '' })
    for (const error of [blocking, toStoreError(fromServer(state))]) {
      assert.equal(error instanceof BrokenInvariant, isRejected, String(error))
      assert.equal(isAway(error), !isRejected, 'whether a start waits')
      if (isRejected) assert.match(error.message, new RegExp(state))
    }
  })
}

test('a constraint that rejects a row is no outage either, and a connection that is lost is one', () => {
  const failed = (state: string | null) => {
    const { errcode, message } = new PostgresFailure({ state, message: 'it failed' })
    return failureToError({ sqliteCode: errcode, message, stack: '' })
  }
  for (const state of ['23505', '23503', '23502', '23514', '23000'])
    assert.ok(failed(state) instanceof StatementError, state)
  assert.ok(isAway(failed(null)))
})
