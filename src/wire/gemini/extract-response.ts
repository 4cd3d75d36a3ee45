/**
 * A whole Gemini response: its usage, its text, and whether it is a valid response. The bytes stay the
 * provider's. Must not throw on any input.
 */
import type { ExtractedResponse, UpstreamProblem } from '../format.ts'
import { isRecord, type JsonRecord, jsonOf, parsed, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import type { RawUsageDraft } from '../raw-usage.ts'
import { ProducedText } from '../stream/produced-text.ts'
import { isRefusal, noProblem, problemOf } from '../upstream-problem.ts'
import { geminiReport, readUsage } from './extract-usage.ts'

const decoder = new TextDecoder('utf-8')

/**
 * Reasons of a response which the model failed to write: the only remedy is a
 * retry. https://ai.google.dev/api/generate-content#FinishReason
 */
const failedReasons: readonly string[] = [
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MALFORMED_RESPONSE',
  'MISSING_THOUGHT_SIGNATURE',
]

/** Reasons that are known here and no failure. */
const knownReasons =
  /^(?:STOP|MAX_TOKENS|SAFETY|RECITATION|LANGUAGE|OTHER|BLOCKLIST|PROHIBITED_CONTENT|SPII|IMAGE_\w+|NO_IMAGE|MODEL_ARMOR|ESCALATION|PUP_LIMITED_DISABLED|CONTINUATION|FINISH_REASON_UNSPECIFIED)$/

/** An unknown reason is the end of a turn, and the receipt has its name. */
export function flagReason(draft: RawUsageDraft, candidate: JsonRecord): void {
  const reason = textIn(candidate, 'finishReason')
  if (reason !== '' && !knownReasons.test(reason)) draft.flag(`finishReason.${reason}`)
}

export function extractResponse(body: Uint8Array, sampleCharactersMax: number): ExtractedResponse {
  const sample = new ProducedText(sampleCharactersMax)
  const report = geminiReport()
  const answer = parsed(decoder.decode(body))
  if (!isRecord(answer)) {
    const problem = Array.isArray(answer) ? problemOf(answer) : noProblem
    const responseProblem =
      problem === noProblem ? problemWith('The upstream response is not a JSON object.') : problem
    return { rawUsage: report.rawUsage(), problem: responseProblem, sample }
  }
  readUsage(report, answer)
  const candidates = recordsIn(answer, 'candidates')
  for (const candidate of candidates) {
    flagReason(report, candidate)
    const texts = producedBy(candidate)
    for (const text of texts) sample.add(text)
    if (texts.length > 0) sample.events += 1
  }
  const refused = candidates.length === 0 ? isBlocked(answer) : candidates.every(isRefused)
  return { rawUsage: report.rawUsage(), problem: problemIn(answer, candidates), sample, refused }
}

/** Whether a filter ended the candidate. */
export function isRefused(candidate: JsonRecord): boolean {
  return isRefusal('gemini', textIn(candidate, 'finishReason'))
}

/** The error in a body that came with status 200; null when it is an answer. */
function problemIn(answer: JsonRecord, candidates: readonly JsonRecord[]): UpstreamProblem | null {
  if (isRecord(answer.error)) return problemOf(answer.error)
  if (candidates.length === 0 && !isBlocked(answer))
    return problemWith('The upstream response has no candidates.')
  return candidates.map(failureOf).find((failure) => failure !== null) ?? null
}

/** Whether the prompt was blocked: a response without candidates that is complete nevertheless. */
export function isBlocked(answer: JsonRecord): boolean {
  return textIn(recordIn(answer, 'promptFeedback'), 'blockReason') !== ''
}

/** Why the candidate is none; null where it is one. */
export function failureOf(candidate: JsonRecord): UpstreamProblem | null {
  const reason = textIn(candidate, 'finishReason')
  if (!failedReasons.includes(reason)) return null
  const message = textIn(candidate, 'finishMessage')
  return { message: message || `The model stopped with finish reason ${reason}.`, type: reason, code: '' }
}

/** The texts that the model produced in the parts of a candidate. */
export function producedBy(candidate: JsonRecord): readonly string[] {
  return recordsIn(recordIn(candidate, 'content'), 'parts')
    .flatMap(partTexts)
    .filter((text) => text !== '')
}

function partTexts(part: JsonRecord): readonly string[] {
  const texts = [textIn(part, 'text'), textIn(recordIn(part, 'executableCode'), 'code')]
  if (!isRecord(part.functionCall)) return texts
  const { args, partialArgs } = part.functionCall
  const written = [args, partialArgs].filter((value) => typeof value === 'object' && value !== null)
  return [...texts, textIn(part.functionCall, 'name'), ...written.map(jsonOf)]
}

function problemWith(message: string): UpstreamProblem {
  return { ...noProblem, message }
}
