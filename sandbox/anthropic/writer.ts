/**
 * Writes a response as Anthropic does on Messages, streamed or whole: field for field and event for event,
 * one generated token per event, its JSON padded with blanks. Yields a script; sends nothing itself.
 */

import type { JsonObject } from '../request/normalized-request.ts'
import { type AnswerPart, type AnswerStop, argumentsOf, type WriterInput } from '../script/answer.ts'
import {
  bodyScript,
  content,
  end,
  finish,
  frame,
  head,
  type ResponseScript,
  type ScriptStep,
  thought,
} from '../script/script.ts'
import { signThinking } from '../signature.ts'

export const messagesPing = 'event: ping\ndata: {"type": "ping"}\n\n'

const stopReasons: Readonly<Record<AnswerStop, string>> = {
  done: 'end_turn',
  length: 'max_tokens',
  call: 'tool_use',
}
const paddedMax = 16

/** Encodes an event with blanks before its last brace, as the provider does. */
function event(value: { readonly type: string } & JsonObject): string {
  const json = JSON.stringify(value)
  return `event: ${value.type}\ndata: ${json.slice(0, -1)}${' '.repeat(json.length % paddedMax)}}\n\n`
}

export const messagesEndMark = event({ type: 'message_stop' })

function inputUsage({ answer: { input } }: WriterInput): JsonObject {
  return {
    input_tokens: input.uncached,
    cache_creation_input_tokens: input.cacheWrite5m + input.cacheWrite1h,
    cache_read_input_tokens: input.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: input.cacheWrite5m,
      ephemeral_1h_input_tokens: input.cacheWrite1h,
    },
  }
}

function outputUsage({ answer }: WriterInput, outputTokens: number): JsonObject {
  const details =
    answer.reasoningTokens > 0 ? { output_tokens_details: { thinking_tokens: answer.reasoningTokens } } : {}
  return { output_tokens: outputTokens, ...details }
}

function whereUsage({ request }: WriterInput): JsonObject {
  const speed = request.speed === null ? {} : { speed: request.speed }
  return { service_tier: request.serviceTier, inference_geo: request.inferenceGeo, ...speed }
}

/** `usage` itself, or no field at all where the behavior leaves it out. */
function usageField({ answer }: WriterInput, usage: JsonObject): JsonObject {
  return answer.reportedOutputTokens === null ? {} : { usage }
}

/** The block as in a response; a call that was cut has no arguments, because truncated ones are not JSON. */
function blockOf(part: AnswerPart, index: number, turn: WriterInput): JsonObject {
  const text = part.pieces.join('')
  if (part.kind === 'text') return { type: 'text', text }
  if (part.kind === 'thinking')
    return { type: 'thinking', thinking: shown(part), signature: signatureOf(part, turn) }
  return { ...callStart(part.tool, index, turn.stamp.unique), input: argumentsOf(part) ?? {} }
}

type Thinking = Extract<AnswerPart, { kind: 'thinking' }>

function shown(part: Thinking): string {
  return part.shown ? part.pieces.join('') : ''
}

function signatureOf(part: Thinking, { request, answer }: WriterInput): string {
  const before = answer.parts.slice(0, answer.parts.indexOf(part)).filter(({ kind }) => kind === 'thinking')
  return signThinking(shown(part), request.earlierThoughts + before.length)
}

function callStart(tool: string, index: number, unique: string): JsonObject {
  const id = `toolu_01${unique.slice(2)}${String(index).padStart(2, '0')}`
  return { type: 'tool_use', id, name: tool, input: {}, caller: { type: 'direct' } }
}

/** Streaming differences between kinds of blocks. */
interface BlockStream {
  readonly start: JsonObject
  readonly delta: (piece: string) => JsonObject
  /** Deltas without tokens, before and after the deltas with tokens. */
  readonly before: readonly JsonObject[]
  readonly after: readonly JsonObject[]
}

