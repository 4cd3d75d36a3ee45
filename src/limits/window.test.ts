/** The sliding rate window: what fits, when it fits again, and what a jumping clock can do to it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  correctTokens,
  emptyWindow,
  fits,
  leftOfMinuteMs,
  type RateWindow,
  rateState,
  requestsTaken,
  rollWindow,
  takeFrom,
  tokensTaken,
  waitMs,
} from './window.ts'

const minute0 = Date.UTC(2026, 0, 1)

/** Takes a request at each moment at which it fits below the limit; the moments at which it did. */
function admitted(moments: readonly number[], limit: number): number[] {
  let window = emptyWindow
  return moments.filter((ms) => {
    window = rollWindow(window, ms)
    if (!fits(requestsTaken(window), 1, limit, leftOfMinuteMs(window, ms))) return false
    window = takeFrom(window, 0)
    return true
  })
}

test('no 60 seconds see more than twice the limit, no minute of the clock more than the limit', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 4_000 }), { maxLength: 400 })
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 20 }), (list, limit) => {
      let nowMs = minute0
      const passed = admitted(
        list.map((gap) => {
          nowMs += gap
          return nowMs
        }),
        limit,
      )
      for (const startMs of passed) {
        const inSixtySeconds = passed.filter((ms) => ms >= startMs && ms < startMs + 60_000).length
        assert.ok(inSixtySeconds <= limit * 2, `${inSixtySeconds} of ${limit}`)
        const ofMinute = passed.filter((ms) => Math.floor(ms / 60_000) === Math.floor(startMs / 60_000))
        assert.ok(ofMinute.length <= limit)
      }
    }),
  )
})

test('what was refused fits when the wait that was told is over, and not a millisecond before', () => {
  const counts = fc.integer({ min: 0, max: 100_000 })
  fc.assert(
    fc.property(
      counts,
      counts,
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 1, max: 60_000 }),
      (now, before, limit, leftMs) => {
        const taken = { now, before }
        const wait = waitMs(taken, 1, limit, leftMs)
        const fitsAfter = (ms: number): boolean => {
          const ahead = Math.floor((60_000 - leftMs + ms) / 60_000)
          const left = 60_000 - ((60_000 - leftMs + ms) % 60_000)
          const rolled = ahead === 0 ? taken : ahead === 1 ? { now: 0, before: now } : { now: 0, before: 0 }
          return fits(rolled, 1, limit, left)
        }
        assert.equal(fits(taken, 1, limit, leftMs), wait === 0)
        assert.ok(fitsAfter(wait), `after ${wait}`)
        if (wait > 0) assert.ok(!fitsAfter(wait - 1), `before ${wait}`)
      },
    ),
  )
})

test('what can never fit waits for an empty window, and never for nothing', () => {
  assert.equal(waitMs({ now: 5, before: 0 }, 11, 10, 30_000), 90_000)
  assert.equal(waitMs({ now: 0, before: 5 }, 11, 10, 30_000), 60_000)
  assert.equal(waitMs({ now: 0, before: 0 }, 11, 10, 30_000), 60_000)
})

test('headers tell what is left and when the window is whole', () => {
  assert.deepEqual(rateState({ now: 3, before: 4 }, 10, 30_000), { limit: 10, remaining: 5, resetMs: 90_000 })
  assert.deepEqual(rateState({ now: 0, before: 4 }, 10, 30_000), { limit: 10, remaining: 8, resetMs: 30_000 })
  assert.deepEqual(rateState({ now: 0, before: 0 }, 10, 30_000), { limit: 10, remaining: 10, resetMs: 0 })
  assert.deepEqual(rateState({ now: 30, before: 0 }, 10, 1), { limit: 10, remaining: 0, resetMs: 60_001 })
})

test('a clock that jumps neither frees nor doubles what was taken', () => {
  const full: RateWindow = { ...emptyWindow, minute: minute0 / 60_000, requests: 10, requestsBefore: 4 }
  const cases: readonly [text: string, nowMs: number, requests: number, before: number, minute: number][] = [
    ['the same minute', minute0 + 59_999, 10, 4, full.minute],
    ['the next minute', minute0 + 60_000, 0, 10, full.minute + 1],
    ['an hour ahead', minute0 + 3_600_000, 0, 0, full.minute + 60],
    ['a second back', minute0 - 1_000, 10, 4, full.minute],
    ['an hour back', minute0 - 3_600_000, 10, 4, full.minute - 60],
  ]
  for (const [text, nowMs, requests, before, minute] of cases) {
    const { requests: now, requestsBefore, minute: at } = rollWindow(full, nowMs)
    assert.deepEqual([now, requestsBefore, at], [requests, before, minute], text)
  }
  assert.equal(leftOfMinuteMs(full, minute0 - 1_000), 60_000)
})

test('what was reserved gives way to what was used, where it still counts', () => {
  const minute = 1_000
  const window: RateWindow = { ...emptyWindow, minute, tokens: 500, tokensBefore: 300 }
  const used = { reserved: 200, input: 120, output: 40 }
  const cases: readonly [minute: number, now: number, before: number][] = [
    [1_000, 460, 300],
    [999, 540, 220],
    [998, 540, 300],
  ]
  for (const [reservedIn, now, before] of cases) {
    const corrected = correctTokens(window, { minute: reservedIn, ...used })
    assert.deepEqual(tokensTaken(corrected), { now, before }, String(reservedIn))
  }
  const none = correctTokens({ ...window, tokens: 10 }, { minute, reserved: 200, input: 0, output: 0 })
  assert.equal(none.tokens, 0)
})
