/**
 * A chat stream → events in which parts follow each other. Calls that a host sends interleaved, or whose end it
 * reports, are held back until the one before them is complete. Unknown events are ignored. Must not throw.
 */

import { isRecord, type JsonRecord, parsed, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import { BufferedEvents, waitingPartSize } from '../stream/buffered-events.ts'
import { EventDecoder } from '../stream/event-decoder.ts'
import { Queue } from '../stream/queue.ts'
import { SseParser } from '../stream/sse.ts'
import type { StreamDecoder } from '../translation/codec.ts'
import type { CallPart, EncryptedReasoning, ResponseEvent, ResponsePart } from '../translation/neutral.ts'
import {
  type CallRecord,
  callOf,
  citationsIn,
  encryptedAlone,
  finishOf,
  logprobsIn,
  mediaIn,
  piecesOf,
  signatureIn,
} from './decode-response.ts'

const endMark = '[DONE]'

export function decodeStream(eventBytesMax: number): StreamDecoder {
  return new ChatDecoder(new SseParser(eventBytesMax))
}

class ChatDecoder extends EventDecoder<SseParser> {
  private readonly parts = new OpenParts((event) => this.events.push(event))
  private hasStarted = false
  private finish: string | null = null
  /** The signature of the message itself, until a call takes it. */
  private encrypted: EncryptedReasoning | null = null

  protected override get heldSize(): number {
    return this.parts.size
  }

  protected override endStream(): void {
    if (this.finish !== null) this.endAnswer(this.finish)
  }

  protected override readEvent(event: SseParser): void {
    const text = event.dataText()
    if (text.trim() === endMark) this.endAnswer(this.finish ?? '')
    else this.chunk(parsed(text))
  }

  private endAnswer(finish: string): void {
    if (this.isOver) return
    this.isOver = true
    this.parts.closeAll()
    if (this.encrypted !== null) this.events.push({ kind: 'whole', part: encryptedAlone(this.encrypted) })
    this.events.push({ kind: 'finish', finish: finishOf(finish, this.parts.kinds) })
  }

  private chunk(chunk: unknown): void {
    if (!isRecord(chunk)) return
    const choice = recordsIn(chunk, 'choices').find(({ index }) => index === 0 || index === undefined)
    const id = textIn(chunk, 'id')
    if (!this.hasStarted && (id !== '' || choice !== undefined)) {
      this.hasStarted = true
      this.events.push({ kind: 'start' })
    }
    if (choice !== undefined) this.choice(choice)
  }

  private choice(choice: JsonRecord): void {
    const { parts, events } = this
    const delta = recordIn(choice, 'delta')
    parts.text('thinking', textIn(delta, 'reasoning_content') || textIn(delta, 'reasoning'))
    for (const { kind, text } of piecesOf(delta.content)) parts.text(kind, text)
    const logprobs = logprobsIn(choice)
    if (logprobs !== null) events.push({ kind: 'logprobs', content: logprobs })
    for (const citation of citationsIn(delta)) parts.inside({ kind: 'citation', citation })
    parts.text('refusal', textIn(delta, 'refusal'))
    for (const part of mediaIn(delta)) parts.whole({ kind: 'whole', part })
    this.encrypted = signatureIn(delta) ?? this.encrypted
    for (const call of recordsIn(delta, 'tool_calls')) {
      parts.call(callOf(call), call.index, this.encrypted)
      this.encrypted = null
    }
    if (isRecord(delta.function_call)) {
      const named = { id: '', encrypted: null, isCustom: false, named: delta.function_call }
      parts.call(named, 'function', null)
    }
    const finish = textIn(choice, 'finish_reason')
    if (finish !== '') this.finish = finish
  }
}

type OpenChatPart = Extract<ResponseEvent, { kind: 'open' }>['part']

/** A part's opening, and its text while it waits. */
interface CallSlot {
  readonly kind: OpenChatPart['kind'] | 'whole'
  /** The host's index of a call. */
  readonly key: unknown
  readonly call: {
    id: string
    name: string
    readonly form: CallPart['form']
    readonly encrypted: EncryptedReasoning | null
  } | null
  readonly input: InputEnd
  readonly buffered: BufferedEvents
  isOpen: boolean
}

/** The parts that are not closed, in order; only the first emits events, the others wait. */
class OpenParts {
  readonly kinds = new Set<ResponsePart['kind']>()
  private readonly emit: (event: ResponseEvent) => void
  private bufferedSize = 0
  private readonly queue = new Queue<CallSlot>()
  /** The last call of each index, as long as it is not closed. */
  private readonly calls = new Map<unknown, CallSlot>()

  constructor(emit: (event: ResponseEvent) => void) {
    this.emit = emit
  }

  /** The memory of what waits. */
  get size(): number {
    return this.bufferedSize + Math.max(0, this.queue.size - 1) * waitingPartSize
  }

  /** More text of a kind; it continues the last part of its kind unless another has begun since. */
  text(kind: 'text' | 'thinking' | 'refusal', text: string): void {
    if (text === '') return
    const { last } = this.queue
    const slot = last?.kind === kind ? last : this.begin({ kind, key: null, call: null })
    this.more(slot, text)
  }

  /** A part that comes whole. */
  whole(event: ResponseEvent): void {
    this.hold(this.begin({ kind: 'whole', key: null, call: null }), event)
    this.flow()
  }

  /** Something about the text that is open; what tells of no open text is left out. */
  inside(event: ResponseEvent): void {
    const { first } = this.queue
    if (first?.kind === 'text' && first.isOpen) this.emit(event)
  }

  call(piece: CallRecord, key: unknown, fallback: EncryptedReasoning | null): void {
    const { id, named, isCustom } = piece
    const name = textIn(named, 'name')
    const input = textIn(named, isCustom ? 'input' : 'arguments')
    let slot = this.calls.get(key)
    if (slot !== undefined && isAnother(slot, id, name !== '' && input !== '')) slot = undefined
    // A piece that follows a closed call belongs to no part.
    if (slot === undefined && name === '' && id === '') return
    slot ??= this.begin({
      kind: 'call',
      key,
      call: { id, name: '', form: isCustom ? 'text' : 'json', encrypted: piece.encrypted ?? fallback },
    })
    const { call } = slot
    if (call !== null && call.name === '') call.name = name
    if (call !== null && call.id === '') call.id = id
    this.more(slot, input)
  }

  /** Ends every part, whole or not. */
  closeAll(): void {
    for (let slot = this.queue.first; slot !== undefined; slot = this.queue.first) {
      this.flush(slot)
      this.close(slot)
    }
  }

  private begin(slotFields: Pick<CallSlot, 'kind' | 'key' | 'call'>): CallSlot {
    const slot: CallSlot = {
      ...slotFields,
      input: new InputEnd(),
      buffered: new BufferedEvents(),
      isOpen: false,
    }
    this.queue.push(slot)
    if (slotFields.kind === 'call') this.calls.set(slotFields.key, slot)
    return slot
  }

  private more(slot: CallSlot, text: string): void {
    if (text !== '') {
      if (slot.kind === 'call') slot.input.add(text)
      if (slot.isOpen && slot === this.queue.first) this.emit({ kind: 'delta', text })
      else this.hold(slot, { kind: 'delta', text })
    }
    this.flow()
  }

  private hold(slot: CallSlot, event: ResponseEvent): void {
    this.bufferedSize -= slot.buffered.size
    slot.buffered.add(event)
    this.bufferedSize += slot.buffered.size
  }

  /** Tells of the first part, and of the next ones as far as those before them are over. */
  private flow(): void {
    for (let slot = this.queue.first; slot !== undefined; slot = this.queue.first) {
      if (slot.call?.name === '') return
      this.flush(slot)
      if (this.queue.size === 1 ? slot.kind !== 'whole' : !isOver(slot)) return
      this.close(slot)
    }
  }

  private flush(slot: CallSlot): void {
    if (!slot.isOpen && slot.kind !== 'whole') this.emit({ kind: 'open', part: this.opening(slot) })
    slot.isOpen = true
    this.bufferedSize -= slot.buffered.size
    for (const event of slot.buffered.take()) this.emit(event)
  }

  private opening(slot: CallSlot): OpenChatPart {
    if (slot.call !== null) {
      this.kinds.add('call')
      return { kind: 'call', ...slot.call, namespace: null }
    }
    const kind = slot.kind === 'thinking' || slot.kind === 'refusal' ? slot.kind : 'text'
    this.kinds.add(kind)
    return { kind }
  }

  private close(slot: CallSlot): void {
    this.queue.shift()
    if (this.calls.get(slot.key) === slot) this.calls.delete(slot.key)
    if (slot.kind !== 'whole') this.emit({ kind: 'close', encrypted: null })
  }
}

/** Whether a part that another one follows says nothing more: of a call, its input must be whole. */
function isOver(slot: CallSlot): boolean {
  return slot.kind !== 'call' || slot.call?.form === 'text' || slot.input.isWhole
}

/** Hosts that count badly tell two calls under one index: by another id, or one that begins when the last is whole. */
function isAnother({ call, input }: CallSlot, id: string, isWholeCall: boolean): boolean {
  if (id !== '' && call?.id !== '' && call?.id !== id) return true
  return id === '' && isWholeCall && input.isWhole
}

const quote = 0x22
const backslash = 0x5c

/** Follows JSON text to the end of its object; every character is read once. */
class InputEnd {
  isWhole = false
  private depth = 0
  private isInText = false
  private isEscaped = false

  add(text: string): void {
    for (let at = 0; at < text.length; at += 1) this.letter(text.charCodeAt(at))
  }

  private letter(code: number): void {
    if (this.isEscaped) this.isEscaped = false
    else if (this.isInText) {
      this.isInText = code !== quote
      this.isEscaped = code === backslash
    } else if (code === quote) this.isInText = true
    else if (code === 0x7b || code === 0x5b) this.depth += 1
    else if (code === 0x7d || code === 0x5d) {
      this.depth -= 1
      this.isWhole = this.depth <= 0
    }
  }
}
