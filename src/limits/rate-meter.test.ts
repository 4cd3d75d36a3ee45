/** A meter in memory: rejects at its limit, reports the wait, separates clients and bounds their number. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateMeter } from './rate-meter.ts'

const minuteMs = 60_000
const startMs = 1_000_000 * minuteMs

test('one client gets its limit within a minute, and again after the reported wait', () => {
  const meter = new RateMeter({ perMinute: 3, takersMax: 10 })
  const remaining = [1, 2, 3].map(() => meter.take(7n, startMs).state.remaining)
  assert.deepEqual(remaining, [2, 1, 0])
  const rejected = meter.take(7n, startMs + 10_000)
  assert.equal(rejected.kind, 'rejected')
  if (rejected.kind !== 'rejected') return
  assert.equal(meter.take(7n, startMs + 10_000 + rejected.retryAfterMs - 1).kind, 'rejected')
  assert.equal(meter.take(7n, startMs + 10_000 + rejected.retryAfterMs).kind, 'taken')
})

test('takers do not take from each other', () => {
  const meter = new RateMeter({ perMinute: 1, takersMax: 10 })
  assert.equal(meter.take(1n, startMs).kind, 'taken')
  assert.equal(meter.take(1n, startMs).kind, 'rejected')
  assert.equal(meter.take(2n, startMs).kind, 'taken')
})

test('of too many takers the one that took longest ago is forgotten', () => {
  const meter = new RateMeter({ perMinute: 1, takersMax: 2 })
  for (const taker of [1n, 2n, 3n]) assert.equal(meter.take(taker, startMs).kind, 'taken')
  assert.equal(meter.take(2n, startMs).kind, 'rejected')
  assert.equal(meter.take(3n, startMs).kind, 'rejected')
  assert.equal(meter.take(1n, startMs).kind, 'taken')
})
