/**
 * Reads the frames of ConverseStream: content, the end of the message, the usage after it, an exception. The stream is over
 * with `metadata`. Must not change or buffer a frame.
 */
import type { TapOptions, UpstreamProblem, UsageTap } from '../format.ts'
import { isRecord, type JsonRecord, parsed, recordIn, textIn } from '../json/parsed.ts'
import type { RawUsageDraft } from '../raw-usage.ts'
import { EventStreamParser } from '../stream/event-stream.ts'
import { type EventMeaning, type EventReader, EventTap } from '../stream/event-tap.ts'
import { ProducedText } from '../stream/produced-text.ts'
import { isRefusal, noProblem } from '../upstream-problem.ts'
import type { RawUsage } from '../usage.ts'
import { converseReport, readUsage } from './extract-usage.ts'

export function tapStream(options: TapOptions): UsageTap {
  return new EventTap(options, new ConverseReader(options), new EventStreamParser(options.eventBytesMax))
}

class ConverseReader implements EventReader<EventStreamParser> {
  problem: UpstreamProblem = noProblem
  refused = false
  readonly sample: ProducedText
  private readonly draft: RawUsageDraft = converseReport()

  constructor({ sampleCharactersMax }: TapOptions) {
    this.sample = new ProducedText(sampleCharactersMax)
  }

  rawUsage(): RawUsage {
    return this.draft.rawUsage()
  }

  read(event: EventStreamParser): EventMeaning {
    const { headers } = event
    const body = parsed(event.dataText())
    const type = headers.get(':message-type')
    if (type === 'exception' || type === 'error') return this.fail(headers, body)
    if (!isRecord(body)) return 'unreadable'
    switch (headers.get(':event-type')) {
      case 'contentBlockStart':
        return this.produced(textIn(recordIn(recordIn(body, 'start'), 'toolUse'), 'name'))
      case 'contentBlockDelta':
        return this.produced(deltaText(recordIn(body, 'delta')))
      case 'messageStop':
        this.refused = this.sample.events === 0 && isRefusal('bedrock-converse', textIn(body, 'stopReason'))
        return 'finish'
      case 'metadata':
        readUsage(this.draft, body)
        return 'end'
      default:
        return 'quiet'
    }
  }

  private produced(text: string): EventMeaning {
    if (text === '') return 'quiet'
    this.sample.add(text)
    this.sample.events += 1
    return 'content'
  }

  private fail(headers: ReadonlyMap<string, string>, body: unknown): EventMeaning {
    const type = headers.get(':exception-type') ?? headers.get(':error-code') ?? ''
    const message = isRecord(body) ? textIn(body, 'message') || textIn(body, 'Message') : ''
    this.problem = { message: message || (headers.get(':error-message') ?? ''), type, code: '' }
    return 'failed'
  }
}

function deltaText(delta: JsonRecord): string {
  return (
    textIn(delta, 'text') ||
    textIn(recordIn(delta, 'toolUse'), 'input') ||
    textIn(recordIn(delta, 'reasoningContent'), 'text')
  )
}
