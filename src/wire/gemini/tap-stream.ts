/**
 * Reads the events of a Gemini stream (`alt=sse`): content, the last finish reason, a blocked prompt, an
 * error. The format has no end marker: it is over when every candidate has finished and the stream ends. Must
 * not change or buffer an event.
 */
import type { TapOptions, UpstreamProblem, UsageTap } from '../format.ts'
import { isRecord, type JsonRecord, parsed, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import type { RawUsageDraft } from '../raw-usage.ts'
import { ProducedText } from '../stream/produced-text.ts'
import type { SseParser } from '../stream/sse.ts'
import { type EventMeaning, type SseEventReader, SseTap } from '../stream/sse-tap.ts'
import { noProblem, problemOf } from '../upstream-problem.ts'
import type { RawUsage } from '../usage.ts'
import { failureOf, flagReason, isBlocked, isRefused, producedBy } from './extract-response.ts'
import { geminiReport, readUsage } from './extract-usage.ts'

/** Parts that are worth sending although nothing of them is the model's own text. */
const silentContent: readonly string[] = ['inlineData', 'fileData', 'codeExecutionResult', 'functionCall']

export function tapStream(options: TapOptions): UsageTap {
  return new SseTap(options, new GeminiReader(options))
}

class GeminiReader implements SseEventReader {
  readonly endMark = ''
  problem: UpstreamProblem = noProblem
  refused = false
  readonly sample: ProducedText
  private readonly choices: number
  private readonly draft: RawUsageDraft = geminiReport()
  private readonly finished = new Set<unknown>()

  constructor(options: TapOptions) {
    this.sample = new ProducedText(options.sampleCharactersMax)
    this.choices = options.choices
  }

  rawUsage(): RawUsage {
    return this.draft.rawUsage()
  }

  read(event: SseParser): EventMeaning {
    const text = event.dataText()
    const value = parsed(text)
    // Some routes wrap an error in an array.
    const chunk = Array.isArray(value) ? (value[0] as unknown) : value
    if (!isRecord(chunk)) return text.trim() === '' ? 'quiet' : 'unreadable'
    if (isRecord(chunk.error)) return this.fail(problemOf(chunk.error))
    readUsage(this.draft, chunk)
    const candidates = recordsIn(chunk, 'candidates')
    for (const candidate of candidates) {
      const failure = failureOf(candidate)
      if (failure !== null) return this.fail(failure)
    }
    const isNothing = candidates.length === 0 && isBlocked(chunk)
    if (this.sample.events === 0)
      this.refused =
        isNothing || (this.choices === 1 && candidates.some((one) => isRefused(one) && !isContent(one)))
    if (isNothing) return 'finish'
    return this.readCandidates(candidates)
  }

  private readCandidates(candidates: readonly JsonRecord[]): EventMeaning {
    let hasContent = false
    let hasFinish = false
    for (const candidate of candidates) {
      for (const text of producedBy(candidate)) this.sample.add(text)
      if (isContent(candidate)) hasContent = true
      if (textIn(candidate, 'finishReason') === '') continue
      hasFinish = true
      flagReason(this.draft, candidate)
      if (this.finished.size < this.choices) this.finished.add(candidate.index ?? 0)
    }
    if (hasContent) this.sample.events += 1
    if (hasFinish && this.finished.size >= this.choices) return 'finish'
    return hasContent ? 'content' : 'quiet'
  }

  private fail(problem: UpstreamProblem): EventMeaning {
    this.problem = problem
    return 'failed'
  }
}

function isContent(candidate: JsonRecord): boolean {
  if (producedBy(candidate).length > 0) return true
  return recordsIn(recordIn(candidate, 'content'), 'parts').some(
    (part) => textIn(part, 'thoughtSignature') !== '' || silentContent.some((name) => isRecord(part[name])),
  )
}
