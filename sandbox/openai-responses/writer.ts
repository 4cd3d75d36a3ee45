/**
 * Writes a response as OpenAI does on Responses, streamed or whole: item for item, field for field and event for
 * event, one generated token per event. Yields a script; sends nothing itself.
 */

import type { JsonObject } from '../request/normalized-request.ts'
import {
  type AnswerPart,
  type AnswerStop,
  argumentsOf,
  inputTotal,
  type WriterInput,
} from '../script/answer.ts'
import {
  bodyScript,
  content,
  end,
  frame,
  head,
  type ResponseScript,
  type ScriptStep,
  thought,
} from '../script/script.ts'
import { draftReasoning, encryptReasoning, itemId } from '../signature.ts'
import { responseHead, responsesEvent } from './errors.ts'

/** OpenAI pads every delta to hide the length of its tokens. */
const padding = 'sandboxsandboxsandbox'
const paddedMax = 16

const statuses: Readonly<Record<AnswerStop, 'completed' | 'incomplete'>> = {
  done: 'completed',
  call: 'completed',
  length: 'incomplete',
}

/** A whole answer that holds nothing, for streams that end more than once. */
export const responsesEndMark = responsesEvent(
  'response.completed',
  { response: { id: 'resp_sandbox', object: 'response', status: 'completed', output: [], usage: null } },
  0,
)

function usageOf({ answer }: WriterInput): JsonObject | null {
  const { reportedOutputTokens: output } = answer
  if (output === null) return null
  const input = inputTotal(answer.input)
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: answer.reasoningTokens },
    total_tokens: input + output,
  }
}

/** A part of an answer that becomes an item. */
interface OutputPlace {
  readonly turn: WriterInput
  readonly part: AnswerPart
  readonly index: number
}

const prefixes: Readonly<Record<AnswerPart['kind'], string>> = { thinking: 'rs', text: 'msg', call: 'fc' }

function idOf({ turn: { answer, stamp }, part, index }: OutputPlace): string {
  const reasoned = answer.parts.some(({ kind }) => kind === 'thinking')
  return itemId({ prefix: prefixes[part.kind], unique: stamp.unique, reasoned }, index)
}

function callId({ turn, index }: OutputPlace): string {
  return `call_${turn.stamp.unique}${String(index).padStart(2, '0')}`
}

/** Only the last part can have been cut. */
function statusOf({ turn: { answer }, part }: OutputPlace): string {
  const isCut = answer.stop === 'length' && part === answer.parts.at(-1)
  return isCut && (part.kind !== 'call' || argumentsOf(part) === undefined) ? 'incomplete' : 'completed'
}

function textPart(text: string): JsonObject {
  return { type: 'output_text', annotations: [], logprobs: [], text }
}

function summaryOf(part: AnswerPart): readonly JsonObject[] {
  if (part.kind !== 'thinking' || !part.shown) return []
  return [{ type: 'summary_text', text: part.pieces.join('') }]
}

/** The item that has only begun. */
function openedItem(place: OutputPlace): JsonObject {
  const { part, turn } = place
  const id = idOf(place)
  if (part.kind === 'text')
    return { id, type: 'message', status: 'in_progress', content: [], role: 'assistant' }
  if (part.kind === 'thinking') {
    const opaque = turn.request.hasEncryptedReasoning
      ? { encrypted_content: draftReasoning(turn.stamp.unique) }
      : {}
    return { id, type: 'reasoning', ...opaque, summary: [] }
  }
  const call = { arguments: '', call_id: callId(place), name: part.tool }
  return { id, type: 'function_call', status: 'in_progress', ...call }
}

/** The item as in the response. */
function finishedItem(place: OutputPlace): JsonObject {
  const { part, turn } = place
  const item = openedItem(place)
  const text = part.pieces.join('')
  if (part.kind === 'text') return { ...item, status: statusOf(place), content: [textPart(text)] }
  if (part.kind === 'call') return { ...item, status: statusOf(place), arguments: text }
  const opaque = turn.request.hasEncryptedReasoning
    ? { encrypted_content: encryptReasoning(turn.stamp.unique) }
    : {}
  return { ...item, ...opaque, summary: summaryOf(part) }
}

function placesOf(turn: WriterInput): readonly OutputPlace[] {
  return turn.answer.parts.map((part, index) => ({ turn, part, index }))
}

/** The output items as they are stored: reasoning with its encrypted content. */
export function outputItems(turn: WriterInput): readonly JsonObject[] {
  return placesOf({ ...turn, request: { ...turn.request, hasEncryptedReasoning: true } }).map(finishedItem)
}

function beginning(turn: WriterInput): JsonObject {
  return {
    ...responseHead(turn),
    status: 'in_progress',
    completed_at: null,
    error: null,
    incomplete_details: null,
    output: [],
    service_tier: 'auto',
    usage: null,
  }
}

