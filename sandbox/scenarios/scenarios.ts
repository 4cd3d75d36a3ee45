/**
 * How the sandbox's behaviors respond to one request, as scripts: the good responses, the errors, the broken streams.
 * Knows no format; the table of behaviors says which name does what. Pure except for what `charge` remembers.
 */

import { type ProviderError, providerError, type SandboxErrorKind } from '../errors.ts'
import type { SandboxFormat } from '../format.ts'
import type { NormalizedRequest } from '../request/normalized-request.ts'
import { type AnswerPart, answerOf, type SandboxAnswer, type Stamp } from '../script/answer.ts'
import { brokenAfter, delayed, framed, paced } from '../script/faults.ts'
import {
  type BodyFraming,
  type Close,
  end,
  finish,
  frame,
  head,
  type InputUsage,
  type ResponseScript,
  type ScriptStep,
  type Write,
} from '../script/script.ts'
import type { BehaviorSettings, StreamCut } from './parameters.ts'
import { callOf, partsFromMessage, quotedResults, text } from './plain-parts.ts'
import { sampleArguments } from './sample.ts'
import { wordsOf } from './words.ts'

/** A request as behaviors see it. */
interface ScenarioInput {
  readonly request: NormalizedRequest
  readonly settings: BehaviorSettings
  readonly format: SandboxFormat
  readonly stamp: Stamp
  /** Requests that this behavior had before. */
  readonly earlier: number
  /** Charges the input and returns how it was split; only for answers, never for rejections. */
  readonly charge: () => InputUsage
}

export type Scenario = (call: ScenarioInput) => ResponseScript

export function answer({ request, charge }: ScenarioInput, parts: readonly AnswerPart[]): SandboxAnswer {
  return answerOf(parts, request.outputLimit, charge(), request.choices)
}

export function written(call: ScenarioInput, answer: SandboxAnswer): ResponseScript {
  const { request, format, stamp, settings } = call
  return paced(delayed(format.answer({ request, answer, stamp }), settings.delay), settings.rate)
}

export function echo(call: ScenarioInput): ResponseScript {
  return written(call, answer(call, [text(call.request.lastText)]))
}

export function wordsAnswer(call: ScenarioInput): SandboxAnswer {
  return answer(call, [{ kind: 'text', pieces: wordsOf(call.settings.tokens) }])
}

export function words(call: ScenarioInput): ResponseScript {
  return written(call, wordsAnswer(call))
}

export function toolParts({
  request: { tools, toolResults },
  settings,
}: ScenarioInput): readonly AnswerPart[] {
  if (toolResults.length > 0) return [quotedResults(toolResults)]
  const [tool] = tools
  if (tool === undefined) return [text('No tool to call.')]
  const call = callOf(tool.name, JSON.stringify(sampleArguments(tool.schema)), settings.ids)
  return Array.from({ length: settings.calls }, () => ({ ...call }))
}

function thoughtOf({ request, settings }: ScenarioInput): readonly AnswerPart[] {
  if (request.thinking === 'off') return []
  return [{ kind: 'thinking', pieces: wordsOf(settings.thinking), shown: request.thinking === 'shown' }]
}

export function thinkingParts(call: ScenarioInput): readonly AnswerPart[] {
  return [...thoughtOf(call), { kind: 'text', pieces: wordsOf(call.settings.tokens) }]
}

export function* rejected({ format, stamp }: ScenarioInput, found: ProviderError): Generator<ScriptStep> {
  const failure = format.errorResponse(found, stamp.requestId)
  yield head(failure.status, failure.headers)
  yield finish(failure.body)
}

/** A behavior that rejects every request for the same reason. */
export function rejecting(kind: SandboxErrorKind): Scenario {
  return (call) => rejected(call, providerError(kind))
}

function errorEvent(
  { format, request, stamp }: ScenarioInput,
  kind: SandboxErrorKind,
  events: number,
): Write {
  return finish(format.errorEvent(providerError(kind), { request, stamp, events }))
}

