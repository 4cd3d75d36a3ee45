/**
 * Every model of the sandbox and what it does, as a table: name, one sentence, the parameters it reads,
 * and the script of its response. Every name works in every format. Pure except for what `charge` remembers.
 */

import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { providerError } from '../errors.ts'
import { brokenAfter, byteByByte, insertedAfter, withOutputCount, withoutEndMark } from '../script/faults.ts'
import { finish } from '../script/script.ts'
import type { BehaviorSettings, ParameterName } from './parameters.ts'
import { text } from './plain-parts.ts'
import {
  afterEnd,
  answer,
  contextTokens,
  cutAfter,
  echo,
  endless,
  errorAfter,
  errorFirst,
  errorJson,
  fixed,
  longLine,
  over,
  pings,
  rejected,
  rejecting,
  type Scenario,
  thinkingParts,
  thinkingTools,
  toolParts,
  tools,
  words,
  wordsAnswer,
  written,
} from './scenarios.ts'

export interface Behavior {
  readonly name: string
  readonly does: string
  readonly parameters: readonly ParameterName[]
  /** The only format that the catalog offers; the sandbox itself answers in every format. Left out: all. */
  readonly formats?: readonly ConversationFormat[]
  /** `basic`: lists of models show it. `special`: it simulates a failure or a rare case, and answers by name only. */
  readonly testModel: 'basic' | 'special'
  /** Defaults of parameters that differ here. */
  readonly defaults: Partial<BehaviorSettings>
  readonly scenario: Scenario
}

/** The parameters of a row, and where their usual values are others. */
interface RowOptions {
  readonly parameters?: readonly ParameterName[]
  readonly defaults?: Partial<BehaviorSettings>
}

function row(name: string, does: string, scenario: Scenario, reads: RowOptions = {}): Behavior {
  const { parameters = [], defaults = {} } = reads
  return { name, does, scenario, parameters, defaults, testModel: 'special' }
}

function basic(name: string, does: string, scenario: Scenario, reads: RowOptions = {}): Behavior {
  return { ...row(name, does, scenario, reads), testModel: 'basic' }
}

const flow: readonly ParameterName[] = ['tokens', 'rate', 'delay']
const flowAndEvents: readonly ParameterName[] = [...flow, 'events']

const toolsDoes =
  'Calls a tool for each `use <tool> <JSON object>` in the last user message or in tool results; quotes any other results and echoes any other message.'

const toolsReads: RowOptions = { parameters: ['ids', 'rate', 'delay'] }
const thinkingToolsReads: RowOptions = { parameters: ['thinking', 'ids', 'rate', 'delay'] }

const formats: readonly (readonly [short: string, format: ConversationFormat, called: string])[] = [
  ['chat', 'openai-chat', 'Chat Completions'],
  ['responses', 'openai-responses', 'Responses'],
  ['messages', 'anthropic', 'Messages'],
  ['gemini', 'gemini', 'generateContent'],
]

/** For each format models that have no other, so that a translation to it can be tried; they mind every unknown field. */
const fixedFormats: readonly Behavior[] = formats.flatMap(([short, format, called]) =>
  [
    row(`sandbox-${short}-echo`, `Echoes the last user message, in ${called} only.`, echo),
    row(`sandbox-${short}-tools`, `In ${called} only. ${toolsDoes}`, tools, toolsReads),
    row(
      `sandbox-${short}-thinking-tools`,
      `In ${called} only. Reasons at every step. ${toolsDoes}`,
      thinkingTools,
      thinkingToolsReads,
    ),
  ].map((behavior) => ({ ...behavior, formats: [format] })),
)

