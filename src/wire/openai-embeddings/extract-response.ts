/**
 * A response with embeddings: its usage, and whether it is one at all. The bytes stay the provider's.
 * Must not throw on any input.
 */
import type { ExtractedResponse } from '../format.ts'
import { isRecord, type JsonRecord, parsed, recordsIn } from '../json/parsed.ts'
import type { RawUsageDraft } from '../raw-usage.ts'
import { ProducedText } from '../stream/produced-text.ts'
import { isSet, noProblem, problemOf } from '../upstream-problem.ts'
import { embeddingsReport, readUsage } from './extract-usage.ts'

const decoder = new TextDecoder('utf-8')

export function extractResponse(body: Uint8Array): ExtractedResponse {
  return readVectors(body, embeddingsReport(), (report, answer) => {
    readUsage(report, answer)
    return Array.isArray(answer.data) ? recordsIn(answer, 'data').length : null
  })
}

/** Vectors are not text to count, so the sample holds only their number. `read`: null where it is no answer. */
export function readVectors(
  body: Uint8Array,
  report: RawUsageDraft,
  read: (report: RawUsageDraft, answer: JsonRecord) => number | null,
): ExtractedResponse {
  const sample = new ProducedText(0)
  const answer = parsed(decoder.decode(body))
  if (!isRecord(answer)) {
    const problem = { ...noProblem, message: 'The upstream response is not a JSON object.' }
    return { rawUsage: report.rawUsage(), problem, sample }
  }
  const count = read(report, answer)
  sample.events = count ?? 0
  const missing =
    count === null ? { ...noProblem, message: 'The upstream response has no embeddings.' } : null
  const problem = isSet(answer.error) ? problemOf(answer.error) : missing
  return { rawUsage: report.rawUsage(), problem, sample }
}
