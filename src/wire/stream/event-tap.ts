/**
 * Taps a stream of events for any format: tracks the offsets of what may be sent, what waits for settlement and what is
 * dropped. A parser finds the events, and a format's reader decides what one means. Must not parse events itself, nor buffer
 * any of them.
 */
import type { OutputSample, ProviderObject, TapOptions, UpstreamProblem, UsageTap } from '../format.ts'
import type { Span } from '../json/byte-patch.ts'
import { noProblem } from '../upstream-problem.ts'
import type { RawUsage } from '../usage.ts'
import type { ProducedText } from './produced-text.ts'

/**
 * The meaning of one event: `quiet` has no content; `content` does; `finish` states that the answer is finished; `usage`
 * follows for clients that requested it; `end` is the protocol's own end and states the outcome; `mark` only ends the
 * stream; `failed` reports an error; `unreadable` is not in the format.
 */
export type EventMeaning = 'quiet' | 'content' | 'finish' | 'usage' | 'end' | 'mark' | 'failed' | 'unreadable'

/** Finds the events of a stream: `push` a chunk, then call `next` until it returns false; the fields describe one event. */
export interface EventParser extends Span {
  readonly hasData: boolean
  /** false: the stream ended before the event did. */
  readonly isWhole: boolean
  /** An event has more than the allowed bytes; nothing more is read. */
  readonly isTooLarge: boolean
  /** The bytes have another encoding or were corrupted; nothing more is read. Absent where every text is read. */
  readonly isBroken?: boolean
  push(chunk: Uint8Array): void
  close(): void
  next(): boolean
}

/** Reads the events of one stream in order. */
export interface EventReader<Parser extends EventParser> {
  /** The event is the parser's current one; it has data. */
  read(event: Parser): EventMeaning
  /** The problem in the last `failed` event. */
  readonly problem: UpstreamProblem
  readonly sample: ProducedText
  /** The content was refused before any of it came. */
  readonly refused: boolean
  /**
   * The event that ends a stream of the format, where a stream is complete without it: every choice has finished, and the
   * body ended as it should. '': the format has none. Absent: only the event itself makes a stream complete.
   */
  readonly endMark?: string
  readonly hasEmptyRole?: boolean
  /** Objects of the answer that the provider stores; absent where the format has none. */
  readonly providerObjects?: readonly ProviderObject[]
  rawUsage(): RawUsage
}

type TapState = UsageTap['state']

const notItsFormat = { ...noProblem, message: 'The upstream sent data that is not in its format.' }

const terminalMeanings: readonly EventMeaning[] = ['end', 'mark', 'finish', 'usage']

export class EventTap<Parser extends EventParser> implements UsageTap {
  state: TapState = 'waiting'
  relayableBytes = 0
  totalBytes = 0
  suppressedSpan: Span | null = null
  problem: UpstreamProblem | null = null
  missingMark = ''
  private readonly options: TapOptions
  private readonly reader: EventReader<Parser>
  private readonly parser: Parser
  private safeCharacters = 0
  private safeEvents = 0

  constructor(options: TapOptions, reader: EventReader<Parser>, parser: Parser) {
    this.options = options
    this.reader = reader
    this.parser = parser
  }

  get rawUsage(): RawUsage {
    return this.reader.rawUsage()
  }

  get sample(): ProducedText {
    return this.reader.sample
  }

  get refused(): boolean {
    return this.reader.refused
  }

  get hasEmptyRole(): boolean {
    return this.reader.hasEmptyRole === true
  }

  get relayableSample(): OutputSample {
    const [characters, events] = [this.safeCharacters, this.safeEvents]
    return { text: this.sample.text.slice(0, characters), characters, events }
  }

  get providerObjects(): readonly ProviderObject[] {
    return this.reader.providerObjects ?? []
  }

  push(chunk: Uint8Array): void {
    if (this.isOver()) return
    this.parser.push(chunk)
    this.readEvents()
    if (this.isOver()) return
    if (this.parser.isTooLarge)
      this.fail({ ...noProblem, message: 'The upstream sent an event that is too large.' })
    else if (this.parser.isBroken === true) this.fail(notItsFormat)
  }

  end(isCut = false): void {
    if (this.isOver()) return
    this.parser.close()
    this.readEvents()
    if (this.isOver()) return
    const { endMark } = this.reader
    const isEnough = endMark !== undefined && (endMark === '' || !isCut)
    if (this.state !== 'finishing' || !isEnough) {
      this.state = 'truncated'
      return
    }
    this.state = 'complete'
    // The last event may have ended without its blank line.
    if (endMark !== '') this.missingMark = this.parser.isWhole ? endMark : `\n\n${endMark}`
  }

  private readEvents(): void {
    while (!this.isOver() && this.parser.next()) {
      const meaning = this.parser.hasData ? this.reader.read(this.parser) : 'quiet'
      this.take(meaning)
    }
  }

  private take(meaning: EventMeaning): void {
    const { parser } = this
    if (meaning === 'failed') return this.fail(this.reader.problem)
    // The rest of an event after a cut connection counts only if it is clearly one of the last events.
    if (!parser.isWhole && !terminalMeanings.includes(meaning)) return
    if (meaning === 'unreadable') {
      return this.fail(notItsFormat)
    }
    if (meaning === 'mark' && this.state === 'waiting') {
      return this.fail({ ...noProblem, message: 'The upstream ended its stream without a response.' })
    }
    this.totalBytes = parser.end
    if (meaning === 'end' || meaning === 'mark') this.state = 'complete'
    else if (meaning === 'finish' || meaning === 'usage') this.state = 'finishing'
    else if (meaning === 'content' && this.state === 'waiting') this.state = 'content'
    if (meaning === 'usage' && this.options.usageEvent === 'drop') this.leaveOut(parser)
    if (this.state !== 'waiting' && this.state !== 'content') return
    const { characters, events } = this.reader.sample
    this.relayableBytes = parser.end
    this.safeCharacters = characters
    this.safeEvents = events
  }

  /** Leaves out a usage event; only the first one and those directly after it can be left out. */
  private leaveOut({ start, end }: Span): void {
    if (this.suppressedSpan === null) this.suppressedSpan = { start, end }
    else if (this.suppressedSpan.end === start)
      this.suppressedSpan = { start: this.suppressedSpan.start, end }
  }

  private fail(problem: UpstreamProblem): void {
    this.state = 'failed'
    this.problem = problem
  }

  private isOver(): boolean {
    return this.state === 'complete' || this.state === 'failed' || this.state === 'truncated'
  }
}
