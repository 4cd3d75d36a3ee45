/** A whole Converse response: its usage, its text, and whether it is a response. Must not throw on any input. */
import type { ExtractedResponse, UpstreamProblem } from '../format.ts'
import { isRecord, type JsonRecord, jsonOf, parsed, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import { ProducedText } from '../stream/produced-text.ts'
import { isRefusal, noProblem, problemOf } from '../upstream-problem.ts'
import { converseReport, readUsage } from './extract-usage.ts'

const decoder = new TextDecoder('utf-8')

export function extractResponse(body: Uint8Array, sampleCharactersMax: number): ExtractedResponse {
  const sample = new ProducedText(sampleCharactersMax)
  const report = converseReport()
  const answer = parsed(decoder.decode(body))
  if (!isRecord(answer))
    return { rawUsage: report.rawUsage(), problem: problemWith('is not a JSON object'), sample }
  readUsage(report, answer)
  const message = recordIn(answer, 'output').message
  for (const block of isRecord(message) ? recordsIn(message, 'content') : []) {
    const texts = producedBy(block)
    for (const text of texts) sample.add(text)
    if (texts.length > 0) sample.events += 1
  }
  const refused = isRefusal('bedrock-converse', textIn(answer, 'stopReason'))
  return {
    rawUsage: report.rawUsage(),
    problem: isRecord(message) ? null : problemIn(answer),
    sample,
    refused,
  }
}

function problemIn(answer: JsonRecord): UpstreamProblem {
  const problem = problemOf(answer)
  return problem.message === '' ? problemWith('has no message') : problem
}

function producedBy(block: JsonRecord): readonly string[] {
  const { toolUse } = block
  const thought = textIn(recordIn(recordIn(block, 'reasoningContent'), 'reasoningText'), 'text')
  const call = isRecord(toolUse) ? [textIn(toolUse, 'name'), jsonOf(toolUse.input ?? {})] : []
  return [textIn(block, 'text'), thought, ...call].filter((text) => text !== '')
}

function problemWith(what: string): UpstreamProblem {
  return { ...noProblem, message: `The upstream response ${what}.` }
}

/** API_runtime_ConverseStreamOutput; an exception inside a stream has the status of the response that it would have been. */
const statuses: Readonly<Record<string, number>> = {
  internalServerException: 500,
  modelStreamErrorException: 424,
  modelTimeoutException: 408,
  serviceUnavailableException: 503,
  throttlingException: 429,
  validationException: 400,
}
const otherStatus = 502

export function problemStatus({ type }: UpstreamProblem): number {
  const name = type.charAt(0).toLowerCase() + type.slice(1)
  return Object.hasOwn(statuses, name) ? (statuses[name] ?? otherStatus) : otherStatus
}
