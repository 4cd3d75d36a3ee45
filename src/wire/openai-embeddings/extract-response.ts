/**
 * A response with embeddings: its usage, and whether it is one at all. The bytes stay the provider's.
 * Must not throw on any input.
 */
import type { ExtractedResponse } from '../format.ts'
import { isRecord, type JsonRecord, parsed, recordsIn } from '../json/parsed.ts'
import { ProducedText } from '../stream/produced-text.ts'
import { isSet, noProblem, problemOf } from '../upstream-problem.ts'
import { embeddingsReport, readUsage } from './extract-usage.ts'

const decoder = new TextDecoder('utf-8')

/** Vectors are not text to count, so the sample holds only their number. */
export function extractResponse(body: Uint8Array): ExtractedResponse {
  const sample = new ProducedText(0)
  const report = embeddingsReport()
  const answer = parsed(decoder.decode(body))
  if (!isRecord(answer)) {
    const problem = { ...noProblem, message: 'The upstream response is not a JSON object.' }
    return { rawUsage: report.rawUsage(), problem, sample }
  }
  readUsage(report, answer)
  sample.events = recordsIn(answer, 'data').length
  return { rawUsage: report.rawUsage(), problem: problemIn(answer), sample }
}

/** The error in a body that came with status 200; null when it is an answer. */
function problemIn(answer: JsonRecord): ExtractedResponse['problem'] {
  if (isSet(answer.error)) return problemOf(answer.error)
  if (Array.isArray(answer.data)) return null
  return { ...noProblem, message: 'The upstream response has no embeddings.' }
}
