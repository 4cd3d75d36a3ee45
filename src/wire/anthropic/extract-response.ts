/**
 * A whole Messages response: its usage, its text, and whether it is a valid response. The bytes
 * stay the provider's. Must not throw on any input.
 */
import type { ExtractedResponse, UpstreamProblem } from '../format.ts'
import { isRecord, type JsonRecord, jsonOf, parsed, recordsIn, textIn } from '../json/parsed.ts'
import { ProducedText } from '../stream/produced-text.ts'
import { isRefusal, noProblem, problemInside, problemOf } from '../upstream-problem.ts'
import { countBlock, messagesReport, readUsage } from './extract-usage.ts'

const decoder = new TextDecoder('utf-8')

export function extractResponse(body: Uint8Array, sampleCharactersMax: number): ExtractedResponse {
  const sample = new ProducedText(sampleCharactersMax)
  const report = messagesReport()
  const answer = parsed(decoder.decode(body))
  if (!isRecord(answer)) {
    return {
      rawUsage: report.rawUsage(),
      problem: problemWith('The upstream response is not a JSON object.'),
      sample,
    }
  }
  readUsage(report, answer.usage)
  for (const block of recordsIn(answer, 'content')) {
    countBlock(report, block)
    for (const text of blockTexts(block)) sample.add(text)
    sample.events += 1
  }
  const refused = isRefusal('anthropic', textIn(answer, 'stop_reason'))
  return { rawUsage: report.rawUsage(), problem: problemIn(answer), sample, refused }
}

/** The error in a body that came with status 200; null when it is an answer. */
function problemIn(answer: JsonRecord): UpstreamProblem | null {
  if (answer.type === 'error' || isRecord(answer.error)) return problemOf(answer)
  const inside = problemInside(answer)
  if (inside !== null) return inside
  return Array.isArray(answer.content) ? null : problemWith('The upstream response has no content.')
}

/** Text that the model wrote in a block; a tool's results are not the model's text. */
export function blockTexts(block: JsonRecord): readonly string[] {
  const texts = [textIn(block, 'text'), textIn(block, 'thinking')]
  if (isRecord(block.input)) {
    texts.push(textIn(block, 'name'))
    if (Object.keys(block.input).length > 0) texts.push(jsonOf(block.input))
  }
  if (block.type === 'compaction') texts.push(textIn(block, 'content'))
  return texts.filter((text) => text !== '')
}

function problemWith(message: string): UpstreamProblem {
  return { ...noProblem, message }
}
