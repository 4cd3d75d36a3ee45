/**
 * A chat stream → events in which parts follow each other. Calls that a host sends interleaved, or whose end it
 * never tells, are kept back until the one before them is whole. Unknown events say nothing. Must not throw.
 */

import { isRecord, type JsonRecord, parsed, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import { HeldEvents, waitingPartSize } from '../stream/held-events.ts'
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
  return new ChatDecoder(eventBytesMax)
}

class ChatDecoder implements StreamDecoder {
  private readonly parser: SseParser
  private events: ResponseEvent[] = []
  private readonly lanes = new Lanes((event) => this.events.push(event))
  private pushed = 0
  private hasStarted = false
  private finish: string | null = null
  /** The signature of the message itself, until a call takes it. */
  private encrypted: EncryptedReasoning | null = null
  private isOver = false

  constructor(eventBytesMax: number) {
    this.parser = new SseParser(eventBytesMax)
  }

  push(chunk: Uint8Array): readonly ResponseEvent[] {
    this.pushed += chunk.length
    this.parser.push(chunk)
    this.read()
    return this.taken()
  }

  end(): readonly ResponseEvent[] {
    this.parser.close()
    this.read()
    if (this.finish !== null) this.lastWord(this.finish)
    return this.taken()
  }

  get waitingBytes(): number {
    return this.pushed - this.parser.end + this.lanes.size
  }

  private taken(): readonly ResponseEvent[] {
    const { events } = this
    this.events = []
    return events
  }

  private read(): void {
    while (!this.isOver && this.parser.next()) {
      if (!this.parser.hasData) continue
      const text = this.parser.dataText()
      if (text.trim() === endMark) this.lastWord(this.finish ?? '')
      else this.chunk(parsed(text))
    }
  }

  private lastWord(finish: string): void {
    if (this.isOver) return
    this.isOver = true
    this.lanes.closeAll()
    if (this.encrypted !== null) this.events.push({ kind: 'whole', part: encryptedAlone(this.encrypted) })
    this.events.push({ kind: 'finish', finish: finishOf(finish, this.lanes.said) })
  }

  private chunk(chunk: unknown): void {
    if (!isRecord(chunk)) return
    const choice = recordsIn(chunk, 'choices').find(({ index }) => index === 0 || index === undefined)
    const id = textIn(chunk, 'id')
    if (!this.hasStarted && (id !== '' || choice !== undefined)) {
      this.hasStarted = true
      this.events.push({ kind: 'start', id, model: textIn(chunk, 'model') })
    }
    if (choice !== undefined) this.choice(choice)
  }

  private choice(choice: JsonRecord): void {
    const { lanes, events } = this
    const delta = recordIn(choice, 'delta')
    lanes.text('thinking', textIn(delta, 'reasoning_content') || textIn(delta, 'reasoning'))
    for (const { kind, text } of piecesOf(delta.content)) lanes.text(kind, text)
    const logprobs = logprobsIn(choice)
    if (logprobs !== null) events.push({ kind: 'logprobs', content: logprobs })
    for (const citation of citationsIn(delta)) lanes.inside({ kind: 'citation', citation })
    lanes.text('refusal', textIn(delta, 'refusal'))
    for (const part of mediaIn(delta)) lanes.whole({ kind: 'whole', part })
    this.encrypted = signatureIn(delta) ?? this.encrypted
    for (const call of recordsIn(delta, 'tool_calls')) {
      lanes.call(callOf(call), call.index, this.encrypted)
      this.encrypted = null
    }
    if (isRecord(delta.function_call)) {
      const named = { id: '', encrypted: null, isCustom: false, named: delta.function_call }
      lanes.call(named, 'function', null)
    }
    const finish = textIn(choice, 'finish_reason')
    if (finish !== '') this.finish = finish
  }
}

type OpenChatPart = Extract<ResponseEvent, { kind: 'open' }>['part']

/** One part: its opening, and what was said in it as long as it waits. */
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
  readonly held: HeldEvents
  isOpen: boolean
}

/** The parts that are not closed, in order; only the first is told of, the others wait. */
class Lanes {
  readonly said = new Set<ResponsePart['kind']>()
  private readonly tell: (event: ResponseEvent) => void
  private heldSize = 0
  private readonly lanes = new Queue<CallSlot>()
  /** The last call of each index, as long as it is not closed. */
  private readonly calls = new Map<unknown, CallSlot>()

  constructor(tell: (event: ResponseEvent) => void) {
    this.tell = tell
  }

  /** The memory of what waits. */
  get size(): number {
    return this.heldSize + Math.max(0, this.lanes.size - 1) * waitingPartSize
  }

