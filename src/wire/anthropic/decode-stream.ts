/**
 * A Messages stream as neutral events. Blocks of one stream never overlap here: events
 * of a later block wait until the one before it is closed. What ran at the provider is omitted. Must not
 * throw, nor buffer the stream.
 */

import { answerLimits, readJson } from '../json/json.ts'
import { isRecord, type JsonRecord, jsonOf, parsed, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import { BufferedEvents, waitingPartSize } from '../stream/buffered-events.ts'
import { EventDecoder } from '../stream/event-decoder.ts'
import { Queue } from '../stream/queue.ts'
import { SseParser } from '../stream/sse.ts'
import type { StreamDecoder } from '../translation/codec.ts'
import type { Citation, EncryptedReasoning, ResponseEvent } from '../translation/neutral.ts'
import { finishOf, ownEncrypted } from './decode-response.ts'
import { messagesReport, readOpeningUsage, toUsage } from './extract-usage.ts'

export function decodeStream(eventBytesMax: number): StreamDecoder {
  return new MessagesDecoder(new SseParser(eventBytesMax))
}

/** A block that has begun. */
interface OpenBlock {
  readonly index: number
  readonly kind: 'text' | 'thinking' | 'call' | 'whole' | 'skipped'
  /** Events that wait for the blocks before this one. */
  readonly buffered: BufferedEvents
  /** Input that came with the beginning of a call, for hosts that send no deltas of it. */
  readonly input: string
  hasDeltas: boolean
  isClosed: boolean
  encrypted: EncryptedReasoning | null
}

class MessagesDecoder extends EventDecoder<SseParser> {
  private bufferedSize = 0
  private hasStarted = false
  /** Blocks in the order of their beginning; only the first one's events are emitted immediately. */
  private readonly blocks = new Queue<OpenBlock>()
  /** The blocks that are not closed yet. */
  private readonly byIndex = new Map<number, OpenBlock>()

  protected override get heldSize(): number {
    return this.bufferedSize + Math.max(0, this.blocks.size - 1) * waitingPartSize
  }

  protected override readEvent(event: SseParser): void {
    const text = event.dataText()
    const value = parsed(text)
    if (isRecord(value)) this.readTyped(value, text)
  }

  private readTyped(value: JsonRecord, text: string): void {
    switch (value.type) {
      case 'message_start':
        return this.start(recordIn(value, 'message'))
      case 'content_block_start':
        return this.open(indexOf(value), recordIn(value, 'content_block'), text)
      case 'content_block_delta':
        return this.delta(indexOf(value), recordIn(value, 'delta'))
      case 'content_block_stop': {
        const block = this.byIndex.get(indexOf(value))
        if (block !== undefined) this.close(block)
        return
      }
      case 'message_delta':
        return this.finish(recordIn(value, 'delta'))
      default:
        return
    }
  }

  /** Some proxies send it twice, and a fallback to another model starts over: the first one counts. */
  private start(message: JsonRecord): void {
    if (this.hasStarted) return
    this.hasStarted = true
    this.events.push({ kind: 'start' })
    const draft = messagesReport()
    readOpeningUsage(draft, message.usage)
    if (isRecord(message.usage)) this.events.push({ kind: 'input', usage: toUsage(draft.rawUsage()) })
  }

  private open(index: number, block: JsonRecord, text: string): void {
    const kind = kindOf(block)
    const input = kind === 'call' ? inputIn(block, text) : ''
    const opened: OpenBlock = {
      index,
      kind,
      buffered: new BufferedEvents(),
      input,
      hasDeltas: false,
      isClosed: false,
      encrypted: ownEncrypted(textIn(block, 'signature')),
    }
    const before = this.byIndex.get(index)
    if (before !== undefined) this.close(before)
    this.blocks.push(opened)
    this.byIndex.set(index, opened)
    const event = openingEvent(kind, block)
    if (event !== null) this.emit(opened, event)
    const initialText =
      kind === 'text' ? textIn(block, 'text') : kind === 'thinking' ? textIn(block, 'thinking') : ''
    if (initialText !== '') this.emit(opened, { kind: 'delta', text: initialText })
    if (kind !== 'text') return
    for (const citation of recordsIn(block, 'citations')) this.cite(opened, citation)
  }

  private delta(index: number, delta: JsonRecord): void {
    const block = this.byIndex.get(index)
    if (block === undefined || block.kind === 'skipped' || block.kind === 'whole') return
    switch (delta.type) {
      case 'text_delta':
        return this.emitText(block, textIn(delta, 'text'))
      case 'thinking_delta':
        return this.emitText(block, textIn(delta, 'thinking'))
      case 'input_json_delta':
        return this.emitText(block, textIn(delta, 'partial_json'))
      case 'signature_delta':
        block.encrypted = ownEncrypted(textIn(delta, 'signature'))
        return
      case 'citations_delta':
        return this.cite(block, recordIn(delta, 'citation'))
      default:
        return
    }
  }

  private emitText(block: OpenBlock, text: string): void {
    if (text === '') return
    block.hasDeltas = true
    this.emit(block, { kind: 'delta', text })
  }

  private cite(block: OpenBlock, citation: JsonRecord): void {
    this.emit(block, { kind: 'citation', citation: citationOf(citation) })
  }

  private close(block: OpenBlock): void {
    if (block.kind === 'call' && !block.hasDeltas && block.input !== '')
      this.emit(block, { kind: 'delta', text: block.input })
    const isPart = block.kind === 'text' || block.kind === 'thinking' || block.kind === 'call'
    if (isPart)
      this.emit(block, { kind: 'close', encrypted: block.kind === 'thinking' ? block.encrypted : null })
    block.isClosed = true
    this.byIndex.delete(block.index)
    this.advance()
  }

  /** Lets go of what waited for the blocks that are closed now. */
  private advance(): void {
    while (this.blocks.first?.isClosed === true) {
      this.blocks.shift()
      const buffered = this.blocks.first?.buffered
      if (buffered === undefined) return
      this.bufferedSize -= buffered.size
      for (const event of buffered.take()) this.events.push(event)
    }
  }

  private finish(delta: JsonRecord): void {
    const reason = textIn(delta, 'stop_reason')
    if (reason === '') return
    for (const block of [...this.byIndex.values()]) this.close(block)
    this.isOver = true
    const stopString = delta.stop_sequence
    const explanation = recordIn(delta, 'stop_details').explanation
    const finish = finishOf({
      reason,
      stopString: typeof stopString === 'string' ? stopString : null,
      explanation: typeof explanation === 'string' ? explanation : null,
    })
    this.events.push({ kind: 'finish', finish })
  }

  private emit(block: OpenBlock, event: ResponseEvent): void {
    if (block === this.blocks.first) {
      this.events.push(event)
      return
    }
    this.bufferedSize -= block.buffered.size
    block.buffered.add(event)
    this.bufferedSize += block.buffered.size
  }
}

/** A host that counts nothing has one block at a time. */
function indexOf(value: JsonRecord): number {
  return typeof value.index === 'number' ? value.index : 0
}

const kinds: Readonly<Record<string, OpenBlock['kind']>> = {
  text: 'text',
  thinking: 'thinking',
  redacted_thinking: 'whole',
  tool_use: 'call',
}

function kindOf(block: JsonRecord): OpenBlock['kind'] {
  const type = textIn(block, 'type')
  return (Object.hasOwn(kinds, type) ? kinds[type] : undefined) ?? 'skipped'
}

function openingEvent(kind: OpenBlock['kind'], block: JsonRecord): ResponseEvent | null {
  switch (kind) {
    case 'text':
    case 'thinking':
      return { kind: 'open', part: { kind } }
    case 'call': {
      const id = textIn(block, 'id')
      const name = textIn(block, 'name')
      return { kind: 'open', part: { kind, id, name, namespace: null, form: 'json', encrypted: null } }
    }
    case 'whole': {
      const encrypted = ownEncrypted(textIn(block, 'data'))
      return { kind: 'whole', part: { kind: 'thinking', text: '', redacted: true, encrypted } }
    }
    case 'skipped':
      return null
  }
}

const encoder = new TextEncoder()

/** The input as it is written in the event; '' for the empty one that every call begins with. */
function inputIn(block: JsonRecord, text: string): string {
  if (!isRecord(block.input) || Object.keys(block.input).length === 0) return ''
  const bytes = encoder.encode(text)
  try {
    return readJson(bytes, answerLimits(bytes), (json) => {
      const input = json.find(['content_block', 'input'])
      return input === -1 ? '' : json.written(json.span(input))
    })
  } catch {
    // The parser took it; the scanner, which is stricter, did not.
    return jsonOf(block.input)
  }
}

function citationOf(citation: JsonRecord): Citation {
  const firstText = (...names: string[]) =>
    names.map((name) => textIn(citation, name)).find((text) => text !== '') ?? null
  return {
    url: firstText('url', 'source'),
    title: firstText('title', 'document_title'),
    quoted: firstText('cited_text'),
  }
}
