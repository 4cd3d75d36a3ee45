/** Requests that were rejected while the session was replaced, and requests that were not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replacing, withSession } from './session-exchange.ts'

const isRejected = (status: number): boolean => status === 401

/** A request whose answers are given one by one; it fails when it is sent more often. */
function requestAnswering(...answers: readonly Promise<number>[]): {
  request: () => Promise<number>
  sent: number
} {
  const asked = {
    sent: 0,
    request: () => {
      const answer = answers[asked.sent]
      asked.sent += 1
      return answer ?? assert.fail('it was sent too often')
    },
  }
  return asked
}

test('a request that was rejected while the session was replaced is sent again when the new cookie is there', async () => {
  const change = Promise.withResolvers<number>()
  const changing = replacing(() => change.promise)
  const asked = requestAnswering(Promise.resolve(401), Promise.resolve(200))
  const answer = withSession(asked.request, isRejected)
  await new Promise(setImmediate)
  assert.equal(asked.sent, 1, 'the new cookie is not there yet')
  change.resolve(200)
  await changing
  assert.equal(await answer, 200)
})

test('a request whose rejection arrives after the new cookie is sent again', async () => {
  const late = Promise.withResolvers<number>()
  const asked = requestAnswering(late.promise, Promise.resolve(200))
  const answer = withSession(asked.request, isRejected)
  await replacing(() => Promise.resolve(200))
  late.resolve(401)
  assert.equal(await answer, 200)
})

test('a request is sent once when no session was replaced, and at most twice', async () => {
  const alone = requestAnswering(Promise.resolve(401))
  assert.equal(await withSession(alone.request, isRejected), 401)
  const late = Promise.withResolvers<number>()
  const ended = requestAnswering(late.promise, Promise.resolve(401))
  const answer = withSession(ended.request, isRejected)
  await assert.rejects(
    replacing(() => Promise.reject(new Error('cut'))),
    /cut/,
  )
  late.resolve(401)
  assert.equal(await answer, 401)
})
