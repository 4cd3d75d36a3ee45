/**
 * Turns the script of a good response into a bad one: cuts it, slows it, inserts something foreign.
 * Each takes a script and yields one, and knows no format. Pure.
 */
import type { BodyFraming, ResponseScript, ScriptStep, Write } from './script.ts'

function isContent(step: ScriptStep): step is Write {
  return step.kind === 'write' && step.role === 'content' && step.text.length > 0
}

function isPastContent(step: ScriptStep): boolean {
  return step.kind === 'write' && (step.role === 'finish' || step.role === 'end')
}

/** Where `upTo` stopped. */
interface PlayedPrefix {
  /** The step that was read and not played. */
  readonly pending: ScriptStep | undefined
  /** Events that were played, of any kind. */
  readonly played: number
}

/** Plays up to and including content event number `events`. */
function* upTo(script: Iterator<ScriptStep>, events: number): Generator<ScriptStep, PlayedPrefix> {
  let seen = 0
  let played = 0
  for (let next = script.next(); next.done !== true; next = script.next()) {
    const step = next.value
    if (isPastContent(step) || (isContent(step) && seen >= events)) return { pending: step, played }
    yield step
    if (step.kind === 'write' && step.text.length > 0) played += 1
    if (isContent(step)) seen += 1
    if (seen > 0 && seen === events) break
  }
  return { pending: undefined, played }
}

/** After `events` content events, or all there are, a tail instead of the rest; it receives the number of events that went before. */
export function* brokenAfter(
  script: ResponseScript,
  events: number,
  tail: (played: number) => ResponseScript,
): Generator<ScriptStep> {
  const { played } = yield* upTo(script[Symbol.iterator](), events)
  yield* tail(played)
}

/** After `events` content events, or all there are, `extra`, and then the rest as if nothing were. */
export function* insertedAfter(
  script: ResponseScript,
  events: number,
  extra: ScriptStep,
): Generator<ScriptStep> {
  const steps = script[Symbol.iterator]()
  const { pending } = yield* upTo(steps, events)
  yield extra
  if (pending !== undefined) yield pending
  for (let next = steps.next(); next.done !== true; next = steps.next()) yield next.value
}

/** Everything but the end mark and the fields that only it carries. */
export function* withoutEndMark(script: ResponseScript): Generator<ScriptStep> {
  let report: ScriptStep | undefined
  for (const step of script) {
    const isEnd = step.kind === 'write' && step.role === 'end'
    if (report !== undefined && !isEnd) yield report
    report = step.kind === 'report' ? step : undefined
    if (report === undefined && !isEnd) yield step
  }
}

/** Marks the end of the body in another way than by chunks. */
export function* framed(script: ResponseScript, framing: BodyFraming): Generator<ScriptStep> {
  for (const step of script) yield step.kind === 'head' ? { ...step, framing } : step
}

/** Paces tokens at `perSecond`; 0 leaves the pace to the client. */
export function* paced(script: ResponseScript, perSecond: number): Generator<ScriptStep> {
  let made = 0
  for (const step of script) {
    if (perSecond > 0 && step.kind === 'write' && step.outputTokens > 0) {
      made += step.outputTokens
      yield { kind: 'due', ms: (made * 1_000) / perSecond }
    }
    yield step
  }
}

/** Waits `ms` before the first token is made. */
export function* delayed(script: ResponseScript, ms: number): Generator<ScriptStep> {
  let hasBegun = false
  for (const step of script) {
    if (!hasBegun && step.kind === 'write' && step.outputTokens > 0) {
      hasBegun = true
      yield { kind: 'wait', ms }
    }
    yield step
  }
}

/** Every byte of the body on its own, so that events and characters are split everywhere. */
export function* byteByByte(script: ResponseScript): Generator<ScriptStep> {
  for (const step of script) {
    if (step.kind !== 'write' || step.text.length === 0) {
      yield step
      continue
    }
    yield { ...step, text: '' }
    for (const byte of Buffer.from(step.text)) {
      yield { ...step, text: Uint8Array.of(byte), outputTokens: 0, reasoningTokens: 0 }
      yield { kind: 'turn' }
    }
  }
}

const countPattern = /("(?:completion_tokens|output_tokens|candidatesTokenCount)": ?)\d+/

/** Replaces the output count with `literal`, verbatim, wherever the answer finally reports it. */
export function* withOutputCount(script: ResponseScript, literal: string): Generator<ScriptStep> {
  for (const step of script) {
    if (!isPastContent(step) || step.kind !== 'write' || typeof step.text !== 'string') yield step
    else yield { ...step, text: step.text.replace(countPattern, `$1${literal}`) }
  }
}
