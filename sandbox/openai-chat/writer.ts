/**
 * Writes a response as OpenAI does on Chat Completions, streamed or whole: field for field and event for
 * event, one generated token per event. Yields a script; sends nothing itself.
 */

import {
  type AnswerPart,
  type AnswerStop,
  inputTotal,
  type SandboxAnswer,
  textOf,
  type WriterInput,
} from '../script/answer.ts'
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

export const chatEndMark = 'data: [DONE]\n\n'

const finishReasons: Readonly<Record<AnswerStop, string>> = {
  done: 'stop',
  length: 'length',
  call: 'tool_calls',
}
const fingerprint = 'fp_sandbox'

/** OpenAI pads every chunk to hide the length of its tokens. */
const padding = 'sandboxsandboxsandbox'
const paddedMax = 16

type ChatCallPart = Extract<AnswerPart, { kind: 'call' }>

function usageOf({ request, answer }: WriterInput, reportedOutput: number): object {
  const input = inputTotal(answer.input)
  return {
    prompt_tokens: input,
    completion_tokens: reportedOutput,
    total_tokens: input + reportedOutput,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: answer.reasoningTokens * request.choices,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

/** Joins the parts of a chunk that never change with the two that do. */
function chunkWriter({ request, stamp }: WriterInput): (choices: string, usage: string | null) => string {
  const opening = JSON.stringify({
    id: `chatcmpl-${stamp.unique}`,
    object: 'chat.completion.chunk',
    created: stamp.createdSeconds,
    model: request.model,
    service_tier: request.serviceTier,
    system_fingerprint: fingerprint,
  }).slice(0, -1)
  return (choices, usage) => {
    const usageField = request.includeUsage ? `,"usage":${usage}` : ''
    const pad = padding.slice(0, paddedMax - (choices.length % paddedMax))
    return `data: ${opening},"choices":[${choices}]${usageField},"obfuscation":"${pad}"}\n\n`
  }
}

function choiceText(index: number, delta: string, finishReason: string): string {
  return `{"index":${index},"delta":${delta},"logprobs":null,"finish_reason":${finishReason}}`
}

function callOpening(call: ChatCallPart, index: number, unique: string): object {
  return {
    index,
    id: `call_${unique}${String(index).padStart(2, '0')}`,
    type: 'function',
    function: { name: call.tool, arguments: '' },
  }
}

/** Delta of the first chunk: an answer that is only a call opens with the call. */
function firstDelta({ answer, stamp }: WriterInput): object {
  const first = answer.parts.find(({ kind }) => kind !== 'thinking')
  if (first?.kind !== 'call') return { role: 'assistant', content: '', refusal: null }
  const calls = [callOpening(first, 0, stamp.unique)]
  return { role: 'assistant', content: null, tool_calls: calls, refusal: null }
}

/** The chunk that opens call `index`, where the first chunk has not done so. */
function laterOpening(turn: WriterInput, part: AnswerPart, index: number): object | null {
  const opened = turn.answer.parts.find(({ kind }) => kind !== 'thinking')
  if (part.kind !== 'call' || part === opened) return null
  return { tool_calls: [callOpening(part, index, turn.stamp.unique)] }
}

function pieceDelta(part: AnswerPart, piece: string, callIndex: number): string {
  const text = JSON.stringify(piece)
  return part.kind === 'call'
    ? `{"tool_calls":[{"index":${callIndex},"function":{"arguments":${text}}}]}`
    : `{"content":${text}}`
}

function* streamed(turn: WriterInput): Generator<ScriptStep> {
  const { request, answer } = turn
  const chunk = chunkWriter(turn)
  const everyChoice = Array.from({ length: request.choices }, (_, index) => index)
  const toAll = (delta: string, reason: string) =>
    everyChoice.map((index) => chunk(choiceText(index, delta, reason), 'null'))

  yield head(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  yield { kind: 'charge', input: answer.input }
  for (const text of toAll(JSON.stringify(firstDelta(turn)), 'null')) yield frame(text)
  const calls = answer.parts.filter(({ kind }) => kind === 'call')
  for (const part of answer.parts) {
    const callIndex = calls.indexOf(part)
    const opening = laterOpening(turn, part, callIndex)
    if (opening !== null) for (const text of toAll(JSON.stringify(opening), 'null')) yield frame(text)
    for (const piece of part.pieces) {
      // Chat Completions does not show reasoning: it takes time and counts in the usage.
      if (part.kind === 'thinking') yield* everyChoice.map(() => thought(''))
      else yield* toAll(pieceDelta(part, piece, callIndex), 'null').map(content)
    }
  }
  for (const text of toAll('{}', `"${finishReasons[answer.stop]}"`)) yield finish(text)
  if (request.includeUsage && answer.reportedOutputTokens !== null) {
    yield { kind: 'report', outputTokens: answer.reportedOutputTokens }
    yield finish(chunk('', JSON.stringify(usageOf(turn, answer.reportedOutputTokens))))
  }
  yield end(chatEndMark)
}

function messageOf(answer: SandboxAnswer, unique: string): object {
  const calls = answer.parts
    .filter((part) => part.kind === 'call')
    .map((call, index) => {
      const { index: _, ...opening } = callOpening(call, index, unique) as { index: number }
      return { ...opening, function: { name: call.tool, arguments: call.pieces.join('') } }
    })
  const text = textOf(answer.parts, 'text')
  return {
    role: 'assistant',
    content: calls.length > 0 && text === '' ? null : text,
    refusal: null,
    annotations: [],
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

function bodyOf(turn: WriterInput): string {
  const { request, answer, stamp } = turn
  const usage =
    answer.reportedOutputTokens === null ? {} : { usage: usageOf(turn, answer.reportedOutputTokens) }
  return JSON.stringify({
    id: `chatcmpl-${stamp.unique}`,
    object: 'chat.completion',
    created: stamp.createdSeconds,
    model: request.model,
    choices: Array.from({ length: request.choices }, (_, index) => ({
      index,
      message: messageOf(answer, stamp.unique),
      logprobs: null,
      finish_reason: finishReasons[answer.stop],
    })),
    ...usage,
    service_tier: request.serviceTier,
    system_fingerprint: fingerprint,
  })
}

/** The whole answer is made first, token by token, and then sent. */
function* whole(turn: WriterInput): Generator<ScriptStep> {
  const { request, answer } = turn
  yield { kind: 'charge', input: answer.input }
  for (const part of answer.parts) {
    const token = part.kind === 'thinking' ? thought('') : content('')
    for (let made = 0; made < part.pieces.length * request.choices; made += 1) yield token
  }
  yield head(200, { 'content-type': 'application/json' })
  if (answer.reportedOutputTokens !== null)
    yield { kind: 'report', outputTokens: answer.reportedOutputTokens }
  yield* bodyScript(bodyOf(turn))
}

export function chatAnswer(turn: WriterInput): ResponseScript {
  return turn.request.stream ? streamed(turn) : whole(turn)
}
