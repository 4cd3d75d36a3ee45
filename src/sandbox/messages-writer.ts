/**
 * Writes an answer as Anthropic does on Messages, streamed or whole: field for field and event for event,
 * one made token an event, its JSON padded with blanks. Yields acts; sends nothing itself.
 */
import { type Act, bodyActs, content, end, finish, frame, head, thought } from './act.ts'
import { argumentsOf, type Part, type Stop, type Turn } from './answer.ts'
import type { JsonObject } from './ask.ts'
import { signThinking } from './signature.ts'

export const messagesPing = 'event: ping\ndata: {"type": "ping"}\n\n'

const stopReasons: Readonly<Record<Stop, string>> = {
  done: 'end_turn',
  length: 'max_tokens',
  call: 'tool_use',
}
const paddedMax = 16

/** One event; blanks before its last brace, as the provider sends them. */
function event(value: { readonly type: string } & JsonObject): string {
  const json = JSON.stringify(value)
  return `event: ${value.type}\ndata: ${json.slice(0, -1)}${' '.repeat(json.length % paddedMax)}}\n\n`
}

export const messagesEndMark = event({ type: 'message_stop' })

function inputUsage({ answer: { input } }: Turn): JsonObject {
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

function outputUsage({ answer }: Turn, outputTokens: number): JsonObject {
  const details =
    answer.reasoningTokens > 0 ? { output_tokens_details: { thinking_tokens: answer.reasoningTokens } } : {}
  return { output_tokens: outputTokens, ...details }
}

function whereUsage({ ask }: Turn): JsonObject {
  const speed = ask.speed === null ? {} : { speed: ask.speed }
  return { service_tier: ask.serviceTier, inference_geo: ask.inferenceGeo, ...speed }
}

/** `usage` itself, or no field at all where the behaviour leaves it out. */
function usageField({ answer }: Turn, usage: JsonObject): JsonObject {
  return answer.reportedOutputTokens === null ? {} : { usage }
}

/** The block as it stands in an answer; a call that was cut has no arguments, for half of them is no JSON. */
function blockOf(part: Part, index: number, turn: Turn): JsonObject {
  const text = part.pieces.join('')
  if (part.kind === 'text') return { type: 'text', text }
  if (part.kind === 'thinking')
    return { type: 'thinking', thinking: shown(part), signature: signatureOf(part, turn) }
  return { ...callStart(part.tool, index, turn.stamp.unique), input: argumentsOf(part) ?? {} }
}

type Thinking = Extract<Part, { kind: 'thinking' }>

function shown(part: Thinking): string {
  return part.shown ? part.pieces.join('') : ''
}

function signatureOf(part: Thinking, { ask, answer }: Turn): string {
  const before = answer.parts.slice(0, answer.parts.indexOf(part)).filter(({ kind }) => kind === 'thinking')
  return signThinking(shown(part), ask.earlierThoughts + before.length)
}

function callStart(tool: string, index: number, unique: string): JsonObject {
  const id = `toolu_01${unique.slice(2)}${String(index).padStart(2, '0')}`
  return { type: 'tool_use', id, name: tool, input: {}, caller: { type: 'direct' } }
}

/** What differs between the kinds of block while they stream. */
interface BlockStream {
  readonly start: JsonObject
  readonly delta: (piece: string) => JsonObject
  /** Deltas that carry no made token, before and after those that do. */
  readonly before: readonly JsonObject[]
  readonly after: readonly JsonObject[]
}

function blockStream(part: Part, index: number, turn: Turn): BlockStream {
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

function* blockActs(part: Part, index: number, turn: Turn): Generator<Act> {
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

function messageOf(turn: Turn, fields: JsonObject): JsonObject {
  return {
    model: turn.ask.model,
    id: `msg_01${turn.stamp.unique}`,
    type: 'message',
    role: 'assistant',
    ...fields,
  }
}

function* streamed(turn: Turn): Generator<Act> {
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
function* whole(turn: Turn): Generator<Act> {
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
  yield* bodyActs(JSON.stringify(messageOf(turn, fields)))
}

export function messagesAnswer(turn: Turn): Iterable<Act> {
  return turn.ask.stream ? streamed(turn) : whole(turn)
}
