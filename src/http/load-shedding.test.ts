/** When requests are rejected before the process is exhausted, and which. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../test/support/manual-clock.ts'
import { limitDefaults } from '../config/config.ts'
import {
  type LoadLevel,
  type LoadReadings,
  type LoadShare,
  monitorLoad,
  processReadings,
  shouldShed,
} from './load-shedding.ts'

const calm: LoadReadings = { eventLoopDelayMs: 3, eventLoopShare: 0.2, heapShare: 0.2, commitMs: 0 }

const looks: readonly (readonly [what: string, readings: Partial<LoadReadings>, expected: LoadLevel])[] = [
  ['a calm process', {}, 'none'],
  ['timers that are late while the loop is idle', { eventLoopDelayMs: 60_000, eventLoopShare: 0.5 }, 'none'],
  ['a busy loop that is not late', { eventLoopShare: 1 }, 'none'],
  ['a busy loop that is late', { eventLoopDelayMs: 1_001, eventLoopShare: 0.96 }, 'saturated'],
  ['a commit that does not end', { commitMs: 10_001 }, 'saturated'],
  ['a full heap', { heapShare: 0.91 }, 'full'],
  [
    'each at its bound',
    { eventLoopDelayMs: 1_000, eventLoopShare: 1, heapShare: 0.9, commitMs: 10_000 },
    'none',
  ],
]

test('the level is what the last look saw', () => {
  const clock = manualClock()
  let look = 0
  const pressure = monitorLoad({
    limits: limitDefaults,
    clock,
    read: () => ({ ...calm, ...looks[look]![1] }),
  })
  pressure.begin()
  clock.advance(500)
  for (const [what, , expected] of looks) {
    assert.equal(pressure.level(), expected, what)
    look = Math.min(look + 1, looks.length - 1)
    clock.advance(500)
  }
  pressure.stop()
  assert.equal(clock.pending(), 0)
})

test('neither the work of a start counts nor the first look after it, a full heap always does', () => {
  const clock = manualClock()
  const busy: LoadReadings = { ...calm, eventLoopDelayMs: 5_000, eventLoopShare: 1 }
  let now = busy
  let looks = 0
  const pressure = monitorLoad({
    limits: limitDefaults,
    clock,
    read: () => {
      looks += 1
      return now
    },
  })
  clock.advance(2_000)
  assert.equal(pressure.level(), 'none', 'while the server starts')
  now = { ...busy, heapShare: 0.95 }
  clock.advance(500)
  assert.equal(pressure.level(), 'full', 'memory that runs out while the server starts')
  now = busy
  const before = looks
  pressure.begin()
  assert.equal(looks, before + 1, 'a new span begins with the first request')
  assert.equal(pressure.level(), 'none', 'as the server gets ready')
  clock.advance(500)
  assert.equal(pressure.level(), 'none', 'while the first requests load what they need')
  clock.advance(500)
  assert.equal(pressure.level(), 'saturated', 'later')
  pressure.stop()
  assert.equal(clock.pending(), 0)
})

const alone: LoadShare = { requests: 0, own: 0, accounts: 0 }
const attacker: LoadShare = { requests: 101, own: 100, accounts: 2 }
const neighbor: LoadShare = { requests: 101, own: 1, accounts: 2 }
const newcomer: LoadShare = { requests: 101, own: 0, accounts: 2 }

const rejected: readonly (readonly [
  what: string,
  level: LoadLevel,
  inFlight: LoadShare,
  expected: boolean,
])[] = [
  ['anything while there is room', 'none', attacker, false],
  ['a request that comes alone', 'saturated', alone, false],
  ['a request that comes alone to a full heap', 'full', alone, false],
  ['the account that causes it', 'saturated', attacker, true],
  ['its neighbor', 'saturated', neighbor, false],
  ['an account that has nothing in flight', 'saturated', newcomer, false],
  ['the neighbor where memory runs out', 'full', neighbor, true],
  ['the only account', 'saturated', { requests: 5, own: 5, accounts: 1 }, true],
]

for (const [what, level, inFlight, expected] of rejected) {
  test(`${expected ? 'rejected' : 'served'}: ${what}`, () =>
    assert.equal(shouldShed(level, inFlight), expected))
}

test('a loop with work shows in the readings of the process, one that only waits does not', async () => {
  const read = processReadings(() => 7)
  const busyUntil = process.cpuUsage().user + 200_000
  for (let turn = 0; turn < 10; turn += 1) {
    await new Promise(setImmediate)
    while (turn < 2 && process.cpuUsage().user < busyUntil - (1 - turn) * 100_000);
  }
  const { eventLoopShare, heapShare, commitMs } = read()
  assert.ok(eventLoopShare > 0.5, `${eventLoopShare}`)
  assert.ok(heapShare > 0 && heapShare < 1)
  assert.equal(commitMs, 7)
})