function blockStream(part: AnswerPart, index: number, turn: WriterInput): BlockStream {
  if (part.kind === 'text') {
    const start = { type: 'text', text: '' }
    return { start, delta: (text) => ({ type: 'text_delta', text }), before: [], after: [] }
  }
  if (part.kind === 'thinking') {
    return {
      start: { type: 'thinking', thinking: '', signature: '' },
      delta: (thinking) => ({ type: 'thinking_delta', thinking }),
      before: [],
      after: [{ type: 'signature_delta', signature: signatureOf(part, turn) }],
    }
  }
  return {
    start: callStart(part.tool, index, turn.stamp.unique),
    delta: (partial_json) => ({ type: 'input_json_delta', partial_json }),
    before: [{ type: 'input_json_delta', partial_json: '' }],
    after: [],
  }
}

function* blockActs(part: AnswerPart, index: number, turn: WriterInput): Generator<ScriptStep> {
  const stream = blockStream(part, index, turn)
  const deltaEvent = (delta: JsonObject) => event({ type: 'content_block_delta', index, delta })
  yield frame(event({ type: 'content_block_start', index, content_block: stream.start }))
  if (index === 0) yield frame(messagesPing)
  for (const delta of stream.before) yield frame(deltaEvent(delta))
  for (const piece of part.pieces) {
    const text = deltaEvent(stream.delta(piece))
    if (part.kind === 'thinking') yield thought(part.shown ? text : '')
    else yield content(text)
  }
  for (const delta of stream.after) yield frame(deltaEvent(delta))
  yield frame(event({ type: 'content_block_stop', index }))
}

function messageOf(turn: WriterInput, fields: JsonObject): JsonObject {
  return {
    model: turn.request.model,
    id: `msg_01${turn.stamp.unique}`,
    type: 'message',
    role: 'assistant',
    ...fields,
  }
}

function* streamed(turn: WriterInput): Generator<ScriptStep> {
  const { answer } = turn
  yield head(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  yield { kind: 'charge', input: answer.input }
  const early = { ...inputUsage(turn), output_tokens: Math.min(1, answer.outputTokens), ...whereUsage(turn) }
  const opening = { content: [], stop_reason: null, stop_sequence: null, stop_details: null }
  const message = messageOf(turn, { ...opening, ...usageField(turn, early) })
  yield frame(event({ type: 'message_start', message }))
  for (const [index, part] of answer.parts.entries()) yield* blockActs(part, index, turn)

  const reported = answer.reportedOutputTokens
  if (reported !== null) yield { kind: 'report', outputTokens: reported }
  const { cache_creation: _, ...input } = inputUsage(turn)
  const usage = usageField(turn, { ...input, ...outputUsage(turn, reported ?? 0) })
  const delta = { stop_reason: stopReasons[answer.stop], stop_sequence: null, stop_details: null }
  yield finish(event({ type: 'message_delta', delta, ...usage }))
  yield end(messagesEndMark)
}

/** The whole answer is made first, token by token, and then sent. */
function* whole(turn: WriterInput): Generator<ScriptStep> {
  const { answer } = turn
  yield { kind: 'charge', input: answer.input }
  for (const part of answer.parts) {
    const token = part.kind === 'thinking' ? thought('') : content('')
    for (let made = 0; made < part.pieces.length; made += 1) yield token
  }
  const reported = answer.reportedOutputTokens
  const usage = { ...inputUsage(turn), ...outputUsage(turn, reported ?? 0), ...whereUsage(turn) }
  const fields = {
    content: answer.parts.map((part, index) => blockOf(part, index, turn)),
    stop_reason: stopReasons[answer.stop],
    stop_sequence: null,
    stop_details: null,
    ...usageField(turn, usage),
  }
  yield head(200, { 'content-type': 'application/json' })
  if (reported !== null) yield { kind: 'report', outputTokens: reported }
  yield* bodyScript(JSON.stringify(messageOf(turn, fields)))
}

export function messagesAnswer(turn: WriterInput): ResponseScript {
  return turn.request.stream ? streamed(turn) : whole(turn)
}
