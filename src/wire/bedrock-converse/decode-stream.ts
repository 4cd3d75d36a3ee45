/**
 * A ConverseStream → neutral events. Blocks follow each other; only calls are announced, so that another block begins with its
 * first delta. Must not throw, nor buffer the stream.
 */
import { isRecord, type JsonRecord, parsed, recordIn, textIn } from '../json/parsed.ts'
import { EventStreamParser } from '../stream/event-stream.ts'
import type { StreamDecoder } from '../translation/codec.ts'
import type { Finish, ResponseEvent } from '../translation/neutral.ts'
import { finishOf } from './decode-response.ts'

export function decodeStream(eventBytesMax: number): StreamDecoder {
  return new ConverseDecoder(eventBytesMax)
}

type OpenKind = 'text' | 'thinking' | 'call'

class ConverseDecoder implements StreamDecoder {
  private readonly parser: EventStreamParser
  private events: ResponseEvent[] = []
  private open: OpenKind | null = null
  private hasInput = false
  private finish: Finish | null = null
  private received = 0

  constructor(eventBytesMax: number) {
    this.parser = new EventStreamParser(eventBytesMax)
  }

  get waitingBytes(): number {
    return this.received - this.parser.end
  }

  push(chunk: Uint8Array): readonly ResponseEvent[] {
    this.received += chunk.length
    this.parser.push(chunk)
    while (this.parser.next()) {
      const body = parsed(this.parser.dataText())
      if (isRecord(body)) this.readEvent(this.parser.headers.get(':event-type') ?? '', body)
    }
    return this.takeEvents()
  }

  end(): readonly ResponseEvent[] {
    this.close()
    if (this.finish !== null) this.events.push({ kind: 'finish', finish: this.finish })
    return this.takeEvents()
  }

  private takeEvents(): readonly ResponseEvent[] {
    const { events } = this
    this.events = []
    return events
  }

  private readEvent(type: string, body: JsonRecord): void {
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
