/**
 * A ConverseStream → neutral events. Blocks follow each other; only calls are announced, so that another block begins with its
 * first delta. Must not throw, nor buffer the stream.
 */
import { isRecord, type JsonRecord, parsed, recordIn, textIn } from '../json/parsed.ts'
import { EventDecoder } from '../stream/event-decoder.ts'
import { EventStreamParser } from '../stream/event-stream.ts'
import type { StreamDecoder } from '../translation/codec.ts'
import type { Finish } from '../translation/neutral.ts'
import { finishOf } from './decode-response.ts'

export function decodeStream(eventBytesMax: number): StreamDecoder {
  return new ConverseDecoder(new EventStreamParser(eventBytesMax))
}

type OpenKind = 'text' | 'thinking' | 'call'

class ConverseDecoder extends EventDecoder<EventStreamParser> {
  private open: OpenKind | null = null
  private hasInput = false
  private finish: Finish | null = null

  protected override readEvent(event: EventStreamParser): void {
    const body = parsed(event.dataText())
    if (isRecord(body)) this.readTyped(event.headers.get(':event-type') ?? '', body)
  }

  protected override endStream(): void {
    this.close()
    if (this.finish !== null) this.events.push({ kind: 'finish', finish: this.finish })
  }

  private readTyped(type: string, body: JsonRecord): void {
    switch (type) {
      case 'messageStart':
        this.events.push({ kind: 'start' })
        return
      case 'contentBlockStart':
        return this.readStart(recordIn(body, 'start'))
      case 'contentBlockDelta':
        return this.readDelta(recordIn(body, 'delta'))
      case 'contentBlockStop':
        return this.close()
      case 'messageStop':
        this.finish = finishOf(textIn(body, 'stopReason'))
        return
    }
  }

  private readStart({ toolUse }: JsonRecord): void {
    this.close()
    if (!isRecord(toolUse)) return
    this.open = 'call'
    this.hasInput = false
    const [id, name] = [textIn(toolUse, 'toolUseId'), textIn(toolUse, 'name')]
    const part = { kind: 'call', id, name, namespace: null, form: 'json', encrypted: null } as const
    this.events.push({ kind: 'open', part })
  }

  private readDelta(delta: JsonRecord): void {
    const input = textIn(recordIn(delta, 'toolUse'), 'input')
    if (input !== '' && this.open === 'call') {
      this.hasInput = true
      this.events.push({ kind: 'delta', text: input })
    }
    this.add('thinking', textIn(recordIn(delta, 'reasoningContent'), 'text'))
    this.add('text', textIn(delta, 'text'))
  }

  private add(kind: 'text' | 'thinking', text: string): void {
    if (text === '') return
    if (this.open !== kind) {
      this.close()
      this.open = kind
      this.events.push({ kind: 'open', part: { kind } })
    }
    this.events.push({ kind: 'delta', text })
  }

  private close(): void {
    if (this.open === null) return
    // A tool without input has no delta.
    if (this.open === 'call' && !this.hasInput) this.events.push({ kind: 'delta', text: '{}' })
    this.open = null
    this.events.push({ kind: 'close', encrypted: null })
  }
}
