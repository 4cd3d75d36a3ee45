/** Many requests that wait for an upstream: only as many wake as it has room for, and none is forgotten. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../../test/support/manual-clock.ts'
import type { Clock } from '../../base/clock.ts'
import { Interruptible } from '../../base/interruption.ts'
import type { UpstreamLimits } from '../../catalog/types.ts'
import type { Candidate, CapacityLease } from '../request.ts'
import { choosingByRoom, UpstreamCapacity } from './upstream-capacity.ts'
import { countsMemory } from './upstream-counts.ts'

const minuteMs = 60_000

function prepare(given: Partial<UpstreamLimits>) {
  const limits: UpstreamLimits = {
    concurrent: null,
    requestsPerMinute: null,
    tokensPerMinute: null,
    ...given,
  }
  const clock = manualClock()
  let timersMade = 0
  const counting: Clock = {
    ...clock,
    after(ms, run) {
      timersMade += 1
      return clock.after(ms, run)
    },
  }
  const capacity = new UpstreamCapacity(counting, countsMemory(10))
  const deps = {
    ...{ capacity, clock: counting, health: { snapshot: () => new Map() } },
    limits: { upstreamWaitMs: 10 * minuteMs, upstreamWaitersMax: 1_000 },
  }
  const upstream = { name: 'small', limits }
  const candidate = { upstream, target: { model: { name: 'm' } } } as unknown as Candidate
  const places: CapacityLease[] = []
  let served = 0
  return {
    clock,
    capacity,
    places,
    served: () => served,
    timersMade: () => timersMade,
    async ask(tokens = 0): Promise<void> {
      const lifecycle = {
        leftMs: () => 10 * minuteMs,
        vacate: () => undefined,
        occupy: (place: CapacityLease) => void places.push(place),
      }
      const choose = choosingByRoom(deps, { work: new Interruptible() }, { lifecycle, tokens })
      if ((await choose(candidate, [])).skipped === null) served += 1
    },
  }
}

/** Lets everything run that is due. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

test('when a minute has room again, only as many requests wake as there is room for', async () => {
  const at = prepare({ requestsPerMinute: 2 })
  const asked: Promise<void>[] = [at.ask()]
  at.clock.advance(1_000)
  for (let count = 0; count < 200; count += 1) asked.push(at.ask())
  await settled()
  assert.equal(at.served(), 2)
  for (const [advanceMs, served] of [
    [minuteMs - 1_000, 3],
    [1_000, 4],
  ] as const) {
    const before = at.timersMade()
    at.clock.advance(advanceMs)
    await settled()
    assert.equal(at.served(), served)
    assert.ok(at.timersMade() - before < 10, `${at.timersMade() - before} timers`)
  }
  while (at.served() < asked.length && at.clock.pending() > 0) {
    at.clock.advance(minuteMs)
    await settled()
  }
  await Promise.all(asked)
  assert.equal(at.clock.pending(), 0)
})

test('each place that is free goes to one request that waits, also with a limit per minute', async () => {
  const at = prepare({ concurrent: 3, requestsPerMinute: 5 })
  const asked = Array.from({ length: 12 }, () => at.ask())
  await settled()
  assert.deepEqual([at.served(), at.capacity.waitingAt('small')], [3, 9])
  for (const place of at.places.splice(0)) place.release()
  await settled()
  assert.equal(at.served(), 5)
  while (at.served() < 12) {
    for (const place of at.places.splice(0)) place.release()
    at.clock.advance(minuteMs)
    await settled()
  }
  await Promise.all(asked)
  assert.deepEqual([at.capacity.waitingAt('small'), at.clock.pending()], [0, 0])
})

test('tokens per minute are filled by what requests use, not by what they could have used', async () => {
  const at = prepare({ tokensPerMinute: 1_000 })
  const asked = Array.from({ length: 10 }, () => at.ask(400))
  await settled()
  assert.equal(at.served(), 2)
  for (const served of [4, 5, 6, 7]) {
    for (const place of at.places.splice(0)) {
      place.used({ input: 80, output: 20 })
      place.used({ input: 0, output: 0 })
      place.release()
    }
    await settled()
    assert.equal(at.served(), served)
  }
  assert.deepEqual([at.places.length, at.capacity.waitingAt('small')], [1, 3], 'the minute is full')
  for (const served of [9, 10]) {
    at.clock.advance(minuteMs)
    await settled()
    assert.equal(at.served(), served)
  }
  await Promise.all(asked)
  assert.deepEqual([at.served(), at.capacity.waitingAt('small'), at.clock.pending()], [10, 0, 0])
})

test('a small request does not wait behind a large one, and one above the limit has a minute for itself', async () => {
  const at = prepare({ tokensPerMinute: 1_000 })
  const first = at.ask(600)
  at.clock.advance(30_000)
  const large = at.ask(5_000)
  const small = at.ask(300)
  await Promise.all([first, small])
  assert.deepEqual([at.served(), at.capacity.waitingAt('small')], [2, 1])
  at.clock.advance(30_000)
  await settled()
  assert.equal(at.served(), 2, 'the small one is still in the minute')
  const middle = at.ask(700)
  at.clock.advance(30_000)
  await settled()
  assert.equal(at.served(), 3)
  await middle
  at.clock.advance(minuteMs)
  await large
  assert.equal(at.served(), 4)
  const after = at.ask(1)
  await settled()
  assert.equal(at.served(), 4)
  at.places.at(-1)!.used({ input: 900, output: 50 })
  await after
  assert.equal(at.clock.pending(), 0)
})

test('what another thread leaves while this one looks for room elsewhere still wakes a request', async () => {
  const clock = manualClock()
  const memory = countsMemory(3)
  const other = new UpstreamCapacity(clock, memory)
  const limits = { concurrent: 1, requestsPerMinute: null, tokensPerMinute: null }
  const [first, second, third] = ['first', 'second', 'third'].map((name) => ({ name, limits }))
  assert.ok(first !== undefined && second !== undefined && third !== undefined)
  const [place, , elsewhere] = [first, second, third].map((upstream) => other.take(upstream, 0))
  assert.ok(place?.kind === 'taken' && elsewhere?.kind === 'taken')
  /** The other thread works each time that this one reads the clock, which it does at each upstream. */
  let meanwhile = (): void => {}
  const wallMs = (): number => {
    meanwhile()
    return clock.wallMs()
  }
  const one = new UpstreamCapacity({ ...clock, wallMs }, memory)
  const woken = one.whenRoom([first], { ms: minuteMs, tokens: 0 }, new Interruptible())
  void one.whenRoom([second], { ms: minuteMs, tokens: 0 }, new Interruptible())
  let looks = 0
  meanwhile = () => {
    looks += 1
    if (looks === 2) place.release()
  }
  elsewhere.release()
  let wokenBy: string | null = null
  void woken.then((name) => {
    wokenBy = name
  })
  for (let turn = 0; turn < 1_000 && wokenBy === null; turn += 1) await settled()
  assert.ok(looks >= 2, 'it looked at both after the announcement')
  assert.equal(wokenBy, 'first')
  clock.advance(minuteMs)
})

