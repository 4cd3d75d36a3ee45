/**
 * A whole chat answer: what it used, what it says, and whether it is an answer at all. The bytes stay
 * the provider's. Must not throw, whatever they are.
 */
import type { ExtractedResponse, UpstreamProblem } from '../dialect.ts'
import { isRecord, type JsonRecord, parsed, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import { ProducedText } from '../stream/produced-text.ts'
import { noProblem, problemOf } from '../upstream-problem.ts'
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
      problem: problemWith('The upstream answered with no JSON object.'),
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
  return { rawUsage: report.rawUsage(), problem: problemIn(answer, choices.length), sample }
}

/** The error in a body that came with status 200; null when it is an answer. */
function problemIn(answer: JsonRecord, choices: number): UpstreamProblem | null {
  if (isSet(answer.error)) return problemOf(answer.error)
  return choices > 0 ? null : problemWith('The upstream answered without choices.')
}

/** Hosts write «none» as null, false or an empty string, or leave the field out. */
export function isSet(value: unknown): boolean {
  return value !== null && value !== undefined && value !== false && value !== ''
}

/** The texts that a message or a delta holds: reasoning, content, refusal, tool calls, the words of audio. */
export function producedBy(message: JsonRecord): readonly string[] {
  const pieces = [
    textIn(message, 'reasoning_content') || textIn(message, 'reasoning'),
    ...partTexts(message.content, 1),
    textIn(message, 'refusal'),
    ...recordsIn(message, 'tool_calls').flatMap(callTexts),
    ...callTexts({ function: message.function_call }),
    textIn(recordIn(message, 'audio'), 'transcript'),
  ]
  return pieces.filter((piece) => piece !== '')
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