export const behaviors: readonly Behavior[] = [
  basic('sandbox-echo', 'Echoes the last user message.', echo),
  basic('sandbox-stream', 'Generates common English words, one token and one event each.', words, {
    parameters: flow,
  }),
  basic(
    'sandbox-tool',
    'Calls the required tool, otherwise the first one, with arguments generated from its schema; quotes the results.',
    (call) => written(call, answer(call, toolParts(call))),
    { parameters: ['calls', 'ids', 'rate', 'delay'] },
  ),
  basic('sandbox-tools', toolsDoes, tools, toolsReads),
  row('sandbox-thinking-tools', `Reasons at every step. ${toolsDoes}`, thinkingTools, thinkingToolsReads),
  basic(
    'sandbox-think',
    'Reasons first, signed or encrypted as the format does (only counted in Chat Completions), then generates words.',
    (call) => written(call, answer(call, thinkingParts(call))),
    { parameters: ['thinking', ...flow] },
  ),
  row(
    'sandbox-slow',
    'Echoes after `delay` milliseconds without headers.',
    function* (call) {
      yield { kind: 'wait', ms: call.settings.delay }
      const { request, format, stamp } = call
      yield* format.answer({ request, answer: answer(call, [text(request.lastText)]), stamp })
    },
    { parameters: ['delay'], defaults: { delay: 5_000 } },
  ),
  row('sandbox-split', 'Echoes, writing each byte separately.', (call) => byteByByte(echo(call))),
  row('sandbox-flaky', 'Fails the first, third, fifth … request with 500 and echoes the others.', (call) =>
    call.earlier % 2 === 0 ? rejected(call, providerError('server')) : echo(call),
  ),
  row(
    'sandbox-over',
    'Reports `extra` more output tokens than the limit (or the response) allows, but generates no more than allowed.',
    over,
    { parameters: [...flow, 'extra'] },
  ),
  row(
    'sandbox-endless',
    'Ignores the output limit: generates and reports `extra` tokens beyond it.',
    endless,
    {
      parameters: [...flow, 'extra'],
    },
  ),
  row(
    'sandbox-no-usage',
    'Generates words and reports no usage.',
    (call) => written(call, { ...wordsAnswer(call), reportedOutputTokens: null }),
    { parameters: flow },
  ),
  row(
    'sandbox-odd-usage',
    'Generates words; the final output count in the usage is `value`, even if that is not valid JSON.',
    (call) => withOutputCount(words(call), call.settings.value),
    { parameters: [...flow, 'value'] },
  ),
  row('sandbox-refuse', 'Resets the connection as soon as the request is read, without a response.', () => [
    { kind: 'close', how: 'rst' },
  ]),
  row('sandbox-hang', 'Never sends headers.', () => [{ kind: 'silence' }]),
  row(
    'sandbox-hang-stream',
    'Sends `events` content events, then nothing more, and leaves the connection open.',
    (call) => brokenAfter(words(call), call.settings.events, () => [{ kind: 'silence' }]),
    { parameters: flowAndEvents },
  ),
  row(
    'sandbox-pings',
    'Starts a stream and then sends only pings, one every `delay` milliseconds; nothing if not streamed.',
    pings,
    { parameters: ['delay'], defaults: { delay: 1_000 } },
  ),
  row('sandbox-401', 'Rejects every credential.', rejecting('wrong_credential')),
  row(
    'sandbox-402-quota',
    "Reports that the gateway's credit with the provider is exhausted: 402 billing_error in Messages, otherwise 429.",
    rejecting('quota'),
  ),
  row('sandbox-400-context', 'Reports that the prompt is too long.', (call) =>
    rejected(call, contextTokens(call)),
  ),
  row(
    'sandbox-429',
    'Rate limited, with `retry` as its retry-after (in Gemini as the delay in the body).',
    (call) => rejected(call, providerError('rate_limit', call.settings.retry.replaceAll('_', ' '))),
    { parameters: ['retry'] },
  ),
  row('sandbox-500', 'Fails with 500.', rejecting('server')),
  row('sandbox-529', 'Overloaded: 529, in Gemini 503.', rejecting('overloaded')),
  row(
    'sandbox-error-first',
    'A 200 stream whose first event is an overloaded error; the error itself if not streamed.',
    errorFirst,
  ),
  row(
    'sandbox-error-after',
    'An error event after `events` content events, then a clean close; a 500 if not streamed.',
    errorAfter,
    { parameters: flowAndEvents },
  ),
  row(
    'sandbox-cut-after',
    'Closes the connection after `events` content events, as `how` specifies; inside the JSON if not streamed.',
    cutAfter,
    { parameters: [...flowAndEvents, 'how'] },
  ),
  row(
    'sandbox-garbage',
    'One event of truncated JSON after `events` content events, then continues normally.',
    (call) => insertedAfter(words(call), call.settings.events, finish(call.format.garbage)),
    { parameters: flowAndEvents },
  ),
  row(
    'sandbox-long-line',
    'After `events` content events, a line of `bytes` bytes without an end.',
    (call) => brokenAfter(words(call), call.settings.events, () => longLine(call)),
    { parameters: [...flowAndEvents, 'bytes'] },
  ),
  row(
    'sandbox-no-end',
    'A complete stream without its end marker (in Responses and Gemini: its last event), closed cleanly.',
    (call) => withoutEndMark(words(call)),
    {
      parameters: flow,
    },
  ),
  row('sandbox-after-end', 'A complete response, then its end marker again and more data.', afterEnd, {
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
  row('sandbox-empty', 'Status 200 with an empty body.', () =>
    fixed(200, { 'content-type': 'application/json' }, ''),
  ),
  row('sandbox-redirect', 'Status 302 to another path of the sandbox, which clients must not follow.', () =>
    fixed(302, { location: '/v1/redirected' }, ''),
  ),
  ...fixedFormats,
]

const byName: ReadonlyMap<string, Behavior> = new Map(behaviors.map((behavior) => [behavior.name, behavior]))

interface ModelChoice {
  readonly behavior: Behavior
  readonly settings: ReadonlyMap<ParameterName, string>
}

/** Finds the behavior of a model by its name, with the parameters in it; undefined: not one of our models. */
export function findModel(model: string): ModelChoice | undefined {
  const [name = '', ...settings] = model.split(':')
  const behavior = byName.get(name)
  if (behavior === undefined) return undefined
  const nameSettings = new Map<ParameterName, string>()
  for (const setting of settings) {
    const [key, value = ''] = setting.split('=', 2)
    const known = behavior.parameters.find((parameter) => parameter === key)
    if (known === undefined) return undefined
    nameSettings.set(known, value)
  }
  return { behavior, settings: nameSettings }
}
