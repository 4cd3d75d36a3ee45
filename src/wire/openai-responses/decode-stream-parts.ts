/**
 * Parts of a response in sequence, whatever order their pieces arrive in: pieces of a later part wait
 * until the earlier ones are closed. An empty part emits nothing. Must not store what was emitted.
 */
import { BufferedEvents, waitingPartSize } from '../stream/buffered-events.ts'
import { Queue } from '../stream/queue.ts'
import type { EncryptedReasoning, ResponseEvent } from '../translation/neutral.ts'

type OpenedPart = Extract<ResponseEvent, { kind: 'open' }>['part']

interface StreamPart {
  readonly key: string
  readonly opened: OpenedPart
  isShown: boolean
  hasText: boolean
  /** A gap is due before the next text. */
  isSeparated: boolean
  isEnded: boolean
  readonly buffered: BufferedEvents
}

/** About the bytes that it takes to remember a part that is over. */
const endedPartSize = 64
const gap = '\n\n'

export class PartQueue {
  private readonly parts = new Map<string, StreamPart>()
  /** The same in the order in which they began. */
  private readonly order = new Queue<StreamPart>()
  private bufferedSize = 0
  private ready: ResponseEvent[] = []
  /** Some hosts report a part's end twice. */
  private readonly ended = new Set<string>()

  /** The memory of what waits for its turn, and of knowing what is over. */
  get size(): number {
    const waiting = Math.max(0, this.order.size - 1)
    return this.bufferedSize + waiting * waitingPartSize + this.ended.size * endedPartSize
  }

  /** Events that are ready, each returned once. */
  take(): readonly ResponseEvent[] {
    const { ready } = this
    this.ready = []
    return ready
  }

  begin(key: string, opened: OpenedPart): void {
    if (this.parts.has(key) || this.ended.has(key)) return
    const part: StreamPart = {
      key,
      opened,
      isShown: false,
      hasText: false,
      isSeparated: false,
      isEnded: false,
      buffered: new BufferedEvents(),
    }
    this.parts.set(key, part)
    this.order.push(part)
  }

  /** Tells of the part although it may say nothing. */
  show(key: string): void {
    const part = this.parts.get(key)
    if (part === undefined || part.isEnded || part.isShown) return
    part.isShown = true
    this.add(part, { kind: 'open', part: part.opened })
  }

  addText(key: string, text: string): void {
    const part = this.parts.get(key)
    if (part === undefined || part.isEnded || text === '') return
    this.emit(key, { kind: 'delta', text: part.isSeparated && part.hasText ? `${gap}${text}` : text })
    part.isSeparated = false
    part.hasText = true
  }

  /** A part that comes whole. */
  whole(key: string, event: ResponseEvent): void {
    this.begin(key, { kind: 'text' })
    const part = this.parts.get(key)
    if (part === undefined) return
    this.add(part, event)
    this.end(key, null)
  }

  /** More of the part comes, after a gap. */
  separate(key: string): void {
    const part = this.parts.get(key)
    if (part !== undefined) part.isSeparated = true
  }

  emit(key: string, event: ResponseEvent): void {
    const part = this.parts.get(key)
    if (part === undefined || part.isEnded) return
    this.show(key)
    this.add(part, event)
  }

  /** true also for a part that is over or never began: there is nothing to add to it. */
  hasText(key: string): boolean {
    return this.parts.get(key)?.hasText ?? true
  }

  end(key: string, encrypted: EncryptedReasoning | null): void {
    const part = this.parts.get(key)
    if (part === undefined || part.isEnded) return
    if (part.isShown) this.add(part, { kind: 'close', encrypted })
    part.isEnded = true
    this.advance()
  }

  /** Ends what is still open. */
  close(): readonly ResponseEvent[] {
    for (const key of [...this.parts.keys()]) this.end(key, null)
    return this.take()
  }

  private add(part: StreamPart, event: ResponseEvent): void {
    if (part === this.order.first) {
      this.ready.push(event)
      return
    }
    this.bufferedSize -= part.buffered.size
    part.buffered.add(event)
    this.bufferedSize += part.buffered.size
  }

  /** Lets go of parts that are over, and tells what waited behind them. */
  private advance(): void {
    for (let part = this.order.first; part !== undefined; part = this.order.first) {
      this.bufferedSize -= part.buffered.size
      for (const event of part.buffered.take()) this.ready.push(event)
      if (!part.isEnded) return
      this.order.shift()
      this.parts.delete(part.key)
      this.ended.add(part.key)
    }
  }
}
