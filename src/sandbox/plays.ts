/**
 * How the sandbox's behaviours answer one request, as acts: the good answers, the refusals, the broken streams.
 * Knows no dialect; which name does what stands in the table of behaviours. Pure but for what `charge` remembers.
 */
import {
  type Act,
  type Close,
  end,
  type Framing,
  finish,
  frame,
  head,
  type InputUsage,
  type Write,
} from './act.ts'
import { type Answer, answerOf, type Part, type Stamp } from './answer.ts'
import type { Ask } from './ask.ts'
import type { SandboxDialect } from './dialect.ts'
import { brokenAfter, delayed, framed, paced } from './faults.ts'
import type { Cut, Settings } from './parameters.ts'
import { callOf, quotedResults, spokenParts, text } from './plain-parts.ts'
import { type Problem, problem, type Trouble } from './problem.ts'
import { sampleArguments } from './sample.ts'
import { wordsOf } from './words.ts'

/** One request as a behaviour sees it. */
export interface Call {
  readonly ask: Ask
  readonly settings: Settings
  readonly dialect: SandboxDialect
  readonly stamp: Stamp
  /** Requests that this behaviour had before. */
  readonly earlier: number
  /** Charges the input and tells how it was split; only for answers, never for refusals. */
  readonly charge: () => InputUsage
}

export type Play = (call: Call) => Iterable<Act>

export function answer({ ask, charge }: Call, parts: readonly Part[]): Answer {
  return answerOf(parts, ask.outputLimit, charge(), ask.choices)
}

export function written(call: Call, given: Answer): Iterable<Act> {
  const { ask, dialect, stamp, settings } = call
  return paced(delayed(dialect.answer({ ask, answer: given, stamp }), settings.delay), settings.rate)
}

export function echo(call: Call): Iterable<Act> {
  return written(call, answer(call, [text(call.ask.lastText)]))
}

export function wordsAnswer(call: Call): Answer {
  return answer(call, [{ kind: 'text', pieces: wordsOf(call.settings.tokens) }])
}

export function words(call: Call): Iterable<Act> {
  return written(call, wordsAnswer(call))
}

export function toolParts({ ask: { tools, toolResults }, settings }: Call): readonly Part[] {
  if (toolResults.length > 0) return [quotedResults(toolResults)]
  const [tool] = tools
  if (tool === undefined) return [text('There is no tool to call.')]
  const call = callOf(tool.name, JSON.stringify(sampleArguments(tool.schema)), settings.ids)
  return Array.from({ length: settings.calls }, () => ({ ...call }))
}

function thoughtOf({ ask, settings }: Call): readonly Part[] {
  if (ask.thinking === 'off') return []
  return [{ kind: 'thinking', pieces: wordsOf(settings.thinking), shown: ask.thinking === 'shown' }]
}

export function thinkingParts(call: Call): readonly Part[] {
  return [...thoughtOf(call), { kind: 'text', pieces: wordsOf(call.settings.tokens) }]
}

export function* refused({ dialect, stamp }: Call, found: Problem): Generator<Act> {
  const failure = dialect.failure(found, stamp.requestId)
  yield head(failure.status, failure.headers)
  yield finish(failure.body)
}

/** A behaviour that refuses every request for the same reason. */
export function refusing(trouble: Trouble): Play {
  return (call) => refused(call, problem(trouble))
}

function errorEvent({ dialect, ask, stamp }: Call, trouble: Trouble, events: number): Write {
  return finish(dialect.errorEvent(problem(trouble), { ask, stamp, events }))
}

const streamHead = head(200, { 'content-type': 'text/event-stream; charset=utf-8' })
const cleanClose: Act = { kind: 'close', how: 'clean' }

export function* errorFirst(call: Call): Generator<Act> {
  if (!call.ask.stream) return yield* refused(call, problem('overloaded'))
  yield streamHead
  yield errorEvent(call, 'overloaded', 0)
  yield cleanClose
}

export function errorAfter(call: Call): Iterable<Act> {
  if (!call.ask.stream) return refused(call, problem('server'))
  return brokenAfter(words(call), call.settings.events, (played) => [
    errorEvent(call, 'server', played),
    cleanClose,
  ])
}

const cutActs: Readonly<Record<Cut, { readonly how: Close; readonly framing: Framing }>> = {
  fin: { how: 'fin', framing: 'chunked' },
  rst: { how: 'rst', framing: 'chunked' },
  clean: { how: 'clean', framing: 'chunked' },
  short: { how: 'fin', framing: 'declared' },
  until_close: { how: 'fin', framing: 'until_close' },
}

export function cutAfter(call: Call): Iterable<Act> {
  const { how, framing } = cutActs[call.settings.how]
  return framed(
    brokenAfter(words(call), call.settings.events, () => [{ kind: 'close', how }]),
    framing,
  )
}

export function* fixed(status: number, headers: Record<string, string>, body: string): Generator<Act> {
  yield head(status, headers)
  yield finish(body)
}

export function errorJson(call: Call): Iterable<Act> {
  const { headers, body } = call.dialect.failure(problem('server'), call.stamp.requestId)
  return fixed(200, headers, body)
}

const lineStep = 65_536

export function* longLine({ settings }: Call): Generator<Act> {
  yield frame('data: {"padding":"')
  for (let sent = 0; sent < settings.bytes; sent += lineStep) yield frame('x'.repeat(lineStep))
  yield cleanClose
}

const pingsMax = 10_000

function* pingActs({ dialect, settings }: Call): Generator<Act> {
  for (let sent = 0; sent < pingsMax; sent += 1) {
    yield { kind: 'wait', ms: settings.delay }
    yield frame(dialect.ping)
  }
  yield cleanClose
}

export function pings(call: Call): Iterable<Act> {
  const { ask, dialect, stamp } = call
  if (!ask.stream) return [{ kind: 'silence' }]
  return brokenAfter(dialect.answer({ ask, answer: wordsAnswer(call), stamp }), 0, () => pingActs(call))
}

export function* afterEnd(call: Call): Generator<Act> {
  const { dialect } = call
  yield* words(call)
  yield end(call.ask.stream ? `${dialect.endMark}${dialect.ping}${dialect.endMark}` : '{"extra":true}')
}

export function over(call: Call): Iterable<Act> {
  const given = wordsAnswer(call)
  const limit = Math.max(call.ask.outputLimit ?? 0, given.outputTokens)
  return written(call, { ...given, reportedOutputTokens: limit * call.ask.choices + call.settings.extra })
}

export function endless(call: Call): Iterable<Act> {
  const { ask, settings } = call
  const pieces = wordsOf((ask.outputLimit ?? settings.tokens) + settings.extra)
  return written(call, answerOf([{ kind: 'text', pieces }], null, call.charge(), ask.choices))
}

export function contextTokens({ ask }: Call): Problem {
  const tokens = ask.segments.reduce((sum, segment) => sum + segment.tokens, 0)
  return { trouble: 'context', subject: String(tokens), param: 'messages' }
}

export function tools(call: Call): Iterable<Act> {
  return written(call, answer(call, spokenParts(call.ask, call.settings.ids)))
}

export function thinkingTools(call: Call): Iterable<Act> {
  return written(call, answer(call, [...thoughtOf(call), ...spokenParts(call.ask, call.settings.ids)]))
}