test('threads that share the memory share its limits, and one that waits gets what another leaves', async () => {
  const clock = manualClock()
  const memory = countsMemory(2)
  const [one, other] = [new UpstreamCapacity(clock, memory), new UpstreamCapacity(clock, memory)]
  const upstream = (name: string, given: Partial<UpstreamLimits>) => ({
    name,
    limits: { concurrent: null, requestsPerMinute: null, tokensPerMinute: null, ...given },
  })
  const narrow = upstream('narrow', { concurrent: 1 })
  const place = one.take(narrow, 0)
  assert.ok(place.kind === 'taken')
  assert.ok(other.isFull(narrow))
  const woken = other.whenRoom([narrow], { ms: minuteMs, tokens: 0 }, new Interruptible())
  place.release()
  assert.equal(await woken, 'narrow')
  assert.equal(other.take(narrow, 0).kind, 'taken')
  assert.ok(one.isFull(narrow))

  const metered = upstream('metered', { tokensPerMinute: 100 })
  const reserved = one.take(metered, 90)
  assert.ok(reserved.kind === 'taken')
  assert.equal(other.take(metered, 20).kind, 'full')
  reserved.used({ input: 30, output: 10 })
  const second = other.take(metered, 60)
  assert.ok(second.kind === 'taken')
  assert.ok(one.isFull(metered))
  clock.advance(minuteMs)
  assert.equal(one.isFull(metered), false)

  reserved.release()
  second.release()
  assert.equal(
    one.take(upstream('third', { concurrent: 1 }), 0).kind,
    'taken',
    'in the place of one that runs least',
  )
  assert.ok(other.isFull(upstream('third', { concurrent: 1 })))
  assert.ok(other.isFull(narrow))
})
