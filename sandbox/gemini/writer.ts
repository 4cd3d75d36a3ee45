/**
 * Writes a response as Google does on generateContent, streamed or whole: chunk for chunk and field for field, one
 * generated token per chunk except for calls, which are whole. Thoughts are signed as Gemini 3 signs them: on the first call, else on the
 * last part. Yields a script; sends nothing itself.
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
  head,
  type ResponseScript,
  type ScriptStep,
  thought,
} from '../script/script.ts'
import { signThought } from '../signature.ts'
import { spacedJson } from './json.ts'

const finishReasons: Readonly<Record<AnswerStop, string>> = {
  done: 'STOP',
  call: 'STOP',
  length: 'MAX_TOKENS',
}

function event(value: JsonObject): string {
  return `data: ${spacedJson(value)}\r\n\r\n`
}

/** A final chunk, for streams that end more than once. */
export const geminiEndMark = event({
  candidates: [{ content: { role: 'model' }, finishReason: 'STOP', index: 0 }],
  modelVersion: 'sandbox',
})

/** Token counts so far. */
interface MadeParts {
  readonly answered: number
  readonly thought: number
}

/** Counts of 0 are left out, and the whole object where the behavior reports no usage. */
function usageField({ request, answer }: WriterInput, { answered, thought }: MadeParts): JsonObject {
  if (answer.reportedOutputTokens === null) return {}
  const input = inputTotal(answer.input)
  return {
    usageMetadata: {
      promptTokenCount: input,
      ...(answered > 0 ? { candidatesTokenCount: answered } : {}),
      totalTokenCount: input + answered + thought,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
      ...(thought > 0 ? { thoughtsTokenCount: thought } : {}),
      serviceTier: request.serviceTier,
    },
  }
}

function stamps({ request, stamp }: WriterInput): JsonObject {
  return { modelVersion: request.model, responseId: stamp.unique }
}

type GeminiCallPart = Extract<AnswerPart, { kind: 'call' }>

/** The call as a part; undefined if the limit cut it, because incomplete calls are never sent. */
function callPart(part: GeminiCallPart, turn: WriterInput): JsonObject | undefined {
  const args = argumentsOf(part)
  if (args === undefined) return undefined
  const calls = turn.answer.parts.filter(({ kind }) => kind === 'call')
  const index = calls.indexOf(part)
  const id = part.identified ? { id: `${turn.stamp.unique.slice(0, 8)}${index}` } : {}
  const signature = index === 0 ? { thoughtSignature: signThought(part.tool) } : {}
  return { functionCall: { name: part.tool, args, ...id }, ...signature }
}

/** Set on the last text of an answer that thought and calls nothing. */
function textSignature({ answer }: WriterInput): JsonObject {
  const isSigned = answer.reasoningTokens > 0 && !answer.parts.some(({ kind }) => kind === 'call')
  return isSigned ? { thoughtSignature: signThought('') } : {}
}

function finished({ answer }: WriterInput): MadeParts {
  const thought = answer.reasoningTokens
  return { thought, answered: (answer.reportedOutputTokens ?? 0) - thought }
}

function* streamed(turn: WriterInput): Generator<ScriptStep> {
  const { answer } = turn
  let made: MadeParts = { answered: 0, thought: 0 }
  const chunk = (part: JsonObject): string =>
    event({
      candidates: [{ content: { parts: [part], role: 'model' }, index: 0 }],
      ...usageField(turn, made),
      ...stamps(turn),
    })
  yield head(200, { 'content-type': 'text/event-stream', 'content-disposition': 'attachment' })
  yield { kind: 'charge', input: answer.input }
  for (const part of answer.parts) {
    for (const [index, text] of part.pieces.entries()) {
      if (part.kind === 'thinking') {
        made = { ...made, thought: made.thought + 1 }
        yield thought(part.shown ? chunk({ text, thought: true }) : '')
        continue
      }
      made = { ...made, answered: made.answered + 1 }
      if (part.kind === 'text') yield content(chunk({ text }))
      else {
        const whole = index === part.pieces.length - 1 ? callPart(part, turn) : undefined
        yield content(whole === undefined ? '' : chunk(whole))
      }
    }
  }
  if (answer.reportedOutputTokens !== null)
    yield { kind: 'report', outputTokens: answer.reportedOutputTokens }
  const parts = [{ text: '', ...textSignature(turn) }]
  const last = { content: { parts, role: 'model' }, finishReason: finishReasons[answer.stop], index: 0 }
  // The end mark and the usage are one chunk here.
  yield end(event({ candidates: [last], ...usageField(turn, finished(turn)), ...stamps(turn) }))
}

function wholeParts(turn: WriterInput): readonly JsonObject[] {
  const { parts } = turn.answer
  return parts.flatMap((part, index) => {
    const text = part.pieces.join('')
    if (part.kind === 'thinking') return part.shown ? [{ text, thought: true }] : []
    if (part.kind === 'text') return [{ text, ...(index === parts.length - 1 ? textSignature(turn) : {}) }]
    const call = callPart(part, turn)
    return call === undefined ? [] : [call]
  })
}

/** The whole answer is made first, token by token, and then sent. */
function* whole(turn: WriterInput): Generator<ScriptStep> {
  const { answer } = turn
  yield { kind: 'charge', input: answer.input }
  for (const part of answer.parts) {
    const token = part.kind === 'thinking' ? thought('') : content('')
    for (let count = 0; count < part.pieces.length; count += 1) yield token
  }
  const parts = wholeParts(turn)
  const message = answer.stop === 'call' ? { finishMessage: 'Model generated function call(s).' } : {}
  const candidate = {
    content: parts.length === 0 ? { role: 'model' } : { parts, role: 'model' },
    finishReason: finishReasons[answer.stop],
    index: 0,
    ...message,
  }
  yield head(200, { 'content-type': 'application/json; charset=UTF-8' })
  if (answer.reportedOutputTokens !== null)
    yield { kind: 'report', outputTokens: answer.reportedOutputTokens }
  const body = { candidates: [candidate], ...usageField(turn, finished(turn)), ...stamps(turn) }
  yield* bodyScript(`${JSON.stringify(body, null, 2)}\n`)
}

export function geminiAnswer(turn: WriterInput): ResponseScript {
  return turn.request.stream ? streamed(turn) : whole(turn)
}
