/**
 * Every model of the sandbox and what it does, as a table: name, one sentence, the parameters it reads,
 * and the acts it answers with. The same names work in both dialects. Pure but for what `charge` remembers.
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
import {
  brokenAfter,
  byteByByte,
  delayed,
  framed,
  insertedAfter,
  paced,
  withOutputCount,
  withoutEndMark,
} from './faults.ts'
import type { Cut, ParameterName, Settings } from './parameters.ts'
import { type Problem, problem, type Trouble } from './problem.ts'
import { sampleArguments } from './sample.ts'
import { sandboxPieces } from './tokens.ts'
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

export interface Behaviour {
  readonly name: string
  readonly does: string
  readonly parameters: readonly ParameterName[]
  /** Where the usual value of a parameter is another one here. */
  readonly defaults: Partial<Settings>
  readonly play: (call: Call) => Iterable<Act>
}

function text(words: string): Part {
  return { kind: 'text', pieces: sandboxPieces(words) }
}

function answer({ ask, charge }: Call, parts: readonly Part[]): Answer {
  return answerOf(parts, ask.outputLimit, charge(), ask.choices)
}

function written(call: Call, given: Answer): Iterable<Act> {
  const { ask, dialect, stamp, settings } = call
  return paced(delayed(dialect.answer({ ask, answer: given, stamp }), settings.delay), settings.rate)
}

function echo(call: Call): Iterable<Act> {
  return written(call, answer(call, [text(call.ask.lastText)]))
}

function wordsAnswer(call: Call): Answer {
  return answer(call, [{ kind: 'text', pieces: wordsOf(call.settings.tokens) }])
}

function words(call: Call): Iterable<Act> {
  return written(call, wordsAnswer(call))
}

function toolParts({ ask: { tool, toolResults }, settings }: Call): readonly Part[] {
  if (toolResults.length > 0) return [text(`The tool answered: ${toolResults.join(' | ')}`)]
  if (tool === null) return [text('There is no tool to call.')]
  const pieces = sandboxPieces(JSON.stringify(sampleArguments(tool.schema)))
  return Array.from({ length: settings.calls }, () => ({ kind: 'call', tool: tool.name, pieces }))
}

function thinkingParts({ ask, settings }: Call): readonly Part[] {
  const reply: Part = { kind: 'text', pieces: wordsOf(settings.tokens) }
  if (ask.thinking === 'off') return [reply]
  return [{ kind: 'thinking', pieces: wordsOf(settings.thinking), shown: ask.thinking === 'shown' }, reply]
}

function* refused(
  { dialect, stamp }: Call,
  found: Problem,
  headers: Record<string, string> = {},
): Generator<Act> {
  const failure = dialect.failure(found, stamp.requestId)
  yield head(failure.status, { ...failure.headers, ...headers })
  yield finish(failure.body)
}

/** A behaviour that refuses every request for the same reason. */
function refusing(trouble: Trouble): Behaviour['play'] {
  return (call) => refused(call, problem(trouble))
}

function errorEvent({ dialect, stamp }: Call, trouble: Trouble): Write {
  return finish(dialect.errorEvent(problem(trouble), stamp.requestId))
}

const streamHead = head(200, { 'content-type': 'text/event-stream; charset=utf-8' })
const cleanClose: Act = { kind: 'close', how: 'clean' }

function* errorFirst(call: Call): Generator<Act> {
  if (!call.ask.stream) return yield* refused(call, problem('overloaded'))
  yield streamHead
  yield errorEvent(call, 'overloaded')
  yield cleanClose
}

function errorAfter(call: Call): Iterable<Act> {
  if (!call.ask.stream) return refused(call, problem('server'))
  return brokenAfter(words(call), call.settings.events, [errorEvent(call, 'server'), cleanClose])
}

const cutActs: Readonly<Record<Cut, { readonly how: Close; readonly framing: Framing }>> = {
  fin: { how: 'fin', framing: 'chunked' },
  rst: { how: 'rst', framing: 'chunked' },
  clean: { how: 'clean', framing: 'chunked' },
  short: { how: 'fin', framing: 'declared' },
  until_close: { how: 'fin', framing: 'until_close' },
}

function cutAfter(call: Call): Iterable<Act> {
  const { how, framing } = cutActs[call.settings.how]
  return framed(brokenAfter(words(call), call.settings.events, [{ kind: 'close', how }]), framing)
}

function* fixed(status: number, headers: Record<string, string>, body: string): Generator<Act> {
  yield head(status, headers)
  yield finish(body)
}

