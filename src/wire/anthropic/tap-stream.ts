/**
 * Reads the events of a Messages stream: content, the delta with a stop reason, `message_stop`,
 * an error. Most events are recognized from their bytes; every other is parsed. Must not change or
 * buffer an event.
 */
import type { TapOptions, UpstreamProblem, UsageTap } from '../format.ts'
import type { Json } from '../json/json.ts'
import { isRecord, type JsonRecord, parsed, recordIn, textIn } from '../json/parsed.ts'
import type { RawUsageDraft } from '../raw-usage.ts'
import { EventShape, type FreeStrings } from '../stream/event-shape.ts'
import { ProducedText } from '../stream/produced-text.ts'
import type { SseParser } from '../stream/sse.ts'
import { type EventMeaning, type SseEventReader, SseTap } from '../stream/sse-tap.ts'
import { isRefusal, noProblem, problemOf } from '../upstream-problem.ts'
import type { RawUsage } from '../usage.ts'
import { blockTexts } from './extract-response.ts'
import { countBlock, messagesReport, readOpeningUsage, readUsage } from './extract-usage.ts'

/** Members of a delta that hold the model's own text. */
const deltaTexts = ['text', 'thinking', 'partial_json', 'content'] as const
/** Blocks that say nothing when they begin; all others begin with what they are. */
const emptyBlocks = ['text', 'thinking']

export function tapStream(options: TapOptions): UsageTap {
  return new SseTap(options, new MessagesReader(options))
}

class MessagesReader implements SseEventReader {
  problem: UpstreamProblem = noProblem
  refused = false
  readonly sample: ProducedText
  private readonly draft: RawUsageDraft = messagesReport()
  private readonly shape = new EventShape()

  constructor(options: TapOptions) {
    this.sample = new ProducedText(options.sampleCharactersMax)
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
    const value = parsed(text)
    if (!isRecord(value)) return text.trim() === '' ? 'quiet' : 'unreadable'
    if (value.type === 'error' || isError) {
      this.problem = problemOf(value)
      return 'failed'
    }
    return this.readTyped(event, value)
  }

  private readTyped(event: SseParser, value: JsonRecord): EventMeaning {
    switch (value.type) {
      case 'message_start':
        readOpeningUsage(this.draft, recordIn(value, 'message').usage)
        return 'quiet'
      case 'content_block_start':
        return this.readStart(recordIn(value, 'content_block'))
      case 'content_block_delta':
        return this.readDelta(event, recordIn(value, 'delta'))
      case 'message_delta': {
        readUsage(this.draft, value.usage)
        const reason = recordIn(value, 'delta').stop_reason
        this.refused = this.sample.events === 0 && isRefusal('anthropic', String(reason))
        return reason === null || reason === undefined ? 'quiet' : 'finish'
      }
      case 'message_stop':
        return 'mark'
      default:
        return 'quiet'
    }
  }

  private readStart(block: JsonRecord): EventMeaning {
    countBlock(this.draft, block)
    const texts = blockTexts(block)
    for (const text of texts) this.sample.add(text)
    if (texts.length === 0 && emptyBlocks.includes(textIn(block, 'type'))) return 'quiet'
    this.sample.events += 1
    return 'content'
  }

  private readDelta(event: SseParser, delta: JsonRecord): EventMeaning {
    const texts = deltaTexts.map((name) => textIn(delta, name)).filter((text) => text !== '')
    for (const text of texts) this.sample.add(text)
    const isSaying = texts.length > 0 || textIn(delta, 'signature') !== '' || isRecord(delta.citation)
    if (!isSaying) return 'quiet'
    this.sample.events += 1
    const [text] = texts
    if (text !== undefined && texts.length === 1) {
      const found = (json: Json) => freeStrings(json, text)
      this.shape.learn(event.bytes.subarray(event.dataStart, event.dataEnd), found)
    }
    return 'content'
  }
}

function freeStrings(json: Json, produced: string): FreeStrings | null {
  const values = deltaTexts.map((name) => json.find(['delta', name]))
  const text = values.find((value) => json.equalsText(value, produced))
  return text === undefined ? null : { text, padding: [] }
}
