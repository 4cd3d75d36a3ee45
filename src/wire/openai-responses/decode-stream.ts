/**
 * The events of a Responses stream, of any host, as neutral events. Parts are found by their indexes, since
 * IDs change on some hosts; what comes whole without deltas is emitted too. Must not throw, nor store what was emitted.
 */

import { isRecord, type JsonRecord, jsonOf, parsed, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import { RawJson } from '../json/text.ts'
import { EventDecoder } from '../stream/event-decoder.ts'
import { SseParser } from '../stream/sse.ts'
import type { StreamDecoder } from '../translation/codec.ts'
import type { ResponseEvent } from '../translation/neutral.ts'
import {
  callOf,
  citationOf,
  encryptedOf,
  finishOf,
  imageOf,
  inputOf,
  thoughtText,
} from './decode-response.ts'
import { PartQueue } from './decode-stream-parts.ts'

export function decodeStream(eventBytesMax: number): StreamDecoder {
  return new ResponsesDecoder(new SseParser(eventBytesMax))
}

class ResponsesDecoder extends EventDecoder<SseParser> {
  private readonly parts = new PartQueue()
  private isStarted = false
  /** The last item that was emitted, by its index. */
  private lastIndex = -1
  private readonly seen = { call: false, refusal: false }

  protected override get heldSize(): number {
    return this.parts.size
  }

  protected override readEvent(event: SseParser): void {
    const value = parsed(event.dataText())
    if (isRecord(value)) this.readTyped(value)
  }

  private readTyped(value: JsonRecord): void {
    switch (value.type) {
      case 'response.created':
      case 'response.in_progress':
        return this.start()
      case 'response.completed':
      case 'response.incomplete':
        return this.finish(recordIn(value, 'response'))
      case 'response.output_item.added':
        this.addItem(indexIn(value), recordIn(value, 'item'))
        break
      case 'response.output_item.done':
        this.endItem(indexIn(value), recordIn(value, 'item'))
        break
      case 'response.content_part.added':
        this.addContent(value)
        break
      case 'response.content_part.done':
        this.endContent(contentKey(value), recordIn(value, 'part'))
        break
      default:
        this.readText(value)
    }
    this.emit(this.parts.take())
  }

  /** Appends in a loop: a spread could exceed the limit on arguments. */
  private emit(events: readonly ResponseEvent[]): void {
    for (const event of events) this.events.push(event)
  }

  private start(): void {
    if (this.isStarted) return
    this.isStarted = true
    this.events.push({ kind: 'start' })
  }

  private addItem(index: number, item: JsonRecord): void {
    if (index <= this.lastIndex) return
    this.lastIndex = index
    if (item.type === 'reasoning') this.parts.begin(`${index}`, { kind: 'thinking' })
    if (item.type === 'function_call' || item.type === 'custom_tool_call') {
      this.seen.call = true
      this.parts.begin(`${index}`, callOf(item))
      this.parts.show(`${index}`)
    }
  }

  private addContent(value: JsonRecord): void {
    const { type } = recordIn(value, 'part')
    const key = type === 'reasoning_text' ? `${indexIn(value)}` : contentKey(value)
    this.parts.begin(key, {
      kind: type === 'refusal' ? 'refusal' : type === 'reasoning_text' ? 'thinking' : 'text',
    })
  }

  private readText(value: JsonRecord): void {
    const key = contentKey(value)
    const itemKey = `${indexIn(value)}`
    switch (value.type) {
      case 'response.output_text.delta':
        this.parts.begin(key, { kind: 'text' })
        this.logprobs(key, value)
        this.parts.addText(key, textIn(value, 'delta'))
        break
      case 'response.refusal.delta':
        this.seen.refusal = true
        this.parts.begin(key, { kind: 'refusal' })
        this.parts.addText(key, textIn(value, 'delta'))
        break
      case 'response.output_text.annotation.added': {
        const citation = citationOf(recordIn(value, 'annotation'))
        if (citation !== null) this.parts.emit(key, { kind: 'citation', citation })
        break
      }
      case 'response.reasoning_summary_part.added':
        this.parts.separate(itemKey)
        break
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.parts.begin(itemKey, { kind: 'thinking' })
        this.parts.addText(itemKey, textIn(value, 'delta'))
        break
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.parts.addText(itemKey, textIn(value, 'delta'))
        break
    }
  }

  /** Log probabilities come before the text that they describe. */
  private logprobs(key: string, value: JsonRecord): void {
    const entries = recordsIn(value, 'logprobs')
    const text = entries.length === 0 ? '' : jsonOf(entries)
    if (text !== '') this.parts.emit(key, { kind: 'logprobs', content: new RawJson(text) })
  }

  private endContent(key: string, part: JsonRecord): void {
    if (part.type === 'reasoning_text') return
    const isRefusal = part.type === 'refusal'
    const text = textIn(part, isRefusal ? 'refusal' : 'text')
    if (isRefusal) this.seen.refusal = true
    if (text !== '') this.parts.begin(key, { kind: isRefusal ? 'refusal' : 'text' })
    this.addWholeText(key, text)
    this.parts.end(key, null)
  }

  /** Emits as one delta what did not come in deltas. */
  private addWholeText(key: string, text: string): void {
    if (!this.parts.hasText(key)) this.parts.addText(key, text)
  }

  private endItem(index: number, item: JsonRecord): void {
    this.addItem(index, item)
    const key = `${index}`
    switch (item.type) {
      case 'message':
        for (const [place, part] of recordsIn(item, 'content').entries())
          this.endContent(`${index}:${place}`, part)
        return
      case 'reasoning': {
        const encrypted = encryptedOf(item)
        this.addWholeText(key, thoughtText(item))
        if (encrypted !== null) this.parts.show(key)
        this.parts.end(key, encrypted)
        return
      }
      case 'function_call':
      case 'custom_tool_call':
        this.addWholeText(key, inputOf(item))
        this.parts.end(key, null)
        return
      case 'image_generation_call': {
        const part = imageOf(item)
        if (part !== null) this.parts.whole(`${key}:whole`, { kind: 'whole', part })
        return
      }
    }
  }

  private finish(response: JsonRecord): void {
    this.start()
    for (const [index, item] of recordsIn(response, 'output').entries()) {
      // Some hosts send items only here.
      if (index > this.lastIndex) this.endItem(index, item)
    }
    this.isOver = true
    this.emit(this.parts.close())
    this.events.push({ kind: 'finish', finish: finishOf(response, (kind) => this.seen[kind]) })
  }
}

function indexIn(value: JsonRecord): number {
  return typeof value.output_index === 'number' ? value.output_index : 0
}

function contentKey(value: JsonRecord): string {
  const place = typeof value.content_index === 'number' ? value.content_index : 0
  return `${indexIn(value)}:${place}`
}
