/** The sliding log of rates: exact for small limits, bounded for large ones, and robust against clock steps. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  correctTokens,
  emptyWindow,
  fits,
  type RateKind,
  type RateWindow,
  rateState,
  rollWindow,
  takeFrom,
  taken,
  waitMs,
} from './window.ts'

const startMs = Date.UTC(2026, 0, 1)
/** Printed with every failure, and by each run. */
const seed = fc.sample(fc.integer(), 1)[0]!
const runs = { seed, numRuns: 300 }

const amounts = (window: RateWindow) => [taken(window, 'requests'), taken(window, 'tokens')]

interface Step {
  readonly afterMs: number
  readonly tokens: number
}

const steps = (afterMsMax: number, length: number) =>
  fc.array(
    fc.record({ afterMs: fc.integer({ min: 0, max: afterMsMax }), tokens: fc.integer({ min: 0, max: 50 }) }),
    { maxLength: length, size: 'max' },
  )

/** Takes what fits below both limits, and asserts at every rejection that the wait is the true one. */
function admitted(list: readonly Step[], limits: Readonly<Record<RateKind, number>>): [number, number][] {
  let window = emptyWindow
  let nowMs = startMs
  const passed: [number, number][] = []
  for (const { afterMs, tokens } of list) {
    nowMs += afterMs
    window = rollWindow(window, nowMs)
    const asked = { requests: 1, tokens }
    const rejectedFor = (['requests', 'tokens'] as const).find(
      (kind) => !fits(window, kind, asked[kind], limits[kind]),
    )
    if (rejectedFor !== undefined) {
      const question = { amount: asked[rejectedFor], limit: limits[rejectedFor], nowMs }
      if (question.amount <= question.limit) assertWait(window, rejectedFor, question)
      continue
    }
    window = takeFrom(window, tokens, nowMs)
    passed.push([nowMs, tokens])
  }
  return passed
}

function assertWait(
  window: RateWindow,
  kind: RateKind,
  question: { amount: number; limit: number; nowMs: number },
): void {
  const { amount, limit, nowMs } = question
  const wait = waitMs(window, kind, question)
  assert.ok(wait > 0 && wait <= 60_000, `${wait} ms`)
  assert.ok(fits(rollWindow(window, nowMs + wait), kind, amount, limit), `after ${wait} ms`)
  assert.ok(!fits(rollWindow(window, nowMs + wait - 1), kind, amount, limit), `before ${wait} ms`)
}

test(`a few requests a minute are those of a list of every one (seed ${seed})`, () => {
  const limits = fc.record({
    requests: fc.integer({ min: 1, max: 60 }),
    tokens: fc.integer({ min: 1, max: 1_500 }),
  })
  fc.assert(
    fc.property(steps(4_000, 300), limits, (list, limit) => {
      let nowMs = startMs
      const due: [number, number][] = []
      for (const { afterMs, tokens } of list) {
        nowMs += afterMs
        const recent = due.filter(([ms]) => ms > nowMs - 60_000)
        const isFree = recent.length < limit.requests
        const used = recent.reduce((sum, [, of]) => sum + of, 0)
        if (isFree && used + tokens <= limit.tokens) due.push([nowMs, tokens])
      }
      assert.deepEqual(admitted(list, limit), due)
    }),
    runs,
  )
})

test(`many requests a minute never exceed the limit, wait a second too long at most, and take little room (seed ${seed})`, () => {
  fc.assert(
    fc.property(steps(20, 1_500), fc.integer({ min: 100, max: 900 }), (list, limit) => {
      let window = emptyWindow
      let nowMs = startMs
      const passed: number[] = []
      for (const { afterMs } of [...list, ...list, ...list]) {
        nowMs += afterMs * 5
        window = rollWindow(window, nowMs)
        const recent = passed.filter((ms) => ms > nowMs - 60_000).length
        if (fits(window, 'requests', 1, limit)) {
          assert.ok(recent < limit, `${recent + 1} of ${limit} within a minute`)
          window = takeFrom(window, 0, nowMs)
          passed.push(nowMs)
        } else {
          const older = passed.filter((ms) => ms > nowMs - 61_000).length
          assert.ok(older >= limit, `rejected at ${older} of ${limit}`)
          assertWait61(window, { amount: 1, limit, nowMs })
        }
        assert.ok(window.byteLength <= 1_600, `${window.byteLength} bytes`)
      }
    }),
    { seed, numRuns: 30 },
  )
})

function assertWait61(window: RateWindow, question: { amount: number; limit: number; nowMs: number }): void {
  const wait = waitMs(window, 'requests', question)
  assert.ok(wait > 0 && wait <= 60_000, `${wait} ms`)
  assert.ok(fits(rollWindow(window, question.nowMs + wait), 'requests', 1, question.limit))
}

test('N per minute: N immediately, and the next one 60 seconds after the first, not before', () => {
  for (const limit of [1, 2, 3, 10, 60]) {
    let window = emptyWindow
    for (let times = 0; times < limit; times += 1) {
      const nowMs = startMs + times * 7
      window = rollWindow(window, nowMs)
      assert.ok(fits(window, 'requests', 1, limit))
      window = takeFrom(window, 0, nowMs)
    }
    const lastMs = startMs + (limit - 1) * 7
    assert.equal(
      waitMs(window, 'requests', { amount: 1, limit, nowMs: lastMs }),
      60_000 - (limit - 1) * 7,
      String(limit),
    )
    const isFree = (nowMs: number) => fits(rollWindow(window, nowMs), 'requests', 1, limit)
    assert.deepEqual([isFree(startMs + 59_999), isFree(startMs + 60_000)], [false, true], String(limit))
  }
})

