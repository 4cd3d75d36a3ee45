/**
 * Rates per minute as a sliding log: what was taken within the last 60 seconds, to the millisecond. The log is bounded:
 * once it has more marks than `marksMax`, those of one second become one mark at the last of them, so that a limit is
 * never exceeded and a wait is at most a second too long. Pure; immutable values; integers throughout.
 */
import { minuteMs } from './calendar.ts'
import type { RateState } from './types.ts'

/**
 * Two words for the instant that the marks count from, then three for each mark, oldest first: milliseconds after that
 * instant, requests, tokens. Stored as it is; never changed in place. Empty: nothing was taken.
 */
export type RateWindow = Uint32Array

export type RateKind = 'requests' | 'tokens'

export const emptyWindow: RateWindow = new Uint32Array(0)

const headWords = 2
const markWords = 3
const wordSpan = 2 ** 32
const wordOf = { requests: 1, tokens: 2 } as const

/** Exact to the millisecond up to this many instants within a minute. */
const marksMax = 128
/** Maximum length of a window. */
export const windowWordsMax = headWords + marksMax * markWords
const slotMs = 1_000
/** Instants come from several requests and may be this much out of order; a clock further back was set back. */
const disorderMsMax = 1_000

const countMarks = (window: RateWindow): number => Math.max(0, (window.length - headWords) / markWords)
const baseMs = (window: RateWindow): number => window[0]! * wordSpan + window[1]!
const markMs = (window: RateWindow, mark: number): number =>
  baseMs(window) + window[headWords + mark * markWords]!
const markAmount = (window: RateWindow, mark: number, kind: RateKind): number =>
  window[headWords + mark * markWords + wordOf[kind]]!

/** Time of the newest mark; 0 if the log is empty. */
export function newestMs(window: RateWindow): number {
  const marks = countMarks(window)
  return marks === 0 ? 0 : markMs(window, marks - 1)
}

/**
 * The window at `nowMs`, without what is 60 seconds old. When the clock was set back, all marks
 * move with it, so that nothing is forgiven and no caller waits for the clock to catch up.
 */
export function rollWindow(window: RateWindow, nowMs: number): RateWindow {
  const aheadMs = newestMs(window) - nowMs
  if (aheadMs > disorderMsMax) {
    const moved = marksIn(window).map((mark) => ({ ...mark, ms: mark.ms - aheadMs }))
    return rollWindow(packed(moved), nowMs)
  }
  const marks = countMarks(window)
  let first = 0
  while (first < marks && markMs(window, first) <= nowMs - minuteMs) first += 1
  if (first === 0) return window
  return first === marks ? emptyWindow : from(window, first)
}

/** The marks from `first` on, counted from the first of them. */
function from(window: RateWindow, first: number): RateWindow {
  const startMs = markMs(window, first)
  const sinceBaseMs = startMs - baseMs(window)
  const rest = window.slice(first * markWords)
  setBase(rest, startMs)
  for (let at = headWords; at < rest.length; at += markWords) rest[at] = rest[at]! - sinceBaseMs
  return rest
}

function setBase(window: RateWindow, ms: number): void {
  window[0] = Math.floor(ms / wordSpan)
  window[1] = ms % wordSpan
}

/** Sum of one kind in a rolled window. */
export function taken(window: RateWindow, kind: RateKind): number {
  let sum = 0
  for (let at = headWords + wordOf[kind]; at < window.length; at += markWords) sum += window[at]!
  return sum
}

/** Whether `amount` more fits below the limit now. */
export function fits(window: RateWindow, kind: RateKind, amount: number, limit: number): boolean {
  return taken(window, kind) + amount <= limit
}

export interface WaitQuestion {
  readonly amount: number
  readonly limit: number
  readonly nowMs: number
}

/** Until `amount` fits if nothing else is taken; where it never will, until the window is empty, at least a minute. */
export function waitMs(window: RateWindow, kind: RateKind, { amount, limit, nowMs }: WaitQuestion): number {
  let excess = taken(window, kind) + amount - limit
  if (excess <= 0) return 0
  if (amount > limit) return Math.max(minuteMs, untilUnusedMs(window, kind, nowMs))
  let mark = 0
  for (; excess > markAmount(window, mark, kind); mark += 1) excess -= markAmount(window, mark, kind)
  return markMs(window, mark) + minuteMs - nowMs
}

/** How much of the limit is left, for headers. */
export function rateState(window: RateWindow, kind: RateKind, limit: number, nowMs: number): RateState {
  const remaining = Math.max(0, limit - taken(window, kind))
  return { limit, remaining, resetMs: untilUnusedMs(window, kind, nowMs) }
}

function untilUnusedMs(window: RateWindow, kind: RateKind, nowMs: number): number {
  let mark = countMarks(window) - 1
  while (mark >= 0 && markAmount(window, mark, kind) === 0) mark -= 1
  return mark < 0 ? 0 : markMs(window, mark) + minuteMs - nowMs
}

/** Adds a request and its reserved tokens to a window rolled to `nowMs`. */
export function takeFrom(window: RateWindow, tokens: number, nowMs: number): RateWindow {
  return withMark(window, { ms: nowMs, requests: 1, tokens })
}

