/** When requests are turned away before the process gives out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../test/support/manual-clock.ts'
import { processReadings, watchPressure } from './pressure.ts'

const limits = { eventLoopDelayMsMax: 1_000, heapShareMax: 0.9 }

test('overload is what the last look saw', () => {
  const clock = manualClock()
  const looks = [
    { readings: { eventLoopDelayMs: 3, heapShare: 0.2 }, expect: false },
    { readings: { eventLoopDelayMs: 1_000, heapShare: 0.9 }, expect: false },
    { readings: { eventLoopDelayMs: 1_001, heapShare: 0.2 }, expect: true },
    { readings: { eventLoopDelayMs: 3, heapShare: 0.91 }, expect: true },
    { readings: { eventLoopDelayMs: 3, heapShare: 0.2 }, expect: false },
  ]
  let look = 0
  const pressure = watchPressure({ limits, clock, read: () => looks[look]!.readings })
  for (const { expect } of looks) {
    assert.equal(pressure.overloaded(), expect, `look ${look}`)
    look = Math.min(look + 1, looks.length - 1)
    clock.advance(500)
  }
  pressure.stop()
  assert.equal(clock.pending(), 0)
})

test('a busy loop shows in the readings of the process', async () => {
  const read = processReadings()
  // Delays are counted between two ticks: the first one only begins to count.
  for (let block = 0; block < 2; block += 1) {
    // Blocks the event loop on purpose.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
  }
  const { eventLoopDelayMs } = read()
  assert.ok(eventLoopDelayMs >= 50, `${eventLoopDelayMs} ms`)
  const { heapShare } = read()
  assert.ok(heapShare > 0 && heapShare < 1)
})
