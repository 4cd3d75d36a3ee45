/**
 * A clock under a test's control: time only moves on `advance`, which runs the timers that become due in
 * the order of their time. It never uses the machine's clock.
 */
import type { Clock, Timer } from '../../src/base/clock.ts'

export interface ManualClock extends Clock {
  /** Moves both clocks forward by `ms` and runs timers that become due, also those set meanwhile. */
  advance(ms: number): void
  /** Sets the wall clock alone, as an operator or a time server would; timers are unaffected. */
  setWallMs(wallMs: number): void
  /** Timers that have neither run nor been canceled. */
  pending(): number
}

/** 2026-01-01 UTC, so that dates in a test are plausible. */
const firstWallMs = Date.UTC(2026, 0, 1)

const manualClocks = new WeakSet<Clock>()

/** Whether the timers of `clock` run only when a test advances it. */
export function isManualClock(clock: Clock): boolean {
  return manualClocks.has(clock)
}

export function manualClock(startWallMs: number = firstWallMs): ManualClock {
  let nowMs = 0
  let wallOffsetMs = startWallMs
  // Insertion order breaks ties: of two timers due together, the one set first runs first.
  const timers = new Map<Timer, { readonly dueMs: number; readonly run: () => void }>()

  function nextDue(untilMs: number): Timer | undefined {
    let first: Timer | undefined
    let firstMs = Number.POSITIVE_INFINITY
    for (const [timer, { dueMs }] of timers) {
      if (dueMs <= untilMs && dueMs < firstMs) {
        first = timer
        firstMs = dueMs
      }
    }
    return first
  }

  const clock: ManualClock = {
    wallMs: () => wallOffsetMs + nowMs,
    monoMs: () => nowMs,
    after(delayMs, run) {
      const timer: Timer = { cancel: () => timers.delete(timer) }
      timers.set(timer, { dueMs: nowMs + Math.max(0, delayMs), run })
      return timer
    },
    advance(ms) {
      const untilMs = nowMs + ms
      for (let timer = nextDue(untilMs); timer !== undefined; timer = nextDue(untilMs)) {
        const { dueMs, run } = timers.get(timer)!
        timers.delete(timer)
        nowMs = dueMs
        run()
      }
      nowMs = untilMs
    },
    setWallMs(wallMs) {
      wallOffsetMs = wallMs - nowMs
    },
    pending: () => timers.size,
  }
  manualClocks.add(clock)
  return clock
}
