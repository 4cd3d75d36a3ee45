/** Statistics of offers: what a period contains, what is dropped, and how many are held. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOfferStatistics } from './offer-statistics.ts'

const minuteMs = 60_000

function opened(offerStatisticsMax = 10) {
  const clock = { nowMs: 0, monoMs: () => clock.nowMs, wallMs: () => clock.nowMs }
  return { clock, statistics: openOfferStatistics({ clock, limits: { offerStatisticsMax } }) }
}

test('attempts, failures, cost and time to first byte are summed over the last hour and day', () => {
  const { clock, statistics } = opened()
  for (const firstByteMs of [100, 100, 100, 900]) {
    statistics.attempted('one', 'model', false)
    statistics.settled('one', 'model', { firstByteMs, cost: 7n })
  }
  statistics.attempted('one', 'model', true)
  const { firstByteP50Ms, firstByteP95Ms, ...sums } = statistics.sums('one', 'model', 'hour')
  assert.deepEqual(sums, { requests: 5, failures: 1, cost: 28n })
  assert.ok(firstByteP50Ms !== null && Math.abs(firstByteP50Ms - 100) <= 10, String(firstByteP50Ms))
  assert.ok(firstByteP95Ms !== null && Math.abs(firstByteP95Ms - 900) <= 90, String(firstByteP95Ms))
  clock.nowMs += 61 * minuteMs
  const none = { requests: 0, failures: 0, cost: 0n, firstByteP50Ms: null, firstByteP95Ms: null }
  assert.deepEqual(statistics.sums('one', 'model', 'hour'), none)
  assert.equal(statistics.sums('one', 'model', 'day').requests, 5)
  clock.nowMs += 24 * 60 * minuteMs
  assert.deepEqual(statistics.sums('one', 'model', 'day'), none)
  statistics.attempted('one', 'model', false)
  assert.equal(statistics.sums('one', 'model', 'day').requests, 1, 'a slot of a day ago is not added to')
})

test('a response that was not streamed has a cost and no time to first byte', () => {
  const { statistics } = opened()
  statistics.settled('one', 'model', { firstByteMs: null, cost: 5n })
  const sums = statistics.sums('one', 'model', 'hour')
  assert.deepEqual([sums.cost, sums.firstByteP50Ms], [5n, null])
})

test('the offer whose last request is oldest is dropped from a full table, and an upstream is forgotten whole', () => {
  const { clock, statistics } = opened(2)
  for (const model of ['a', 'b', 'a', 'c']) {
    clock.nowMs += 1
    statistics.attempted('one', model, false)
  }
  const requests = (model: string) => statistics.sums('one', model, 'hour').requests
  assert.deepEqual(['a', 'b', 'c'].map(requests), [2, 0, 1])
  statistics.forget('one')
  assert.deepEqual(['a', 'c'].map(requests), [0, 0])
  for (const model of ['d', 'e']) statistics.attempted('two', model, false)
  assert.equal(statistics.sums('two', 'd', 'hour').requests, 1, 'what was forgotten takes no place')
})
