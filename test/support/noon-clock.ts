/**
 * The machine's clock on another time of day: noon UTC when the test began, so that no day, week or month ends during a
 * test that adds up the sums of one.
 */
import { type Clock, systemClock } from '../../src/base/clock.ts'

const dayMs = 86_400_000

/** Timers run as the machine's do. */
export function noonClock(): Clock {
  const beganMs = systemClock.wallMs()
  const aheadMs = Math.floor(beganMs / dayMs) * dayMs + dayMs / 2 - beganMs
  return { ...systemClock, wallMs: () => systemClock.wallMs() + aheadMs }
}
