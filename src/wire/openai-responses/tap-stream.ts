/**
 * Reads the events of a Responses stream: content, the terminal event, an error in either of its
 * shapes. Must not change or buffer an event.
 */
import type { ProviderObject, TapOptions, UpstreamProblem, UsageTap } from '../format.ts'
import { isRecord, type JsonRecord, parsed, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import type { RawUsageDraft } from '../raw-usage.ts'
import { ProducedText } from '../stream/produced-text.ts'
import type { SseParser } from '../stream/sse.ts'
import { type EventMeaning, type SseEventReader, SseTap } from '../stream/sse-tap.ts'
import { noProblem, problemOf } from '../upstream-problem.ts'
import type { RawUsage } from '../usage.ts'
import { isFiltered, itemTexts, onlyRefuses } from './extract-response.ts'
import { ProviderObjectCollector } from './extract-response-references.ts'
import { countItem, readResponse, responsesReport } from './extract-usage.ts'

/** Events that repeat the request and say nothing yet; large, so they are not parsed. */
const openings = ['response.created', 'response.in_progress', 'response.queued']
/** Items that say nothing when they begin; all others begin with what they are. */
const silentItems = ['message', 'reasoning']

export function tapStream(options: TapOptions): UsageTap {
  return new SseTap(options, new ResponsesReader(options))
}

/** The error of an `error` event: nested as it is sent, or flat as it is documented. */
function eventProblem(event: JsonRecord): UpstreamProblem {
  if (isRecord(event.error)) return problemOf(event.error)
  const type = event.type === 'error' ? '' : textIn(event, 'type')
  return { message: textIn(event, 'message'), type, code: textIn(event, 'code') }
}

class ResponsesReader implements SseEventReader {
  problem: UpstreamProblem = noProblem
  refused = false
  readonly sample: ProducedText
  private readonly draft: RawUsageDraft = responsesReport()
  private readonly objectCollector = new ProviderObjectCollector()
  /** The item whose text came in deltas, so that it is not counted again when the item is repeated whole. */
  private streamedItem: unknown = null

  constructor(options: TapOptions) {
    this.sample = new ProducedText(options.sampleCharactersMax)
  }

  rawUsage(): RawUsage {
    return this.draft.rawUsage()
  }

  get providerObjects(): readonly ProviderObject[] {
    return this.objectCollector.list
  }

  read(event: SseParser): EventMeaning {
    if (openings.some((name) => event.isNamed(name))) return 'quiet'
    const text = event.dataText()
    const value = parsed(text)
    if (!isRecord(value)) return text.trim() === '' || text.trim() === '[DONE]' ? 'quiet' : 'unreadable'
    if (value.type === 'error' || event.isNamed('error')) {
      this.problem = eventProblem(value)
      return 'failed'
    }
    return this.readTyped(value)
  }

  private readTyped(value: JsonRecord): EventMeaning {
    const type = textIn(value, 'type')
    switch (type) {
      case 'response.completed':
      case 'response.incomplete':
        if (this.sample.events === 0) this.refused = isFiltered(recordIn(value, 'response'))
        readResponse(this.draft, recordIn(value, 'response'))
        this.objectCollector.readResponse(recordIn(value, 'response'))
        return 'end'
      case 'response.failed':
      case 'response.cancelled':
        readResponse(this.draft, recordIn(value, 'response'))
        this.problem = problemOf(recordIn(value, 'response').error)
        return 'failed'
      case 'response.output_item.added':
        return this.readStart(recordIn(value, 'item'))
      case 'response.output_item.done':
        return this.readItem(value)
      default:
        return type.endsWith('.delta') ? this.readDelta(value) : 'quiet'
    }
  }

  private readStart(item: JsonRecord): EventMeaning {
    if (silentItems.includes(textIn(item, 'type'))) return 'quiet'
    this.sample.add(textIn(item, 'name'))
    this.sample.events += 1
    return 'content'
  }

  private readDelta(value: JsonRecord): EventMeaning {
    const text = textIn(value, 'delta')
    if (text === '') return 'quiet'
    if (this.sample.events === 0) this.refused = value.type === 'response.refusal.delta'
    this.streamedItem = value.output_index
    this.sample.add(text)
    this.sample.events += 1
    return 'content'
  }

  /** Some hosts send an item only when it is complete. */
  private readItem(value: JsonRecord): EventMeaning {
    const item = recordIn(value, 'item')
    countItem(this.draft, item)
    this.objectCollector.readItem(item)
    const texts = itemTexts(item)
    if (value.output_index !== this.streamedItem) {
      const name = textIn(item, 'name')
      for (const text of texts) if (text !== name) this.sample.add(text)
    }
    const isSaying = texts.length > 0 || textIn(item, 'encrypted_content') !== ''
    if (!isSaying && recordsIn(item, 'content').length === 0) return 'quiet'
    if (this.sample.events === 0) this.refused = onlyRefuses([item])
    this.sample.events += 1
    return 'content'
  }
}
