/**
 * Requests per minute for many clients, in memory: for free operations, where losing the counts at a restart is
 * harmless. The caller passes the time; the number of tracked clients is bounded.
 */
import { RecentMap } from '../base/recent-map.ts'
import type { RateState } from './types.ts'
import {
  emptyWindow,
  fits,
  type RateWindow,
  rateState,
  rollWindow,
  takeFrom,
  type WaitQuestion,
  waitMs,
} from './window.ts'

export type Metered =
  | { readonly kind: 'taken'; readonly state: RateState }
  | { readonly kind: 'rejected'; readonly state: RateState; readonly retryAfterMs: number }

/** The windows of many clients; from half of `takersMax`, the least recently active are dropped. */
export class RateWindows<Taker> {
  readonly #windows: RecentMap<Taker, RateWindow>

  constructor(takersMax: number) {
    this.#windows = new RecentMap(takersMax)
  }

  /** The window of `taker`, rolled to `nowMs`. */
  at(taker: Taker, nowMs: number): RateWindow {
    const before = this.#windows.get(taker)
    if (before === undefined) return emptyWindow
    const window = rollWindow(before, nowMs)
    // Stored for rejected requests too: their wait must still pass after the clock was set back.
    if (window.length === 0) this.#windows.delete(taker)
    else if (window !== before) this.#windows.set(taker, window)
    return window
  }

  /** Counts one request of `taker` and its tokens, whether or not it has them left; answers with its window after it. */
  count(taker: Taker, nowMs: number, tokens = 0): RateWindow {
    const window = takeFrom(this.at(taker, nowMs), tokens, nowMs)
    this.#windows.set(taker, window)
    return window
  }
}

export class RateMeter<Taker = bigint> {
  readonly #perMinute: number
  readonly #windows: RateWindows<Taker>

  constructor(of: { readonly perMinute: number; readonly takersMax: number }) {
    this.#perMinute = of.perMinute
    this.#windows = new RateWindows(of.takersMax)
  }

  /** Takes requests of `taker` if the limit allows all of them, else none. */
  take(taker: Taker, nowMs: number, requests = 1): Metered {
    const limit = this.#perMinute
    const window = this.#windows.at(taker, nowMs)
    if (!fits(window, 'requests', requests, limit))
      return rejected(window, { amount: requests, limit, nowMs })
    let after = window
    for (let taken = 0; taken < requests; taken += 1) after = this.#windows.count(taker, nowMs)
    return { kind: 'taken', state: rateState(after, 'requests', limit, nowMs) }
  }
}

/** Why a window takes no further request now. */
function rejected(window: RateWindow, asked: WaitQuestion): Extract<Metered, { kind: 'rejected' }> {
  return {
    kind: 'rejected',
    state: rateState(window, 'requests', asked.limit, asked.nowMs),
    retryAfterMs: waitMs(window, 'requests', asked),
  }
}
