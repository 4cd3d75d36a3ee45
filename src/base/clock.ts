/**
 * The only reader of the clocks. Durations are measured on the monotonic clock, dates are read
 * from the wall clock, and every timer goes through here, so that a test can control time.
 */

export interface Timer {
  /** Forgets the timer; harmless when it has already run. */
  cancel(): void
}

export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. May jump; never subtract two of these to get a duration. */
  wallMs(): number
  /** Milliseconds since an arbitrary start, the same in all threads of a process; never goes backwards. */
  monoMs(): number
  /** Runs `run` once after `delayMs`. The timer does not keep the process alive. */
  after(delayMs: number, run: () => void): Timer
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monoMs() {
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1_000 + nanoseconds / 1e6
  },
  after(delayMs, run) {
    const timeout = setTimeout(run, delayMs)
    timeout.unref()
    return { cancel: () => clearTimeout(timeout) }
  },
}

/**
 * Timestamps of one piece of work that advance with the monotonic clock, so that the difference of two is a
 * duration even when the wall clock is set in between.
 */
export function steadyClock(clock: Clock, start: { startedMs: number; startedMonoMs: number }): Clock {
  const { startedMs, startedMonoMs } = start
  return { ...clock, wallMs: () => Math.floor(startedMs + clock.monoMs() - startedMonoMs) }
}
