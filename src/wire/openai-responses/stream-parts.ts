/**
 * Parts of an answer one after the other, whatever order their pieces come in: what belongs to a later part waits
 * until the earlier ones are closed. A part that says nothing is not told. Must not keep what was told.
 */
import type { AnswerEvent, Seal } from '../neutral.ts'

type Opened = Extract<AnswerEvent, { kind: 'open' }>['part']

interface Part {
  readonly opened: Opened
  isShown: boolean
  hasSaid: boolean
  /** A gap is due before the next text. */
  isSeparated: boolean
  isEnded: boolean
  readonly waiting: AnswerEvent[]
}

const gap = '\n\n'

export class PartQueue {
  /** What waits for its turn. */
  waitingCharacters = 0
  /** Parts that are not over yet, in the order in which they began. */
  private readonly parts = new Map<string, Part>()
  private readonly ready: AnswerEvent[] = []
  /** Some hosts tell of a part's end twice. */
  private readonly ended = new Set<string>()

  /** Events that can be told now, each once. */
  take(): readonly AnswerEvent[] {
    return this.ready.splice(0)
  }

  begin(key: string, opened: Opened): void {
    if (this.parts.has(key) || this.ended.has(key)) return
    this.parts.set(key, {
      opened,
      isShown: false,
      hasSaid: false,
      isSeparated: false,
      isEnded: false,
      waiting: [],
    })
  }

  /** Tells of the part although it may say nothing. */
  show(key: string): void {
    const part = this.parts.get(key)
    if (part === undefined || part.isEnded || part.isShown) return
    part.isShown = true
    this.add(key, part, { kind: 'open', part: part.opened })
  }

  say(key: string, text: string): void {
    const part = this.parts.get(key)
    if (part === undefined || part.isEnded || text === '') return
    this.tell(key, { kind: 'delta', text: part.isSeparated && part.hasSaid ? `${gap}${text}` : text })
    part.isSeparated = false
    part.hasSaid = true
  }

  /** A part that comes at once. */
  whole(key: string, event: AnswerEvent): void {
    this.begin(key, { kind: 'text' })
    const part = this.parts.get(key)
    if (part === undefined) return
    this.add(key, part, event)
    this.end(key, null)
  }

  /** More of the part comes, after a gap. */
  separate(key: string): void {
    const part = this.parts.get(key)
    if (part !== undefined) part.isSeparated = true
  }

  tell(key: string, event: AnswerEvent): void {
    const part = this.parts.get(key)
    if (part === undefined || part.isEnded) return
    this.show(key)
    this.add(key, part, event)
  }

  /** true also for a part that is over or never began: there is nothing to add to it. */
  hasSaid(key: string): boolean {
    return this.parts.get(key)?.hasSaid ?? true
  }

  end(key: string, seal: Seal | null): void {
    const part = this.parts.get(key)
    if (part === undefined || part.isEnded) return
    if (part.isShown) this.add(key, part, { kind: 'close', seal })
    part.isEnded = true
    this.advance()
  }

  /** Ends what is still open. */
  close(): readonly AnswerEvent[] {
    for (const key of [...this.parts.keys()]) this.end(key, null)
    return this.take()
  }

  private add(key: string, part: Part, event: AnswerEvent): void {
    const [first] = this.parts.keys()
    if (key === first) {
      this.ready.push(event)
      return
    }
    part.waiting.push(event)
    this.waitingCharacters += event.kind === 'delta' ? event.text.length : 1
  }

  /** Lets go of parts that are over, and tells what waited behind them. */
  private advance(): void {
    for (const [key, part] of this.parts) {
      for (const event of part.waiting.splice(0)) {
        this.waitingCharacters -= event.kind === 'delta' ? event.text.length : 1
        this.ready.push(event)
      }
      if (!part.isEnded) return
      this.parts.delete(key)
      this.ended.add(key)
    }
  }
}
