/**
 * Rates per minute as a sliding window of two minutes: what was taken in the minute before counts by
 * the share of it that lies within the last 60 seconds. Overshoot against a true sliding window is
 * below a factor of two, at the edge of a minute. Pure; whole numbers below 2^53 throughout.
 */
import { minuteMs } from './calendar.ts'
import type { RateState } from './types.ts'

export interface RateWindow {
  /** Minutes since 1970 to the one that is being filled. */
  readonly minute: number
  readonly requests: number
  readonly requestsBefore: number
  readonly tokens: number
  readonly tokensBefore: number
}

export const emptyWindow: RateWindow = {
  minute: 0,
  requests: 0,
  requestsBefore: 0,
  tokens: 0,
  tokensBefore: 0,
}

/** What was taken of one kind: in the present minute and in the one before. */
export interface Taken {
  readonly now: number
  readonly before: number
}

export const requestsTaken = (window: RateWindow): Taken => ({
  now: window.requests,
  before: window.requestsBefore,
})
export const tokensTaken = (window: RateWindow): Taken => ({
  now: window.tokens,
  before: window.tokensBefore,
})

/**
 * The window as it stands at `nowMs`. A wall clock that steps back into the minute before changes
 * nothing; one that steps back further takes the window along with all that was taken in it.
 */
export function rollWindow(window: RateWindow, nowMs: number): RateWindow {
  const minute = Math.floor(nowMs / minuteMs)
  const ahead = minute - window.minute
  if (ahead === 0 || ahead === -1) return window
  if (ahead < 0) return { ...window, minute }
  const isNext = ahead === 1
  return {
    minute,
    requests: 0,
    requestsBefore: isNext ? window.requests : 0,
    tokens: 0,
    tokensBefore: isNext ? window.tokens : 0,
  }
}

/** How much of the window's minute is still to come at `nowMs`; all of it after a small step back. */
export function leftOfMinuteMs(window: RateWindow, nowMs: number): number {
  return Math.min(minuteMs, (window.minute + 1) * minuteMs - nowMs)
}

/** Whether `amount` more fits below the limit now. */
export function fits(taken: Taken, amount: number, limit: number, leftMs: number): boolean {
  return taken.before * leftMs + (taken.now + amount) * minuteMs <= limit * minuteMs
}

/** Until `amount` fits if nothing else is taken; where it never will, until the window is empty, at least a minute. */
export function waitMs(taken: Taken, amount: number, limit: number, leftMs: number): number {
  const room = limit - amount
  if (room < 0) return Math.max(minuteMs, untilEmptyMs(taken, leftMs))
  if (taken.now <= room) {
    // Within this minute: what was taken before it has to slide out far enough.
    if (taken.before === 0) return 0
    const leftThenMs = Math.floor(((room - taken.now) * minuteMs) / taken.before)
    return Math.max(0, leftMs - leftThenMs)
  }
  return leftMs + minuteMs - Math.floor((room * minuteMs) / taken.now)
}

/** How much of the limit is left, for headers. */
export function rateState(taken: Taken, limit: number, leftMs: number): RateState {
  const used = taken.now + Math.ceil((taken.before * leftMs) / minuteMs)
  return { limit, remaining: Math.max(0, limit - used), resetMs: untilEmptyMs(taken, leftMs) }
}

function untilEmptyMs(taken: Taken, leftMs: number): number {
  if (taken.now > 0) return leftMs + minuteMs
  return taken.before > 0 ? leftMs : 0
}

/** One request more, with the tokens it reserves. */
export function takeFrom(window: RateWindow, tokens: number): RateWindow {
  return { ...window, requests: window.requests + 1, tokens: window.tokens + tokens }
}

export interface Correction {
  /** The minute in which the reservation was taken. */
  readonly minute: number
  readonly reserved: number
  /** Input counts where it was reserved, if that has not slid out; output counts now. */
  readonly input: number
  readonly output: number
}

/** Puts what was used in the place of what was reserved. */
export function correctTokens(
  window: RateWindow,
  { minute, reserved, input, output }: Correction,
): RateWindow {
  const difference = input - reserved
  const isNow = minute === window.minute
  const isBefore = minute === window.minute - 1
  return {
    ...window,
    tokens: Math.max(0, window.tokens + (isNow ? difference : 0)) + output,
    tokensBefore: Math.max(0, window.tokensBefore + (isBefore ? difference : 0)),
  }
}
