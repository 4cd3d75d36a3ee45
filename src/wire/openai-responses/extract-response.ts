/**
 * A whole Responses response: its usage, its text, and whether it is a valid response. The bytes
 * stay the provider's. Must not throw on any input.
 */
import type { ExtractedResponse, ProviderObject, UpstreamProblem } from '../format.ts'
import { isRecord, type JsonRecord, parsed, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import { ProducedText } from '../stream/produced-text.ts'
import { isRefusal, noProblem, problemOf } from '../upstream-problem.ts'
import { ProviderObjectCollector, responseId } from './extract-response-references.ts'
import { readResponse, responsesReport } from './extract-usage.ts'

const decoder = new TextDecoder('utf-8')

const running = ['queued', 'in_progress']
/** Answers that will not be finished here: what began in the background, or was called off. */
const unfinished = [...running, 'cancelled']

/** https://developers.openai.com/api/docs/guides/background */
const states: Readonly<Record<string, ResponseState['status'] | undefined>> = {
  queued: 'running',
  in_progress: 'running',
  completed: 'completed',
  incomplete: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
}

export function extractResponse(body: Uint8Array, sampleCharactersMax: number): ExtractedResponse {
  return answerOf(parsed(decoder.decode(body)), sampleCharactersMax)
}

/** The response to a background request, which is also valid while it runs. */
export function readStart(body: Uint8Array, sampleCharactersMax: number): ExtractedResponse {
  const value = parsed(decoder.decode(body))
  const answer = answerOf(value, sampleCharactersMax)
  if (!isRecord(value) || isRecord(value.error) || !running.includes(textIn(value, 'status'))) return answer
  const pending = responseId(value)
  return pending === null ? answer : { ...answer, problem: null, pending }
}

export interface ResponseState extends Pick<ExtractedResponse, 'rawUsage' | 'sample'> {
  readonly status: 'running' | 'completed' | 'failed' | 'cancelled'
  /** Under which later requests and polls can refer to it, with the items of its output. */
  readonly providerObjects: readonly ProviderObject[]
}

/** null: the bytes are not a response of this id. An incomplete response is completed as far as it goes. */
export function readResponseState(
  body: Uint8Array,
  { id, sampleCharactersMax }: { readonly id: string; readonly sampleCharactersMax: number },
): ResponseState | null {
  const value = parsed(decoder.decode(body))
  if (!isRecord(value) || value.id !== id) return null
  const statusText = textIn(value, 'status')
  const status = Object.hasOwn(states, statusText) ? states[statusText] : undefined
  if (status === undefined) return null
  const { rawUsage, sample, providerObjects = [] } = answerOf(value, sampleCharactersMax)
  // Whatever it says of being stored: it was found under its id.
  const isListed = providerObjects.some((one) => one.id === id)
  return {
    status,
    rawUsage,
    sample,
    providerObjects: isListed ? providerObjects : [{ id, referencedScope: 'window' }],
  }
}

function answerOf(answer: unknown, sampleCharactersMax: number): ExtractedResponse {
  const sample = new ProducedText(sampleCharactersMax)
  const report = responsesReport()
  if (!isRecord(answer)) {
    return {
      rawUsage: report.rawUsage(),
      problem: problemWith('The upstream response is not a JSON object.'),
      sample,
    }
  }
  readResponse(report, answer)
  for (const item of recordsIn(answer, 'output')) {
    const texts = itemTexts(item)
    for (const text of texts) sample.add(text)
    if (texts.length > 0) sample.events += 1
  }
  const collector = new ProviderObjectCollector()
  collector.readResponse(answer)
  return {
    rawUsage: report.rawUsage(),
    problem: problemIn(answer),
    sample,
    refused: isFiltered(answer) || onlyRefuses(recordsIn(answer, 'output')),
    providerObjects: collector.list,
  }
}

/** Whether a filter ended the response. */
export function isFiltered(answer: JsonRecord): boolean {
  return isRefusal('openai-responses', textIn(recordIn(answer, 'incomplete_details'), 'reason'))
}

/** Whether what the items say is the model's refusal, and nothing else; thoughts say nothing to the caller. */
export function onlyRefuses(items: readonly JsonRecord[]): boolean {
  const said = items.filter(({ type }) => type !== 'reasoning')
  const parts = said.flatMap((item) => recordsIn(item, 'content'))
  return parts.length > 0 && said.every(({ type }) => type === 'message') && parts.every(isRefusalPart)
}

function isRefusalPart({ type }: JsonRecord): boolean {
  return type === 'refusal'
}

/** The error in a body that came with status 200; null when it is an answer, which an incomplete one is too. */
function problemIn(answer: JsonRecord): UpstreamProblem | null {
  const { error, status } = answer
  if (isRecord(error) || (typeof error === 'string' && error !== '')) return problemOf(error)
  if (status === 'failed') return problemWith('The upstream reported that the response failed.')
  if (!Array.isArray(answer.output)) return problemWith('The upstream response has no output.')
  return unfinished.includes(textIn(answer, 'status'))
    ? problemWith(`The upstream left the response ${textIn(answer, 'status')}.`)
    : null
}

/** Text that the model wrote in an item; a tool's results are not the model's text. */
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

function problemWith(message: string): UpstreamProblem {
  return { ...noProblem, message }
}
