/**
 * A whole chat response: its usage, its text, and whether it is a valid response. The bytes stay
 * the provider's. Must not throw on any input.
 */
import type { ExtractedResponse, UpstreamProblem } from '../format.ts'
import { isRecord, type JsonRecord, parsed, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import { ProducedText } from '../stream/produced-text.ts'
import { isRefusal, noProblem, problemInside } from '../upstream-problem.ts'
import { chatReport, readUsage } from './extract-usage.ts'

const decoder = new TextDecoder('utf-8')
const partLevelsMax = 3

export function extractResponse(body: Uint8Array, sampleCharactersMax: number): ExtractedResponse {
  const sample = new ProducedText(sampleCharactersMax)
  const report = chatReport()
  const answer = parsed(decoder.decode(body))
  if (!isRecord(answer)) {
    return {
      rawUsage: report.rawUsage(),
      problem: problemWith('The upstream response is not a JSON object.'),
      sample,
    }
  }
  readUsage(report, answer)
  const choices = recordsIn(answer, 'choices')
  for (const choice of choices) {
    const pieces = producedBy(recordIn(choice, 'message'))
    for (const piece of pieces) sample.add(piece)
    if (pieces.length > 0) sample.events += 1
  }
  const refused = choices.length > 0 && choices.every(isRefused)
  return { rawUsage: report.rawUsage(), problem: problemIn(answer, choices), sample, refused }
}

function isRefused(choice: JsonRecord): boolean {
  return isFiltered(choice) || onlyRefuses(recordIn(choice, 'message'))
}

/** Whether a filter ended the choice. */
export function isFiltered(choice: JsonRecord): boolean {
  return isRefusal('openai-chat', textIn(choice, 'finish_reason'))
}

/** Whether what a message or a delta says is the model's refusal, and nothing else. */
export function onlyRefuses(message: JsonRecord): boolean {
  return textIn(message, 'refusal') !== '' && producedBy(message).length === 1
}

/** The error in a body that came with status 200; null when it is an answer. */
function problemIn(answer: JsonRecord, choices: readonly JsonRecord[]): UpstreamProblem | null {
  const problem = problemInside(answer)
  if (problem !== null) return problem
  if (choices.length === 0) return problemWith('The upstream response has no choices.')
  for (const choice of choices) {
    // Only then does it matter whether anything came.
    const isTold = textIn(choice, 'native_finish_reason') !== ''
    const problem = finishProblem(choice, !isTold || isContent(recordIn(choice, 'message')))
    if (problem !== null) return problem
  }
  return null
}

/** Whether a message or a delta holds anything that a client waits for; a role alone is nothing. */
export function isContent(message: JsonRecord): boolean {
  if (producedBy(message).length > 0) return true
  if (recordsIn(message, 'tool_calls').length > 0) return true
  const audio = recordIn(message, 'audio')
  return isRecord(message.function_call) || textIn(audio, 'data') !== '' || textIn(audio, 'id') !== ''
}

/** Finishes that are failures of the host: OpenRouter, Mistral, DeepSeek, Z.AI, vLLM and SGLang in their references. */
const failedFinishes = ['error', 'insufficient_system_resource', 'network_error', 'abort']

/** The failure that a finish tells of; null when it is an end. What OpenRouter's own host said counts where nothing came. */
export function finishProblem(choice: JsonRecord, hasContent: boolean): UpstreamProblem | null {
  const own = textIn(choice, 'finish_reason')
  const word = own === 'stop' && !hasContent ? textIn(choice, 'native_finish_reason') : own
  if (!failedFinishes.includes(word)) return null
  return { message: textIn(recordIn(choice, 'error'), 'message'), type: 'finish_reason', code: word }
}

/** The texts that a message or a delta holds: reasoning, content, refusal, tool calls, the words of audio. */
export function producedBy(message: JsonRecord): readonly string[] {
  const { content, function_call: call, audio } = message
  const pieces: string[] = []
  const add = (piece: string): void => {
    if (piece !== '') pieces.push(piece)
  }
  add(textIn(message, 'reasoning_content') || textIn(message, 'reasoning'))
  for (const text of partTexts(content, 1)) add(text)
  add(textIn(message, 'refusal'))
  for (const toolCall of recordsIn(message, 'tool_calls')) callTexts(toolCall).forEach(add)
  if (isRecord(call)) callTexts({ function: call }).forEach(add)
  if (isRecord(audio)) add(textIn(audio, 'transcript'))
  return pieces
}

/** Content is a string; some hosts send parts, of which reasoning is one that holds parts again. */
function partTexts(content: unknown, level: number): readonly string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content) || level > partLevelsMax) return []
  return content.filter(isRecord).flatMap((part) => partTexts(part.text ?? part.thinking, level + 1))
}

function callTexts(call: JsonRecord): readonly string[] {
  const named = recordIn(call, 'function')
  return [textIn(named, 'name'), textIn(named, 'arguments'), textIn(recordIn(call, 'custom'), 'input')]
}

function problemWith(message: string): UpstreamProblem {
  return { ...noProblem, message }
}
