/** The meter's memory: what it keeps, how much, and what it tells who waits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../test/support/manual-clock.ts'
import { type Meter, openMeter } from './meter.ts'

const limits = { requestsMax: 3, keptBodyBytesMax: 10, waitersMax: 2 }
const input = { uncached: 5, cacheRead: 3, cacheWrite5m: 2, cacheWrite1h: 1 }

function meterOf(keepBodies: boolean): Meter {
  return openMeter({ clock: manualClock(), keepBodies, limits })
}

test('the story of a request', () => {
  const clock = manualClock()
  const meter = openMeter({ clock, keepBodies: false, limits })
  const recorder = meter.open('a', 'POST /x', {})
  assert.deepEqual(meter.find('a'), {
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
  const metered = meter.find('a')
  assert.deepEqual(
    [
      metered?.inputTokens,
      metered?.cacheReadTokens,
      metered?.cacheWrite5mTokens,
      metered?.cacheWrite1hTokens,
    ],
    [11, 3, 2, 1],
  )
  assert.deepEqual([metered?.outputTokens, metered?.reasoningTokens, metered?.bodyBytes], [6, 1, 4])
  assert.deepEqual(
    [metered?.outcome, metered?.finished, metered?.closedByClientAtMs],
    ['client_gone', false, 50],
  )
  assert.deepEqual([metered?.body, metered?.headers], [undefined, undefined])
})

test('only the newest requests are remembered, the latest of an id is found', () => {
  const meter = meterOf(false)
  for (const id of ['a', 'b', 'a', 'c', 'd']) meter.open(id, id, {}).understood(`model of ${id}`)
  assert.deepEqual(
    meter.all().map(({ requestId }) => requestId),
    ['a', 'c', 'd'],
  )
  assert.equal(meter.count(), 5)
  assert.equal(meter.find('b'), undefined)
  assert.equal(meter.find('a')?.model, 'model of a')
  meter.open('e', 'e', {})
  assert.equal(meter.find('a'), undefined)
})

test('bodies are kept within their budget, the newest ones', () => {
  const meter = meterOf(true)
  const bodies = { a: 'aaaa', b: 'bbbb', c: 'cccc' }
  for (const [id, body] of Object.entries(bodies))
    meter.open(id, id, { host: id }).received(Buffer.from(body))
  assert.deepEqual(
    meter.all().map(({ body }) => body?.toString()),
    [undefined, 'bbbb', 'cccc'],
  )
  assert.deepEqual(meter.find('a')?.headers, { host: 'a' })
  meter.open('d', 'd', {}).received(Buffer.from('longer than all of it'))
  assert.deepEqual(
    meter.all().map(({ body }) => body?.toString()),
    ['bbbb', 'cccc', undefined],
  )
  assert.equal(meter.find('d')?.bodyBytes, 21)
})

test('who waits is told once, also of a request that is yet to come', async () => {
  const meter = meterOf(false)
  const waiting = meter.until('a', ({ outputTokens }) => outputTokens >= 2)
  const recorder = meter.open('a', 'a', {})
  recorder.made(1, 0)
  recorder.made(1, 0)
  recorder.made(1, 0)
  assert.equal((await waiting).outputTokens, 2)
  assert.equal((await meter.until('a', ({ outputTokens }) => outputTokens >= 2)).outputTokens, 3)
})

test('waiting is bounded', async () => {
  const meter = meterOf(false)
  const waits = [meter.until('a', () => true), meter.until('b', () => true)]
  assert.throws(() => meter.until('c', () => true), /too many/)
  meter.close()
  for (const wait of waits) await assert.rejects(wait, /closed/)
})
