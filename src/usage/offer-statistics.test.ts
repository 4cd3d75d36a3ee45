/** Statistics of offers: contents of a period, removal, restarts, and the limit on counts that wait to be written. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../test/support/manual-clock.ts'
import { type Lifetime, openTestLedger } from '../../test/support/open-ledger.ts'
import { openOfferStatistics, type StatisticsPeriod } from './offer-statistics.ts'

const minuteMs = 60_000
const limits = { offerStatisticsMax: 10, offerStatisticsFlushMs: 10_000 }

async function opened(context: Lifetime, more: Partial<typeof limits> = {}) {
  const clock = manualClock()
  const { store } = await openTestLedger(context, { clock })
  const troubles: unknown[] = []
  const open = () => {
    const onTrouble = (error: unknown) => void troubles.push(error)
    return {
      statistics: openOfferStatistics({ store, clock, limits: { ...limits, ...more }, onTrouble }),
    }
  }
  return { clock, store, troubles, open, ...open() }
}

const none = { requests: 0, failures: 0, cost: 0n, firstByteP50Ms: null, firstByteP95Ms: null }

test('attempts, failures, cost and time to first byte are summed over the last hour and day', async (context) => {
  const { clock, statistics } = await opened(context)
  const sums = async (period: StatisticsPeriod) => (await statistics.sums(period, 'one')).of('one', 'model')
  for (const firstByteMs of [100, 100, 100, 900]) {
    statistics.attempted('one', 'model', false)
    statistics.settled('one', 'model', { firstByteMs, cost: 7n })
  }
  statistics.attempted('one', 'model', true)
  const { firstByteP50Ms, firstByteP95Ms, ...counts } = await sums('hour')
  assert.deepEqual(counts, { requests: 5, failures: 1, cost: 28n })
  assert.ok(firstByteP50Ms !== null && Math.abs(firstByteP50Ms - 100) <= 10, String(firstByteP50Ms))
  assert.ok(firstByteP95Ms !== null && Math.abs(firstByteP95Ms - 900) <= 90, String(firstByteP95Ms))
  clock.advance(65 * minuteMs)
  assert.deepEqual(await sums('hour'), none)
  assert.equal((await sums('day')).requests, 5)
  clock.advance(24 * 60 * minuteMs)
  assert.deepEqual(await sums('day'), none)
  statistics.attempted('one', 'model', false)
  assert.equal((await sums('day')).requests, 1, 'a slot of a day ago is not added to')
})

test('a response that was not streamed has a cost and no time to first byte', async (context) => {
  const { statistics } = await opened(context)
  statistics.settled('one', 'model', { firstByteMs: null, cost: 5n })
  const sums = (await statistics.sums('hour', null)).of('one', 'model')
  assert.deepEqual([sums.cost, sums.firstByteP50Ms], [5n, null])
})

test('a new process and another one read what was written, and all of them add to the same sums', async (context) => {
  const { clock, statistics, open } = await opened(context)
  statistics.attempted('one', 'model', false)
  clock.advance(limits.offerStatisticsFlushMs)
  await statistics.close()
  const { statistics: other } = open()
  other.attempted('one', 'model', true)
  other.attempted('two', 'model', false)
  const { requests, failures } = (await other.sums('hour', 'one')).of('one', 'model')
  assert.deepEqual([requests, failures], [2, 1])
  assert.equal((await statistics.sums('hour', null)).of('two', 'model').requests, 1)
  assert.deepEqual(
    (await statistics.sums('hour', 'one')).of('two', 'model'),
    none,
    'one upstream was asked for',
  )
})

test('rows that no period contains are removed with the next ones', async (context) => {
  const { clock, store, statistics } = await opened(context)
  const rows = async () =>
    (
      await store.database
        .selectFrom('offer_count' as never)
        .selectAll()
        .execute()
    ).length
  statistics.settled('one', 'old', { firstByteMs: 5, cost: 1n })
  await statistics.close()
  assert.equal(await rows(), 2, 'one of the hour and one of the day')
  clock.advance(25 * 60 * minuteMs)
  statistics.attempted('one', 'model', false)
  await statistics.close()
  assert.equal(await rows(), 2)
})

test('since is the first slot with a request', async (context) => {
  const { clock, statistics } = await opened(context)
  assert.equal((await statistics.sums('day', null)).sinceMs, clock.wallMs())
  const atMs = clock.wallMs()
  statistics.attempted('one', 'model', false)
  await statistics.close()
  clock.advance(3 * 60 * minuteMs)
  const { sinceMs } = await statistics.sums('day', null)
  assert.ok(sinceMs <= atMs && sinceMs > atMs - 60 * minuteMs, String(atMs - sinceMs))
})

test('an upstream is forgotten whole, what waits to be written included', async (context) => {
  const { statistics } = await opened(context)
  statistics.attempted('one', 'model', false)
  await statistics.close()
  statistics.attempted('one', 'model', false)
  statistics.attempted('two', 'model', false)
  await statistics.forget('one')
  const sums = await statistics.sums('day', null)
  assert.deepEqual([sums.of('one', 'model'), sums.of('two', 'model').requests], [none, 1])
})

test('no more offers wait than may, and a database that fails costs statistics and nothing else', async (context) => {
  const { store, statistics, troubles } = await opened(context, { offerStatisticsMax: 2 })
  for (const model of ['a', 'b', 'c', 'd', 'e']) statistics.attempted('one', model, false)
  const sums = await statistics.sums('hour', null)
  // The first two are being written, two more wait, and the last one does not fit.
  assert.deepEqual(
    ['a', 'b', 'c', 'd', 'e'].map((model) => sums.of('one', model).requests),
    [1, 1, 1, 1, 0],
  )
  await store.close()
  statistics.attempted('one', 'a', false)
  await statistics.close()
  assert.equal(troubles.length, 1)
})
