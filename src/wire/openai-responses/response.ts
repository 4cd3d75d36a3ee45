/**
 * A whole Responses answer: what it used, what it says, and whether it is an answer at all. The bytes
 * stay the provider's. Must not throw, whatever they are.
 */
import type { Answer, UpstreamProblem } from '../codec.ts'
import { isRecord, type JsonRecord, parsed, recordsIn, textIn } from '../parsed.ts'
import { ProducedText } from '../produced-text.ts'
import { noProblem, problemOf } from '../upstream-problem.ts'
import { KeptIds } from './response-kept.ts'
import { readResponse, responsesReport } from './usage.ts'

const decoder = new TextDecoder('utf-8')

/** Answers that will not be finished here: what began in the background, or was called off. */
const unfinished = ['queued', 'in_progress', 'cancelled']

export function readAnswer(body: Uint8Array, sampleCharactersMax: number): Answer {
  const sample = new ProducedText(sampleCharactersMax)
  const report = responsesReport()
  const answer = parsed(decoder.decode(body))
  if (!isRecord(answer)) {
    return { report: report.report(), problem: told('The upstream answered with no JSON object.'), sample }
  }
  readResponse(report, answer)
  for (const item of recordsIn(answer, 'output')) {
    const texts = itemTexts(item)
    for (const text of texts) sample.add(text)
    if (texts.length > 0) sample.events += 1
  }
  const kept = new KeptIds()
  kept.readResponse(answer)
  return { report: report.report(), problem: problemIn(answer), sample, kept: kept.list }
}

/** The error in a body that came with status 200; null when it is an answer, which an incomplete one is too. */
function problemIn(answer: JsonRecord): UpstreamProblem | null {
  const { error, status } = answer
  if (isRecord(error) || (typeof error === 'string' && error !== '')) return problemOf(error)
  if (status === 'failed') return told('The upstream says that the response failed.')
  if (!Array.isArray(answer.output)) return told('The upstream answered without output.')
  return unfinished.includes(textIn(answer, 'status'))
    ? told(`The upstream left the response ${textIn(answer, 'status')}.`)
    : null
}

/** What the model wrote into an item; results of tools are not its own. */
export function itemTexts(item: JsonRecord): readonly string[] {
  const texts = [
    ...recordsIn(item, 'summary').map((part) => textIn(part, 'text')),
    ...recordsIn(item, 'content').map((part) => textIn(part, 'text') || textIn(part, 'refusal')),
    textIn(item, 'name'),
    textIn(item, 'arguments'),
    textIn(item, 'input'),
    textIn(item, 'code'),
  ]
  return texts.filter((text) => text !== '')
}

function told(message: string): UpstreamProblem {
  return { ...noProblem, message }
}
