/**
 * A chat request → a conversation in the neutral form. Understands what clients of other formats send in such a
 * body. Every field that has a row in the policy table, and every unknown one, is recorded with its position.
 */

import type { UrlFields } from '../client-routes.ts'
import type { ReadLimits } from '../format.ts'
import { readJson } from '../json/json.ts'
import { View } from '../json/view.ts'
import { type Effort, efforts } from '../translation/capabilities.ts'
import type {
  Conversation,
  ConversationTurn,
  OutputFormat,
  ProviderTool,
  Reasoning,
  RequestField,
  Sampling,
} from '../translation/neutral.ts'
import { readTurns } from './decode-request-messages.ts'
import { type ChatFieldList, readContent, textOrNull } from './decode-request-parts.ts'
import { readParallelCalls, readToolChoice, readTools } from './decode-request-tools.ts'

const topLogprobsMax = 20

/** Throws WireError; see `ClientCodec.decodeRequest`. */
export function decodeRequest(body: Uint8Array, limits: ReadLimits, _address: UrlFields): Conversation {
  return readJson(body, limits, (json) => conversationOf(new View(json, json.root), limits.integerMax))
}

function conversationOf(body: View, integerMax: number): Conversation {
  const fields: ChatFieldList = [...requestFields(body)]
  const model = body.get('model')
  const messages = body.get('messages')
  if (model === undefined) throw body.invalid('an object with a model')
  if (messages === undefined) throw body.invalid('an object with messages')
  if (messages.items().length === 0) throw messages.invalid('an array of at least one message')
  const turns = [...instructions(body, fields), ...readTurns(messages, fields)]
  const tools = readTools(body, fields)
  const logprobs = readLogprobs(body)
  return {
    model: model.text(),
    stream: body.get('stream')?.flag() ?? false,
    turns,
    tools,
    providerTools: providerTools(body),
    toolChoice: readToolChoice(body),
    parallelCalls: isOldest(body) ? false : readParallelCalls(body),
    outputLimit:
      (body.get('max_completion_tokens') ?? body.get('max_tokens'))?.integer(1, integerMax) ?? null,
    sampling: readSampling(body),
    stops: readStops(body.get('stop')),
    reasoning: readReasoning(body, integerMax),
    format: readFormat(body.get('response_format')),
    verbosity: body.get('verbosity')?.text() ?? null,
    user: wordIn(body, 'safety_identifier') ?? wordIn(body, 'user'),
    cacheKey: wordIn(body, 'prompt_cache_key'),
    logprobs,
    fields,
    responseOptions: {
      includeUsage: body.get('stream_options')?.get('include_usage')?.flag() ?? false,
      echo: isOldest(body) ? [[oldestForm, true]] : [],
      tools: tools.map(({ name, namespace, form }) => ({ name, namespace, form })),
      logprobs: logprobs !== null,
    },
  }
}

/** Passed to the response encoder: the caller reads `function_call`, not `tool_calls`. */
export const oldestForm = 'functions'

function isOldest(body: View): boolean {
  return body.get('tools') === undefined && body.get(oldestForm) !== undefined
}

/** Members read apart from the policy table: the conversation and the form of the answer. */
const structural = new Set(['model', 'messages', 'stream', 'stream_options'])

/** Values that say no more than leaving the field out. */
const meaningless: ReadonlyMap<string, (value: View) => boolean> = new Map<string, (value: View) => boolean>([
  ['n', (value) => value.written === '1'],
  ['service_tier', (value) => ['auto', 'default'].includes(textOrNull(value) ?? '')],
  ['store', isFalse],
  ['background', isFalse],
  ['deferred', isFalse],
  ['logprobs', isFalse],
  ['parallel_tool_calls', (value) => value.kind === 'true'],
  ['modalities', (value) => /^\[\s*"text"\s*\]$/.test(value.written)],
  ['response_format', (value) => textOrNull(value.get('type')) === 'text'],
  ['presence_penalty', isZero],
  ['frequency_penalty', isZero],
  ['top_logprobs', isZero],
  ['stop', (value) => value.isText && value.text() === ''],
])

