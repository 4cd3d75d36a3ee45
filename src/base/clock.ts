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

/**
 * Several deadlines on one timer. Moving a deadline later costs no timer: the timer fires, sees
 * that nothing is due, and sleeps on. For streams, where every chunk moves a deadline.
 */
export class Deadlines<Name extends string> {
  readonly #clock: Clock
  readonly #due: (name: Name) => void
  readonly #at = new Map<Name, number>()
  #timer: Timer | undefined
  #armedFor = Number.POSITIVE_INFINITY

  constructor(clock: Clock, due: (name: Name) => void) {
    this.#clock = clock
    this.#due = due
  }

  /** Due in `inMs` from now; replaces what was set under the name. */
  set(name: Name, inMs: number): void {
    const at = this.#clock.monoMs() + inMs
    this.#at.set(name, at)
    if (at < this.#armedFor) this.#arm(at)
  }

  clear(name: Name): void {
    this.#at.delete(name)
  }

  /** Forgets all of them; nothing comes due any more. */
  stop(): void {
    this.#at.clear()
    this.#timer?.cancel()
    this.#timer = undefined
    this.#armedFor = Number.POSITIVE_INFINITY
  }

  #arm(at: number): void {
    this.#timer?.cancel()
    this.#armedFor = at
    this.#timer = this.#clock.after(Math.max(0, at - this.#clock.monoMs()), () => this.#fire())
  }

  #fire(): void {
    this.#timer = undefined
    this.#armedFor = Number.POSITIVE_INFINITY
    const nowMs = this.#clock.monoMs()
    for (const [name, at] of [...this.#at]) {
      if (at > nowMs || this.#at.get(name) !== at) continue
      this.#at.delete(name)
      this.#due(name)
    }
    let next = Number.POSITIVE_INFINITY
    for (const at of this.#at.values()) next = Math.min(next, at)
    if (next < this.#armedFor) this.#arm(next)
  }
}
