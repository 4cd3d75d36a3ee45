/**
 * Rearranges the acts of a good answer into a bad one: cuts it, slows it, puts something foreign into it.
 * Each takes acts and yields acts and knows no dialect. Pure.
 */
import type { Act, Framing, Write } from './act.ts'

function isContent(act: Act): act is Write {
  return act.kind === 'write' && act.role === 'content' && act.text.length > 0
}

function isPastContent(act: Act): boolean {
  return act.kind === 'write' && (act.role === 'finish' || act.role === 'end')
}

/** Where `upTo` stopped. */
interface Stopped {
  /** The act that was read and not played. */
  readonly pending: Act | undefined
  /** Events that were played, of any kind. */
  readonly played: number
}

/** Plays up to and including content event number `events`. */
function* upTo(acts: Iterator<Act>, events: number): Generator<Act, Stopped> {
  let seen = 0
  let played = 0
  for (let next = acts.next(); next.done !== true; next = acts.next()) {
    const act = next.value
    if (isPastContent(act) || (isContent(act) && seen >= events)) return { pending: act, played }
    yield act
    if (act.kind === 'write' && act.text.length > 0) played += 1
    if (isContent(act)) seen += 1
    if (seen > 0 && seen === events) break
  }
  return { pending: undefined, played }
}

/** After `events` content events, or all there are, a tail instead of the rest; it is told how many events went before. */
export function* brokenAfter(
  acts: Iterable<Act>,
  events: number,
  tail: (played: number) => Iterable<Act>,
): Generator<Act> {
  const { played } = yield* upTo(acts[Symbol.iterator](), events)
  yield* tail(played)
}

/** After `events` content events, or all there are, `extra`, and then the rest as if nothing were. */
export function* insertedAfter(acts: Iterable<Act>, events: number, extra: Act): Generator<Act> {
  const steps = acts[Symbol.iterator]()
  const { pending } = yield* upTo(steps, events)
  yield extra
  if (pending !== undefined) yield pending
  for (let next = steps.next(); next.done !== true; next = steps.next()) yield next.value
}

/** Everything but the end mark, and what only it would have told. */
export function* withoutEndMark(acts: Iterable<Act>): Generator<Act> {
  let report: Act | undefined
  for (const act of acts) {
    const isEnd = act.kind === 'write' && act.role === 'end'
    if (report !== undefined && !isEnd) yield report
    report = act.kind === 'report' ? act : undefined
    if (report === undefined && !isEnd) yield act
  }
}

/** Tells the end of the body in another way than by chunks. */
export function* framed(acts: Iterable<Act>, framing: Framing): Generator<Act> {
  for (const act of acts) yield act.kind === 'head' ? { ...act, framing } : act
}

/** One made token every `1 / perSecond` seconds; 0 leaves the pace to the client. */
export function* paced(acts: Iterable<Act>, perSecond: number): Generator<Act> {
  let made = 0
  for (const act of acts) {
    if (perSecond > 0 && act.kind === 'write' && act.outputTokens > 0) {
      made += act.outputTokens
      yield { kind: 'due', ms: (made * 1_000) / perSecond }
    }
    yield act
  }
}

/** Waits `ms` before the first token is made. */
export function* delayed(acts: Iterable<Act>, ms: number): Generator<Act> {
  let begun = false
  for (const act of acts) {
    if (!begun && act.kind === 'write' && act.outputTokens > 0) {
      begun = true
      yield { kind: 'wait', ms }
    }
    yield act
  }
}

/** Every byte of the body on its own, so that events and characters are split everywhere. */
export function* byteByByte(acts: Iterable<Act>): Generator<Act> {
  for (const act of acts) {
    if (act.kind !== 'write' || act.text.length === 0) {
      yield act
      continue
    }
    yield { ...act, text: '' }
    for (const byte of Buffer.from(act.text)) {
      yield { ...act, text: Uint8Array.of(byte), outputTokens: 0, reasoningTokens: 0 }
      yield { kind: 'turn' }
    }
  }
}

const countPattern = /("(?:completion_tokens|output_tokens|candidatesTokenCount)": ?)\d+/

/** Replaces the output count wherever the answer finally tells it by `literal`, as it stands. */
export function* withOutputCount(acts: Iterable<Act>, literal: string): Generator<Act> {
  for (const act of acts) {
    if (!isPastContent(act) || act.kind !== 'write' || typeof act.text !== 'string') yield act
    else yield { ...act, text: act.text.replace(countPattern, `$1${literal}`) }
  }
}