test('what can never fit waits for an empty window, and never for nothing', () => {
  const nowMs = startMs + 30_000
  const wait = (window: RateWindow) => waitMs(window, 'tokens', { amount: 11, limit: 10, nowMs })
  assert.equal(wait(takeFrom(emptyWindow, 5, nowMs)), 60_000)
  assert.equal(wait(takeFrom(emptyWindow, 5, startMs)), 60_000)
  assert.equal(wait(emptyWindow), 60_000)
})

test('headers say what is left and when the window is whole', () => {
  const one = takeFrom(emptyWindow, 4, startMs)
  const two = takeFrom(one, 0, startMs + 10_000)
  const nowMs = startMs + 20_000
  assert.deepEqual(rateState(two, 'requests', 10, nowMs), { limit: 10, remaining: 8, resetMs: 50_000 })
  assert.deepEqual(rateState(two, 'tokens', 10, nowMs), { limit: 10, remaining: 6, resetMs: 40_000 })
  assert.deepEqual(rateState(emptyWindow, 'tokens', 10, nowMs), { limit: 10, remaining: 10, resetMs: 0 })
  assert.deepEqual(rateState(two, 'requests', 1, nowMs), { limit: 1, remaining: 0, resetMs: 50_000 })
})

test('a clock that jumps neither frees nor doubles what was taken', () => {
  let full = emptyWindow
  for (let times = 0; times < 10; times += 1) full = takeFrom(full, 3, startMs + times * 1_000)
  const cases: readonly [text: string, nowMs: number, requests: number, wait: number][] = [
    ['the same moment', startMs + 9_000, 10, 51_000],
    ['half a minute on', startMs + 39_000, 10, 21_000],
    ['when the first is a minute old', startMs + 60_000, 9, 0],
    ['an hour ahead', startMs + 3_600_000, 0, 0],
    ['a little back', startMs + 8_500, 10, 51_500],
    ['a few seconds back', startMs + 5_000, 10, 51_000],
    ['an hour back', startMs - 3_600_000, 10, 51_000],
  ]
  for (const [text, nowMs, requests, wait] of cases) {
    const rolled = rollWindow(full, nowMs)
    assert.equal(taken(rolled, 'requests'), requests, text)
    assert.equal(waitMs(rolled, 'requests', { amount: 1, limit: 10, nowMs }), wait, text)
  }
})

test('what was reserved gives way to what was used, where it still counts', () => {
  const first = takeFrom(emptyWindow, 300, startMs)
  const window = takeFrom(first, 200, startMs + 5_000)
  const used = { reserved: 200, input: 120, output: 40 }
  const cases: readonly [reservedMs: number, endMs: number, tokens: number][] = [
    [startMs + 5_000, startMs + 9_000, 460],
    [startMs, startMs + 9_000, 460],
    // The first slid out; what ended counts from its end on.
    [startMs, startMs + 60_000, 240],
    [startMs - 5_000, startMs + 9_000, 540],
    // A clock that is behind: nothing is moved back.
    [startMs + 5_000, startMs - 90_000, 460],
  ]
  for (const [reservedMs, endMs, tokens] of cases) {
    const corrected = correctTokens(window, { reservedMs, ...used }, endMs)
    assert.equal(taken(corrected, 'tokens'), tokens, `${reservedMs - startMs} ${endMs - startMs}`)
  }
  const none = { reservedMs: startMs + 5_000, reserved: 900, input: 0, output: 0 }
  assert.deepEqual(amounts(correctTokens(window, none, startMs + 6_000)), [2, 300])
})

test(`what ends as it was reserved leaves no trace of the reservation, merged or not (seed ${seed})`, () => {
  fc.assert(
    fc.property(steps(2_000, 400), (list) => {
      let nowMs = startMs
      let window = emptyWindow
      const reserved: { ms: number; tokens: number }[] = []
      for (const { afterMs, tokens } of list) {
        nowMs += afterMs / 8
        nowMs = Math.floor(nowMs)
        window = takeFrom(rollWindow(window, nowMs), tokens, nowMs)
        reserved.push({ ms: nowMs, tokens })
      }
      for (const { ms, tokens } of reserved) {
        const returned = { reservedMs: ms, reserved: tokens, input: 0, output: 0 }
        window = correctTokens(window, returned, nowMs)
      }
      assert.equal(taken(window, 'tokens'), 0)
    }),
    runs,
  )
})

test('requests that end one after another make the log no longer than those that begin', () => {
  let window = emptyWindow
  for (let ms = 0; ms < 500; ms += 1) window = takeFrom(window, 10, startMs + ms)
  const begun = window.length
  const used = { reserved: 10, input: 4, output: 2 }
  for (let ms = 0; ms < 500; ms += 1) {
    window = correctTokens(window, { reservedMs: startMs + ms, ...used }, startMs + 500 + ms)
  }
  assert.equal(taken(window, 'tokens'), 500 * (used.input + used.output))
  assert.ok(begun <= 386 && window.length <= 386, `${begun} and ${window.length} words`)
})

test('timestamps that arrive out of order are sorted', () => {
  let window = emptyWindow
  for (const ms of [5, 3, 900, 3, 4, 0, 901]) window = takeFrom(window, ms, startMs + ms)
  assert.deepEqual(amounts(window), [7, 5 + 3 + 900 + 3 + 4 + 901])
  assert.deepEqual(amounts(rollWindow(window, startMs + 60_003)), [4, 5 + 900 + 4 + 901])
  assert.equal(waitMs(window, 'requests', { amount: 1, limit: 7, nowMs: startMs + 901 }), 60_000 - 901)
})