interface WindowMark {
  readonly ms: number
  readonly requests: number
  readonly tokens: number
}

function withMark(window: RateWindow, mark: WindowMark): RateWindow {
  const marks = countMarks(window)
  const lastMs = newestMs(window)
  if (marks === 0) return packed([mark])
  if (mark.ms === lastMs) return withAmounts(window, marks - 1, mark)
  if (marks >= marksMax) return withMark(packed(bySecond(marksIn(window))), mark)
  if (mark.ms < lastMs) return packed([...marksIn(window), mark].sort((a, b) => a.ms - b.ms))
  return appended(window, mark)
}

/** A copy with one mark more, which is later than all others. */
function appended(window: RateWindow, { ms, requests, tokens }: WindowMark): RateWindow {
  const grown = new Uint32Array(window.length + markWords)
  grown.set(window)
  grown[window.length] = ms - baseMs(window)
  grown[window.length + wordOf.requests] = wordFor(requests)
  grown[window.length + wordOf.tokens] = wordFor(tokens)
  return grown
}

type Amounts = Omit<WindowMark, 'ms'>

/** A copy with more, or less, of both kinds in one mark. */
function withAmounts(window: RateWindow, mark: number, amounts: Amounts): RateWindow {
  const copy = window.slice()
  addTo(copy, mark, amounts)
  return copy
}

/** Changes a copy that nothing else has yet. */
function addTo(copy: RateWindow, mark: number, { requests, tokens }: Amounts): void {
  const at = headWords + mark * markWords
  copy[at + wordOf.requests] = wordFor(copy[at + wordOf.requests]! + requests)
  copy[at + wordOf.tokens] = wordFor(copy[at + wordOf.tokens]! + tokens)
}

const wordFor = (amount: number): number => Math.min(Math.max(0, amount), wordSpan - 1)

function marksIn(window: RateWindow): WindowMark[] {
  return Array.from({ length: countMarks(window) }, (_none, mark) => ({
    ms: markMs(window, mark),
    requests: markAmount(window, mark, 'requests'),
    tokens: markAmount(window, mark, 'tokens'),
  }))
}

function packed(marks: readonly WindowMark[]): RateWindow {
  const startMs = marks[0]?.ms ?? 0
  const window = new Uint32Array(headWords + marks.length * markWords)
  setBase(window, startMs)
  for (const [mark, { ms, requests, tokens }] of marks.entries()) {
    window.set([ms - startMs, wordFor(requests), wordFor(tokens)], headWords + mark * markWords)
  }
  return window
}

function bySecond(marks: readonly WindowMark[]): WindowMark[] {
  const merged: WindowMark[] = []
  for (const mark of marks) {
    const last = merged.at(-1)
    if (last === undefined || slotOf(last.ms) !== slotOf(mark.ms)) merged.push(mark)
    else {
      const sum = { requests: last.requests + mark.requests, tokens: last.tokens + mark.tokens }
      merged[merged.length - 1] = { ms: mark.ms, ...sum }
    }
  }
  return merged
}

const slotOf = (ms: number): number => Math.floor(ms / slotMs)

export interface Correction {
  /** When the reservation was taken. */
  readonly reservedMs: number
  readonly reserved: number
  /** Input counts when it was reserved, if that is still in the window; output counts now. */
  readonly input: number
  readonly output: number
}

/**
 * Puts what was used in the place of what was reserved. `nowMs`: when the request ended, by the clock that it was
 * measured with; it never sets the log back.
 */
export function correctTokens(
  before: RateWindow,
  { reservedMs, reserved, input, output }: Correction,
  nowMs: number,
): RateWindow {
  const endMs = Math.max(nowMs, newestMs(before))
  const window = rollWindow(before, endMs)
  const mark = markOf(window, reservedMs)
  const atStart = { requests: 0, tokens: input - reserved }
  const atEnd = { ms: endMs, requests: 0, tokens: output }
  if (mark === undefined || atStart.tokens === 0) return output === 0 ? window : withMark(window, atEnd)
  if (output === 0) return withAmounts(window, mark, atStart)
  return corrected(window, { mark, atStart, atEnd })
}

/** Both corrections, in one copy where the last one needs no other marks to be merged: each request makes them twice. */
function corrected(
  window: RateWindow,
  { mark, atStart, atEnd }: { readonly mark: number; readonly atStart: Amounts; readonly atEnd: WindowMark },
): RateWindow {
  const marks = countMarks(window)
  if (atEnd.ms === newestMs(window)) {
    const copy = withAmounts(window, mark, atStart)
    addTo(copy, marks - 1, atEnd)
    return copy
  }
  if (marks >= marksMax) return withMark(withAmounts(window, mark, atStart), atEnd)
  const grown = appended(window, atEnd)
  addTo(grown, mark, atStart)
  return grown
}

/** The mark that holds what was taken at `ms`: its own, or the one into which that second was merged. */
function markOf(window: RateWindow, ms: number): number | undefined {
  const marks = countMarks(window)
  for (let mark = 0; mark < marks; mark += 1) {
    const at = markMs(window, mark)
    if (at >= ms) return at === ms || slotOf(at) === slotOf(ms) ? mark : undefined
  }
  return undefined
}
