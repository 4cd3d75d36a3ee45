/**
 * Requests per minute of many takers, kept in memory: for what costs nothing and is lost without harm when the
 * process ends. It knows no clock, and never keeps more takers than it is told to.
 */
import type { RateState } from './types.ts'
import {
  emptyWindow,
  fits,
  leftOfMinuteMs,
  type RateWindow,
  rateState,
  requestsTaken,
  rollWindow,
  takeFrom,
  waitMs,
} from './window.ts'

export type Metered =
  | { readonly kind: 'taken'; readonly state: RateState }
  | { readonly kind: 'refused'; readonly state: RateState; readonly retryAfterMs: number }

export class RateMeter<Taker = bigint> {
  readonly #perMinute: number
  readonly #takersMax: number
  /** The one that took longest ago comes first. */
  readonly #windows = new Map<Taker, RateWindow>()

  /** Of more takers than `takersMax`, what the one that took longest ago had taken is forgotten. */
  constructor(of: { readonly perMinute: number; readonly takersMax: number }) {
    this.#perMinute = of.perMinute
    this.#takersMax = of.takersMax
  }

  /** One request of `taker`, if it has one left; what is refused is not taken. */
  take(taker: Taker, nowMs: number): Metered {
    const window = rollWindow(this.#windows.get(taker) ?? emptyWindow, nowMs)
    const leftMs = leftOfMinuteMs(window, nowMs)
    const limit = this.#perMinute
    if (!fits(requestsTaken(window), 1, limit, leftMs)) {
      const taken = requestsTaken(window)
      return {
        kind: 'refused',
        state: rateState(taken, limit, leftMs),
        retryAfterMs: waitMs(taken, 1, limit, leftMs),
      }
    }
    const after = takeFrom(window, 0)
    this.#windows.delete(taker)
    this.#windows.set(taker, after)
    this.#forget()
    return { kind: 'taken', state: rateState(requestsTaken(after), limit, leftMs) }
  }

  #forget(): void {
    if (this.#windows.size <= this.#takersMax) return
    const [oldest] = this.#windows.keys()
    if (oldest !== undefined) this.#windows.delete(oldest)
  }
}