const streamHead = head(200, { 'content-type': 'text/event-stream; charset=utf-8' })
const cleanClose: ScriptStep = { kind: 'close', how: 'clean' }

export function* errorFirst(call: ScenarioInput): Generator<ScriptStep> {
  if (!call.request.stream) return yield* rejected(call, providerError('overloaded'))
  yield streamHead
  yield errorEvent(call, 'overloaded', 0)
  yield cleanClose
}

export function errorAfter(call: ScenarioInput): ResponseScript {
  if (!call.request.stream) return rejected(call, providerError('server'))
  return brokenAfter(words(call), call.settings.events, (played) => [
    errorEvent(call, 'server', played),
    cleanClose,
  ])
}

const cutSteps: Readonly<Record<StreamCut, { readonly how: Close; readonly framing: BodyFraming }>> = {
  fin: { how: 'fin', framing: 'chunked' },
  rst: { how: 'rst', framing: 'chunked' },
  clean: { how: 'clean', framing: 'chunked' },
  short: { how: 'fin', framing: 'declared' },
  until_close: { how: 'fin', framing: 'until_close' },
}

export function cutAfter(call: ScenarioInput): ResponseScript {
  const { how, framing } = cutSteps[call.settings.how]
  return framed(
    brokenAfter(words(call), call.settings.events, () => [{ kind: 'close', how }]),
    framing,
  )
}

export function* fixed(status: number, headers: Record<string, string>, body: string): Generator<ScriptStep> {
  yield head(status, headers)
  yield finish(body)
}

export function errorJson(call: ScenarioInput): ResponseScript {
  const { headers, body } = call.format.errorResponse(providerError('server'), call.stamp.requestId)
  return fixed(200, headers, body)
}

const lineStep = 65_536

export function* longLine({ settings }: ScenarioInput): Generator<ScriptStep> {
  yield frame('data: {"padding":"')
  for (let sent = 0; sent < settings.bytes; sent += lineStep) yield frame('x'.repeat(lineStep))
  yield cleanClose
}

const pingsMax = 10_000

function* pingScript({ format, settings }: ScenarioInput): Generator<ScriptStep> {
  for (let sent = 0; sent < pingsMax; sent += 1) {
    yield { kind: 'wait', ms: settings.delay }
    yield frame(format.ping)
  }
  yield cleanClose
}

export function pings(call: ScenarioInput): ResponseScript {
  const { request, format, stamp } = call
  if (!request.stream) return [{ kind: 'silence' }]
  return brokenAfter(format.answer({ request, answer: wordsAnswer(call), stamp }), 0, () => pingScript(call))
}

export function* afterEnd(call: ScenarioInput): Generator<ScriptStep> {
  const { format } = call
  yield* words(call)
  yield end(call.request.stream ? `${format.endMark}${format.ping}${format.endMark}` : '{"extra":true}')
}

export function over(call: ScenarioInput): ResponseScript {
  const answer = wordsAnswer(call)
  const limit = Math.max(call.request.outputLimit ?? 0, answer.outputTokens)
  return written(call, {
    ...answer,
    reportedOutputTokens: limit * call.request.choices + call.settings.extra,
  })
}

export function endless(call: ScenarioInput): ResponseScript {
  const { request, settings } = call
  const pieces = wordsOf((request.outputLimit ?? settings.tokens) + settings.extra)
  return written(call, answerOf([{ kind: 'text', pieces }], null, call.charge(), request.choices))
}

export function contextTokens({ request }: ScenarioInput): ProviderError {
  const tokens = request.segments.reduce((sum, segment) => sum + segment.tokens, 0)
  return { kind: 'context', subject: String(tokens), param: 'messages' }
}

export function tools(call: ScenarioInput): ResponseScript {
  return written(call, answer(call, partsFromMessage(call.request, call.settings.ids)))
}

export function thinkingTools(call: ScenarioInput): ResponseScript {
  return written(
    call,
    answer(call, [...thoughtOf(call), ...partsFromMessage(call.request, call.settings.ids)]),
  )
}
