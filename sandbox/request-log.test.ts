/** The memory of the request log: what it stores, how much, and what it reports to callers that wait. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../test/support/manual-clock.ts'
import { openRequestLog, type RequestLog } from './request-log.ts'

const limits = { requestsMax: 3, loggedBodyBytesMax: 10, waitersMax: 2 }
const input = { uncached: 5, cacheRead: 3, cacheWrite5m: 2, cacheWrite1h: 1 }

function logOf(logBodies: boolean): RequestLog {
  return openRequestLog({ clock: manualClock(), logBodies, limits })
}

test('the story of a request', () => {
  const clock = manualClock()
  const requestLog = openRequestLog({ clock, logBodies: false, limits })
  const recorder = requestLog.open('a', 'POST /x', {})
  assert.deepEqual(requestLog.find('a'), {
    requestId: 'a',
    line: 'POST /x',
    model: '',
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    finished: false,
    outcome: 'running',
    bodyBytes: 0,
    arrivedAtMs: 0,
  })
  recorder.received(Buffer.from('body'))
  recorder.charged(input)
  recorder.made(4, 1)
  recorder.made(2, 0)
  clock.advance(50)
  recorder.over('client_gone')
  clock.advance(50)
  recorder.over('complete')
  const logged = requestLog.find('a')
  assert.deepEqual(
    [logged?.inputTokens, logged?.cacheReadTokens, logged?.cacheWrite5mTokens, logged?.cacheWrite1hTokens],
    [11, 3, 2, 1],
  )
  assert.deepEqual([logged?.outputTokens, logged?.reasoningTokens, logged?.bodyBytes], [6, 1, 4])
  assert.deepEqual(
    [logged?.outcome, logged?.finished, logged?.closedByClientAtMs],
    ['client_gone', false, 50],
  )
  assert.deepEqual([logged?.body, logged?.headers], [undefined, undefined])
})

test('only the newest requests are remembered, the latest of an id is found', () => {
  const requestLog = logOf(false)
  for (const id of ['a', 'b', 'a', 'c', 'd']) requestLog.open(id, id, {}).understood(`model of ${id}`)
  assert.deepEqual(
    requestLog.all().map(({ requestId }) => requestId),
    ['a', 'c', 'd'],
  )
  assert.equal(requestLog.count(), 5)
  assert.equal(requestLog.find('b'), undefined)
  assert.equal(requestLog.find('a')?.model, 'model of a')
  requestLog.open('e', 'e', {})
  assert.equal(requestLog.find('a'), undefined)
})

test('the newest bodies are logged within their budget', () => {
  const requestLog = logOf(true)
  const bodies = { a: 'aaaa', b: 'bbbb', c: 'cccc' }
  for (const [id, body] of Object.entries(bodies))
    requestLog.open(id, id, { host: id }).received(Buffer.from(body))
  assert.deepEqual(
    requestLog.all().map(({ body }) => body?.toString()),
    [undefined, 'bbbb', 'cccc'],
  )
  assert.deepEqual(requestLog.find('a')?.headers, { host: 'a' })
  requestLog.open('d', 'd', {}).received(Buffer.from('longer than all of it'))
  assert.deepEqual(
    requestLog.all().map(({ body }) => body?.toString()),
    ['bbbb', 'cccc', undefined],
  )
  assert.equal(requestLog.find('d')?.bodyBytes, 21)
})

test('a waiter is notified once, also about a request that has not arrived yet', async () => {
  const requestLog = logOf(false)
  const waiting = requestLog.until('a', ({ outputTokens }) => outputTokens >= 2)
  const recorder = requestLog.open('a', 'a', {})
  recorder.made(1, 0)
  recorder.made(1, 0)
  recorder.made(1, 0)
  assert.equal((await waiting).outputTokens, 2)
  assert.equal((await requestLog.until('a', ({ outputTokens }) => outputTokens >= 2)).outputTokens, 3)
})

test('waiting is bounded', async () => {
  const requestLog = logOf(false)
  const waits = [requestLog.until('a', () => true), requestLog.until('b', () => true)]
  assert.throws(() => requestLog.until('c', () => true), /too many/)
  requestLog.close()
  for (const wait of waits) await assert.rejects(wait, /closed/)
})