function requestFields(body: View): readonly RequestField[] {
  const fields: RequestField[] = []
  for (const [name, value] of body.members()) {
    const isEmpty =
      (value.isList || value.kind === 'object') && /^[[{]\s*[\]}]$/.test(value.written.slice(0, 256))
    const saysNothing = value.isNull || isEmpty || meaningless.get(name)?.(value) === true
    // Asking for the search of the provider is an empty object.
    if (structural.has(name) || (saysNothing && !(isEmpty && name === 'web_search_options'))) continue
    fields.push({ name, pointer: value.pointer })
  }
  return fields
}

function isFalse(value: View): boolean {
  return value.kind === 'false'
}

function isZero(value: View): boolean {
  return /^-?0(\.0*)?$/.test(value.written)
}

/** Instructions outside of the messages, as in Messages. */
function instructions(body: View, fields: ChatFieldList): readonly ConversationTurn[] {
  const parts = readContent(body.get('system'), fields)
  return parts.length === 0 ? [] : [{ role: 'system', parts }]
}

function providerTools(body: View): readonly ProviderTool[] {
  const search = body.get('web_search_options')
  return search === undefined ? [] : [{ name: 'web_search', usesMax: null, pointer: search.pointer }]
}

function readSampling(body: View): Sampling {
  const numeral = (name: string) => body.get(name)?.numeral() ?? null
  const penalty = (name: string) => {
    const value = body.get(name)
    return value === undefined || isZero(value) ? null : value.numeral()
  }
  return {
    temperature: numeral('temperature'),
    topP: numeral('top_p'),
    topK: numeral('top_k'),
    presencePenalty: penalty('presence_penalty'),
    frequencyPenalty: penalty('frequency_penalty'),
    seed: numeral('seed'),
  }
}

function readStops(stop: View | undefined): readonly string[] {
  if (stop === undefined) return []
  const stops = stop.isText ? [stop.text()] : stop.items().map((one) => one.text())
  return stops.filter((text) => text !== '')
}

function readLogprobs(body: View): number | null {
  if (body.get('logprobs')?.flag() !== true) return null
  return body.get('top_logprobs')?.integer(0, topLogprobsMax) ?? 0
}

/** `reasoning_effort`, the `reasoning` object of other gateways, and `thinking` as Messages has it. */
function readReasoning(body: View, integerMax: number): Reasoning {
  const reasoning = body.get('reasoning')
  const thinking = body.get('thinking')
  const enabled = reasoning?.get('enabled')
  const budget =
    reasoning?.get('max_tokens')?.integer(0, integerMax) ??
    thinking?.get('budget_tokens')?.integer(0, integerMax) ??
    null
  const effort = effortOf(body.get('reasoning_effort')) ?? effortOf(reasoning?.get('effort'))
  const isOff = enabled?.kind === 'false' || textOrNull(thinking?.get('type')) === 'disabled'
  // Who switches it on and says no more means what other gateways take for it.
  const isOn = enabled?.kind === 'true' && budget === null
  return {
    effort: effort ?? (isOff ? 'none' : isOn ? 'medium' : null),
    budget,
    summaries: readSummaries(body, reasoning),
  }
}

function effortOf(value: View | undefined): Effort | null {
  if (value === undefined) return null
  const effort = efforts.find((known) => known === value.text())
  if (effort === undefined) throw value.invalid(`one of ${efforts.join(', ')}`)
  return effort
}

function readSummaries(body: View, reasoning: View | undefined): boolean | null {
  const included = body.get('include_reasoning')
  if (included !== undefined) return included.flag()
  if (reasoning === undefined) return null
  return reasoning.get('exclude')?.kind !== 'true'
}

function readFormat(format: View | undefined): OutputFormat | null {
  if (format === undefined) return null
  const type = format.get('type')
  switch (type?.text()) {
    case 'text':
      return null
    case 'json_object':
      return { kind: 'json' }
    case 'json_schema':
      return schemaFormat(format.get('json_schema') ?? format)
    default:
      throw (type ?? format).invalid('one of text, json_object and json_schema')
  }
}

function schemaFormat(named: View): OutputFormat {
  const schema = named.get('schema')
  if (schema === undefined || schema.kind !== 'object')
    throw (schema ?? named).invalid('an object with a schema')
  return {
    kind: 'schema',
    name: named.get('name')?.text() ?? null,
    description: named.get('description')?.text() ?? null,
    schema: schema.raw,
    strict: named.get('strict')?.flag() ?? null,
  }
}

function wordIn(body: View, name: string): string | null {
  const word = body.get(name)?.text() ?? ''
  return word === '' ? null : word
}
