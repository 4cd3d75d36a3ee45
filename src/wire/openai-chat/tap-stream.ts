/**
 * Reads the events of a chat stream: content, the last finish reason, the usage event, `[DONE]`,
 * an error in place of a chunk. Most events are recognized from their bytes; every other is parsed.
 * Must not change or buffer an event.
 */
import type { TapOptions, UpstreamProblem, UsageTap } from '../format.ts'
import type { Json } from '../json/json.ts'
import { isRecord, type JsonRecord, parsed, recordIn, recordsIn } from '../json/parsed.ts'
import type { RawUsageDraft } from '../raw-usage.ts'
import { EventShape, type FreeStrings } from '../stream/event-shape.ts'
import { ProducedText } from '../stream/produced-text.ts'
import type { SseParser } from '../stream/sse.ts'
import { type EventMeaning, type SseEventReader, SseTap } from '../stream/sse-tap.ts'
import { isSet, noProblem, problemInside, problemOf } from '../upstream-problem.ts'
import type { RawUsage } from '../usage.ts'
import { finishProblem, isContent, isFiltered, onlyRefuses, producedBy } from './extract-response.ts'
import { chatReport, readUsage, usageIn } from './extract-usage.ts'

type Path = readonly (string | number)[]

/** Where a chunk of an ordinary answer has its text. */
const textPaths: readonly Path[] = [
  ['choices', 0, 'delta', 'content'],
  ['choices', 0, 'delta', 'reasoning_content'],
  ['choices', 0, 'delta', 'reasoning'],
  ['choices', 0, 'delta', 'tool_calls', 0, 'function', 'arguments'],
]
/** Strings of random length that hide the length of the text (`include_obfuscation`). */
const paddingPath: Path = ['obfuscation']
const endMark = '[DONE]'

export function tapStream(options: TapOptions): UsageTap {
  return new SseTap(options, new ChatReader(options))
}

class ChatReader implements SseEventReader {
  readonly endMark = `data: ${endMark}\n\n`
  problem: UpstreamProblem = noProblem
  refused = false
  hasEmptyRole = false
  readonly sample: ProducedText
  private readonly choices: number
  private readonly draft: RawUsageDraft = chatReport()
  private readonly shape = new EventShape()
  private readonly finished = new Set<unknown>()

  constructor(options: TapOptions) {
    this.sample = new ProducedText(options.sampleCharactersMax)
    this.choices = options.choices
  }

  rawUsage(): RawUsage {
    return this.draft.rawUsage()
  }

  read(event: SseParser): EventMeaning {
    const isError = event.isNamed('error')
    if (!isError && this.shape.matches(event.bytes, event.dataStart, event.dataEnd)) {
      this.shape.addTo(this.sample, event.bytes)
      return 'content'
    }
    const text = event.dataText()
    if (text.trim() === endMark) return 'mark'
    const chunk = parsed(text)
    if (!isRecord(chunk)) return text.trim() === '' ? 'quiet' : 'unreadable'
    const problem = problemInside(chunk) ?? (isError ? problemOf(chunk) : null)
    if (problem !== null) return this.failed(problem)
    readUsage(this.draft, chunk)
    return this.readChoices(event, chunk)
  }

  private readChoices(event: SseParser, chunk: JsonRecord): EventMeaning {
    const choices = recordsIn(chunk, 'choices')
    let hasContent = false
    let hasFinish = false
    if (this.choices === 1 && this.sample.events === 0) this.refused ||= choices.some(beginsWithRefusal)
    for (const choice of choices) {
      const delta = recordIn(choice, 'delta')
      if (delta.role === '') this.hasEmptyRole = true
      for (const piece of producedBy(delta)) this.sample.add(piece)
      if (isContent(delta)) hasContent = true
      if (!isSet(choice.finish_reason)) continue
      const problem = finishProblem(choice, hasContent || this.sample.events > 0)
      if (problem !== null) return this.failed(problem)
      hasFinish = true
      if (this.finished.size < this.choices) this.finished.add(choice.index ?? 0)
    }
    if (hasContent) this.sample.events += 1
    if (hasFinish && this.finished.size >= this.choices) return 'finish'
    if (choices.length === 0 && isRecord(usageIn(chunk)) && this.finished.size > 0) return 'usage'
    if (hasContent && !hasFinish && !isSet(usageIn(chunk))) this.learn(event, choices)
    return hasContent ? 'content' : 'quiet'
  }

  private failed(problem: UpstreamProblem): EventMeaning {
    this.problem = problem
    return 'failed'
  }

  private learn(event: SseParser, choices: readonly JsonRecord[]): void {
    const texts = choices.flatMap((choice) => producedBy(recordIn(choice, 'delta')))
    const [text] = texts
    if (text === undefined || texts.length > 1) return
    const found = (json: Json) => freeStrings(json, text)
    this.shape.learn(event.bytes.subarray(event.dataStart, event.dataEnd), found)
  }
}

function beginsWithRefusal(choice: JsonRecord): boolean {
  const delta = recordIn(choice, 'delta')
  return onlyRefuses(delta) || (isFiltered(choice) && !isContent(delta))
}

function freeStrings(json: Json, produced: string): FreeStrings | null {
  const text = textPaths.map((path) => json.find(path)).find((value) => json.equalsText(value, produced))
  if (text === undefined) return null
  const padding = json.find(paddingPath)
  return { text, padding: json.isString(padding) ? [padding] : [] }
}