/** The completed response, as it is stored and as it ends a stream. */
export function ending(turn: WriterInput): JsonObject {
  const { request, answer, stamp } = turn
  const isWhole = answer.stop !== 'length'
  return {
    ...beginning(turn),
    status: statuses[answer.stop],
    completed_at: isWhole ? stamp.createdSeconds : null,
    incomplete_details: isWhole ? null : { reason: 'max_output_tokens' },
    output: placesOf(turn).map(finishedItem),
    service_tier: request.serviceTier,
    usage: usageOf(turn),
  }
}

type WriteEvent = (type: string, fields: JsonObject) => string

/** Streaming differences between kinds of items. */
interface ItemStream {
  readonly before: readonly (readonly [type: string, fields: JsonObject])[]
  /** The event of one piece; '' where it is made without being shown. */
  readonly delta: (piece: string, write: WriteEvent) => string
  readonly after: readonly (readonly [type: string, fields: JsonObject])[]
}

function padOf(text: string): string {
  return padding.slice(0, paddedMax - (text.length % paddedMax))
}

function textStream(place: OutputPlace): ItemStream {
  const at = { content_index: 0, item_id: idOf(place), output_index: place.index }
  const text = place.part.pieces.join('')
  return {
    before: [['response.content_part.added', { ...at, part: textPart('') }]],
    delta: (delta, write) =>
      write('response.output_text.delta', { ...at, delta, logprobs: [], obfuscation: padOf(delta) }),
    after: [
      ['response.output_text.done', { ...at, logprobs: [], text }],
      ['response.content_part.done', { ...at, part: textPart(text) }],
    ],
  }
}

function callStream(place: OutputPlace): ItemStream {
  const at = { item_id: idOf(place), output_index: place.index }
  return {
    before: [],
    delta: (delta, write) => write('response.function_call_arguments.delta', { ...at, delta }),
    after: [['response.function_call_arguments.done', { ...at, arguments: place.part.pieces.join('') }]],
  }
}

function reasoningStream(place: OutputPlace): ItemStream {
  const at = { item_id: idOf(place), output_index: place.index, summary_index: 0 }
  const [summary] = summaryOf(place.part)
  if (summary === undefined) return { before: [], delta: () => '', after: [] }
  const { text } = summary
  return {
    before: [['response.reasoning_summary_part.added', { ...at, part: { ...summary, text: '' } }]],
    delta: (delta, write) =>
      write('response.reasoning_summary_text.delta', { ...at, delta, obfuscation: padOf(delta) }),
    after: [
      ['response.reasoning_summary_text.done', { ...at, text }],
      ['response.reasoning_summary_part.done', { ...at, part: summary }],
    ],
  }
}

const streams: Readonly<Record<AnswerPart['kind'], (place: OutputPlace) => ItemStream>> = {
  text: textStream,
  call: callStream,
  thinking: reasoningStream,
}

const tokens: Readonly<Record<AnswerPart['kind'], (text: string) => ScriptStep>> = {
  text: content,
  call: content,
  thinking: thought,
}

function* itemActs(place: OutputPlace, write: WriteEvent): Generator<ScriptStep> {
  const { part, index } = place
  const { before, delta, after } = streams[part.kind](place)
  yield frame(write('response.output_item.added', { item: openedItem(place), output_index: index }))
  for (const [type, fields] of before) yield frame(write(type, fields))
  for (const piece of part.pieces) yield tokens[part.kind](delta(piece, write))
  for (const [type, fields] of after) yield frame(write(type, fields))
  yield frame(write('response.output_item.done', { item: finishedItem(place), output_index: index }))
}

function* streamed(turn: WriterInput): Generator<ScriptStep> {
  const { answer } = turn
  let sequence = 0
  const write: WriteEvent = (type, fields) => responsesEvent(type, fields, sequence++)
  yield head(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  yield { kind: 'charge', input: answer.input }
  yield frame(write('response.created', { response: beginning(turn) }))
  yield frame(write('response.in_progress', { response: beginning(turn) }))
  for (const place of placesOf(turn)) yield* itemActs(place, write)
  const response = ending(turn)
  if (answer.reportedOutputTokens !== null)
    yield { kind: 'report', outputTokens: answer.reportedOutputTokens }
  // The end mark and the usage are one event here.
  yield end(write(`response.${statuses[answer.stop]}`, { response }))
}

/** The whole answer is made first, token by token, and then sent. */
function* whole(turn: WriterInput): Generator<ScriptStep> {
  const { answer } = turn
  yield { kind: 'charge', input: answer.input }
  for (const part of answer.parts) {
    for (let made = 0; made < part.pieces.length; made += 1) yield tokens[part.kind]('')
  }
  yield head(200, { 'content-type': 'application/json' })
  if (answer.reportedOutputTokens !== null)
    yield { kind: 'report', outputTokens: answer.reportedOutputTokens }
  yield* bodyScript(JSON.stringify(ending(turn)))
}

export function responsesAnswer(turn: WriterInput): ResponseScript {
  return turn.request.stream ? streamed(turn) : whole(turn)
}