  /** More text of a kind; it continues the last part of its kind unless another has begun since. */
  text(kind: 'text' | 'thinking' | 'refusal', text: string): void {
    if (text === '') return
    const { last } = this.lanes
    const lane = last?.kind === kind ? last : this.begin({ kind, key: null, call: null })
    this.more(lane, text)
  }

  /** A part that comes at once. */
  whole(event: ResponseEvent): void {
    this.hold(this.begin({ kind: 'whole', key: null, call: null }), event)
    this.flow()
  }

  /** Something about the text that is open; what tells of no open text is left out. */
  inside(event: ResponseEvent): void {
    const { first } = this.lanes
    if (first?.kind === 'text' && first.isOpen) this.tell(event)
  }

  call(piece: CallRecord, key: unknown, fallback: EncryptedReasoning | null): void {
    const { id, named, isCustom } = piece
    const name = textIn(named, 'name')
    const input = textIn(named, isCustom ? 'input' : 'arguments')
    let lane = this.calls.get(key)
    if (lane !== undefined && isAnother(lane, id, name !== '' && input !== '')) lane = undefined
    // What follows a call that was closed belongs to no part.
    if (lane === undefined && name === '' && id === '') return
    lane ??= this.begin({
      kind: 'call',
      key,
      call: { id, name: '', form: isCustom ? 'text' : 'json', encrypted: piece.encrypted ?? fallback },
    })
    const { call } = lane
    if (call !== null && call.name === '') call.name = name
    if (call !== null && call.id === '') call.id = id
    this.more(lane, input)
  }

  /** Ends every part, whole or not. */
  closeAll(): void {
    for (let lane = this.lanes.first; lane !== undefined; lane = this.lanes.first) {
      this.told(lane)
      this.close(lane)
    }
  }

  private begin(of: Pick<CallSlot, 'kind' | 'key' | 'call'>): CallSlot {
    const lane: CallSlot = { ...of, input: new InputEnd(), held: new HeldEvents(), isOpen: false }
    this.lanes.push(lane)
    if (of.kind === 'call') this.calls.set(of.key, lane)
    return lane
  }

  private more(lane: CallSlot, text: string): void {
    if (text !== '') {
      if (lane.kind === 'call') lane.input.add(text)
      if (lane.isOpen && lane === this.lanes.first) this.tell({ kind: 'delta', text })
      else this.hold(lane, { kind: 'delta', text })
    }
    this.flow()
  }

  private hold(lane: CallSlot, event: ResponseEvent): void {
    this.heldSize -= lane.held.size
    lane.held.add(event)
    this.heldSize += lane.held.size
  }

  /** Tells of the first part, and of the next ones as far as those before them are over. */
  private flow(): void {
    for (let lane = this.lanes.first; lane !== undefined; lane = this.lanes.first) {
      if (lane.call?.name === '') return
      this.told(lane)
      if (this.lanes.size === 1 ? lane.kind !== 'whole' : !isOver(lane)) return
      this.close(lane)
    }
  }

  private told(lane: CallSlot): void {
    if (!lane.isOpen && lane.kind !== 'whole') this.tell({ kind: 'open', part: this.opening(lane) })
    lane.isOpen = true
    this.heldSize -= lane.held.size
    for (const event of lane.held.take()) this.tell(event)
  }

  private opening(lane: CallSlot): OpenChatPart {
    if (lane.call !== null) {
      this.said.add('call')
      return { kind: 'call', ...lane.call, namespace: null }
    }
    const kind = lane.kind === 'thinking' || lane.kind === 'refusal' ? lane.kind : 'text'
    this.said.add(kind)
    return { kind }
  }

  private close(lane: CallSlot): void {
    this.lanes.shift()
    if (this.calls.get(lane.key) === lane) this.calls.delete(lane.key)
    if (lane.kind !== 'whole') this.tell({ kind: 'close', encrypted: null })
  }
}

/** Whether a part that another one follows says nothing more: of a call, its input must be whole. */
function isOver(lane: CallSlot): boolean {
  return lane.kind !== 'call' || lane.call?.form === 'text' || lane.input.isWhole
}

/** Hosts that count badly tell two calls under one index: by another id, or one that begins when the last is whole. */
function isAnother({ call, input }: CallSlot, id: string, isWholeCall: boolean): boolean {
  if (id !== '' && call?.id !== '' && call?.id !== id) return true
  return id === '' && isWholeCall && input.isWhole
}

const quote = 0x22
const backslash = 0x5c

/** Follows JSON text to the end of its object; every letter is looked at once. */
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