function errorJson(call: Call): Iterable<Act> {
  const { headers, body } = call.dialect.failure(problem('server'), call.stamp.requestId)
  return fixed(200, headers, body)
}

const lineStep = 65_536

function* longLine({ settings }: Call): Generator<Act> {
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

function pings(call: Call): Iterable<Act> {
  const { ask, dialect, stamp } = call
  if (!ask.stream) return [{ kind: 'silence' }]
  return brokenAfter(dialect.answer({ ask, answer: wordsAnswer(call), stamp }), 0, pingActs(call))
}

function* afterEnd(call: Call): Generator<Act> {
  const { dialect } = call
  yield* words(call)
  yield end(call.ask.stream ? `${dialect.endMark}${dialect.ping}${dialect.endMark}` : '{"extra":true}')
}

function over(call: Call): Iterable<Act> {
  const given = wordsAnswer(call)
  const limit = Math.max(call.ask.outputLimit ?? 0, given.outputTokens)
  return written(call, { ...given, reportedOutputTokens: limit * call.ask.choices + call.settings.extra })
}

function endless(call: Call): Iterable<Act> {
  const { ask, settings } = call
  const pieces = wordsOf((ask.outputLimit ?? settings.tokens) + settings.extra)
  return written(call, answerOf([{ kind: 'text', pieces }], null, call.charge(), ask.choices))
}

function contextTokens({ ask }: Call): Problem {
  const tokens = ask.segments.reduce((sum, segment) => sum + segment.tokens, 0)
  return { trouble: 'context', subject: String(tokens), param: 'messages' }
}

function row(
  name: string,
  does: string,
  play: Behaviour['play'],
  reads: { readonly parameters?: readonly ParameterName[]; readonly defaults?: Partial<Settings> } = {},
): Behaviour {
  return { name, does, play, parameters: reads.parameters ?? [], defaults: reads.defaults ?? {} }
}

const flow: readonly ParameterName[] = ['tokens', 'rate', 'delay']
const flowAndEvents: readonly ParameterName[] = [...flow, 'events']

export const behaviours: readonly Behaviour[] = [
  row('sandbox-echo', 'Answers with the text of the last user message.', echo),
  row('sandbox-stream', 'Answers with common English words, one token and one event each.', words, {
    parameters: flow,
  }),
  row(
    'sandbox-tool',
    'Calls the tool that is demanded, else the first one, with arguments made from its schema; quotes the results it is given.',
    (call) => written(call, answer(call, toolParts(call))),
    { parameters: ['calls', 'rate', 'delay'] },
  ),
  row(
    'sandbox-think',
    'Reasons first: signed thinking in Messages, hidden and only counted in Chat Completions; then words.',
    (call) => written(call, answer(call, thinkingParts(call))),
    { parameters: ['thinking', ...flow] },
  ),
  row(
    'sandbox-slow',
    'Echoes, but sends no headers for `delay` milliseconds.',
    function* (call) {
      yield { kind: 'wait', ms: call.settings.delay }
      const { ask, dialect, stamp } = call
      yield* dialect.answer({ ask, answer: answer(call, [text(ask.lastText)]), stamp })
    },
    { parameters: ['delay'], defaults: { delay: 5_000 } },
  ),
  row('sandbox-split', 'Echoes, every byte written on its own.', (call) => byteByByte(echo(call))),
  row('sandbox-flaky', 'Answers the first, third, fifth … request with 500 and echoes the others.', (call) =>
    call.earlier % 2 === 0 ? refused(call, problem('server')) : echo(call),
  ),
  row(
    'sandbox-over',
    'Reports `extra` more output tokens than the limit (or the answer) allows; makes no more than allowed.',
    over,
    { parameters: [...flow, 'extra'] },
  ),
  row('sandbox-endless', 'Ignores the output limit: makes and reports `extra` tokens beyond it.', endless, {
    parameters: [...flow, 'extra'],
  }),
  row(
    'sandbox-no-usage',
    'Answers with words and tells no usage anywhere.',
    (call) => written(call, { ...wordsAnswer(call), reportedOutputTokens: null }),
    { parameters: flow },
  ),
  row(
    'sandbox-odd-usage',
    'Answers with words; where the usage tells the final output count stands `value`, be it JSON or not.',
    (call) => withOutputCount(words(call), call.settings.value),
    { parameters: [...flow, 'value'] },
  ),
  row(
    'sandbox-refuse',
    'Resets the connection as soon as the request is read, without a byte of answer.',
    () => [{ kind: 'close', how: 'rst' }],
  ),
  row('sandbox-hang', 'Never sends headers.', () => [{ kind: 'silence' }]),
  row(
    'sandbox-hang-stream',
    'Sends `events` content events and then nothing more, the connection left open.',
    (call) => brokenAfter(words(call), call.settings.events, [{ kind: 'silence' }]),
    { parameters: flowAndEvents },
  ),
  row(
    'sandbox-pings',
    'Begins a stream and then sends only pings, one every `delay` milliseconds; not streamed, nothing.',
    pings,
    { parameters: ['delay'], defaults: { delay: 1_000 } },
  ),
  row('sandbox-401', 'Refuses the credential as wrong, whatever it is.', refusing('wrong_credential')),
  row(
    'sandbox-402-quota',
    "Says that the operator's own credit with the provider is used up: 429 insufficient_quota in Chat Completions, 402 billing_error in Messages.",
    refusing('quota'),
  ),
  row('sandbox-400-context', 'Says that the prompt is too long.', (call) =>
    refused(call, contextTokens(call)),
  ),
  row(
    'sandbox-429',
    'Rate limited, with `retry` as its retry-after.',
    (call) =>
      refused(call, problem('rate_limit'), { 'retry-after': call.settings.retry.replaceAll('_', ' ') }),
    { parameters: ['retry'] },
  ),
  row('sandbox-500', 'Fails with 500.', refusing('server')),
  row('sandbox-529', 'Overloaded, 529.', refusing('overloaded')),
  row(
    'sandbox-error-first',
    'A 200 stream whose first event is an overloaded error; not streamed, the error itself.',
    errorFirst,
  ),
  row(
    'sandbox-error-after',
    'An error event after `events` content events, then a clean close; not streamed, a 500.',
    errorAfter,
    { parameters: flowAndEvents },
  ),
  row(
    'sandbox-cut-after',
    'Cuts the connection after `events` content events, in the way that `how` names; not streamed, inside the JSON.',
    cutAfter,
    { parameters: [...flowAndEvents, 'how'] },
  ),
  row(
    'sandbox-garbage',
    'One event of cut JSON after `events` content events, then goes on as if nothing were.',
    (call) => insertedAfter(words(call), call.settings.events, finish(call.dialect.garbage)),
    { parameters: flowAndEvents },
  ),
  row(
    'sandbox-long-line',
    'After `events` content events a line of `bytes` bytes that never ends.',
    (call) => brokenAfter(words(call), call.settings.events, longLine(call)),
    { parameters: [...flowAndEvents, 'bytes'] },
  ),
  row(
    'sandbox-no-end',
    'A whole stream that lacks only its end mark, closed cleanly.',
    (call) => withoutEndMark(words(call)),
    {
      parameters: flow,
    },
  ),
  row('sandbox-after-end', 'A whole answer, then its end mark again and more.', afterEnd, {
    parameters: flow,
  }),
  row('sandbox-error-json', 'Status 200 with the JSON of an error.', errorJson),
  row('sandbox-html', 'Status 200 with an HTML page.', () =>
    fixed(
      200,
      { 'content-type': 'text/html; charset=utf-8' },
      '<!doctype html><title>Sandbox</title><p>This is a page.</p>',
    ),
  ),
  row('sandbox-empty', 'Status 200 with nothing in it.', () =>
    fixed(200, { 'content-type': 'application/json' }, ''),
  ),
  row('sandbox-redirect', 'Status 302 to another path of the sandbox, which nobody should follow.', () =>
    fixed(302, { location: '/v1/redirected' }, ''),
  ),
]

const byName: ReadonlyMap<string, Behaviour> = new Map(
  behaviours.map((behaviour) => [behaviour.name, behaviour]),
)

export interface NamedModel {
  readonly behaviour: Behaviour
  /** What the name itself sets. */
  readonly given: ReadonlyMap<ParameterName, string>
}

/** The behaviour that a model's name asks for, with the parameters in the name; undefined for no model of ours. */
export function findModel(model: string): NamedModel | undefined {
  const [name = '', ...settings] = model.split(':')
  const behaviour = byName.get(name)
  if (behaviour === undefined) return undefined
  const given = new Map<ParameterName, string>()
  for (const setting of settings) {
    const [key, value = ''] = setting.split('=', 2)
    const known = behaviour.parameters.find((parameter) => parameter === key)
    if (known === undefined) return undefined
    given.set(known, value)
  }
  return { behaviour, given }
}
