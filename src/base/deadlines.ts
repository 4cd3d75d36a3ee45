/**
 * Several deadlines on one timer. Moving a deadline later costs no timer: the timer fires, sees
 * that nothing is due, and sleeps on. For streams, where every chunk moves a deadline.
 */
import type { Clock, Timer } from './clock.ts'

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
