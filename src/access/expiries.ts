/**
 * Tells when keys expire that are in use, so that what runs under one of them ends as if it had been revoked. Only
 * keys whose end is near are watched: what begins earlier ends before it by its own limit.
 */
import type { Clock, Timer } from '../base/clock.ts'
import type { KeyRow } from './types.ts'

export class Expiries {
  readonly #clock: Clock
  readonly #nearMs: number
  readonly #told: (key: bigint) => void
  readonly #timers = new Map<bigint, Timer>()

  /** `nearMs`: the longest that anything runs under a key. */
  constructor(clock: Clock, nearMs: number, told: (key: bigint) => void) {
    this.#clock = clock
    this.#nearMs = nearMs
    this.#told = told
  }

  /** The key is used now. Costs nothing for keys without an end that is near. */
  watch({ id, expiresMs }: Pick<KeyRow, 'id' | 'expiresMs'>): void {
    if (expiresMs === null || this.#timers.has(id)) return
    const leftMs = expiresMs - this.#clock.wallMs()
    if (leftMs > this.#nearMs) return
    const timer = this.#clock.after(Math.max(1, leftMs), () => {
      this.#timers.delete(id)
      // Timers run by a clock that the date does not follow when somebody sets it.
      if (this.#clock.wallMs() < expiresMs) this.watch({ id, expiresMs })
      else this.#told(id)
    })
    this.#timers.set(id, timer)
  }

  /** Its end is another one from now on, or what it would tell was told. */
  forget(key: bigint): void {
    this.#timers.get(key)?.cancel()
    this.#timers.delete(key)
  }
}
