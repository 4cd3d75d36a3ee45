/**
 * Reports when a key in use expires, so that requests under it are stopped as if it had been revoked. Only keys close
 * to their expiry need a timer: any earlier request ends before it by its own time limit.
 */
import type { Clock, Timer } from '../base/clock.ts'
import type { KeyRow } from './types.ts'

export class Expiries {
  readonly #clock: Clock
  readonly #nearMs: number
  readonly #onExpired: (key: bigint) => void
  readonly #timers = new Map<bigint, Timer>()

  /** `nearMs`: the longest that a request can run. */
  constructor(clock: Clock, nearMs: number, onExpired: (key: bigint) => void) {
    this.#clock = clock
    this.#nearMs = nearMs
    this.#onExpired = onExpired
  }

  /** Call at each use of a key. Free for keys that do not expire soon. */
  watch({ id, expiresMs }: Pick<KeyRow, 'id' | 'expiresMs'>): void {
    if (expiresMs === null || this.#timers.has(id)) return
    const leftMs = expiresMs - this.#clock.wallMs()
    if (leftMs > this.#nearMs) return
    const timer = this.#clock.after(Math.max(1, leftMs), () => {
      this.#timers.delete(id)
      // Timers use the monotonic clock; the wall clock may have been set back since.
      if (this.#clock.wallMs() < expiresMs) this.watch({ id, expiresMs })
      else this.#onExpired(id)
    })
    this.#timers.set(id, timer)
  }

  /** Drops the timer: the expiry changed or was reported. */
  forget(key: bigint): void {
    this.#timers.get(key)?.cancel()
    this.#timers.delete(key)
  }
}
