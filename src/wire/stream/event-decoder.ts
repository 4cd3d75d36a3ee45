/** The part of a stream's decoder that is the same in every format: a parser finds the events, and the format reads each. */
import type { StreamDecoder } from '../translation/codec.ts'
import type { ResponseEvent } from '../translation/neutral.ts'
import type { EventParser } from './event-tap.ts'

export abstract class EventDecoder<Parser extends EventParser> implements StreamDecoder {
  protected readonly parser: Parser
  protected events: ResponseEvent[] = []
  /** The response has finished: later events are not read. */
  protected isOver = false
  private pushedBytes = 0

  constructor(parser: Parser) {
    this.parser = parser
  }

  get waitingBytes(): number {
    return this.pushedBytes - this.parser.end + this.heldSize
  }

  push(chunk: Uint8Array): readonly ResponseEvent[] {
    this.pushedBytes += chunk.length
    this.parser.push(chunk)
    return this.read()
  }

  end(): readonly ResponseEvent[] {
    this.parser.close()
    this.read()
    this.endStream()
    return this.events
  }

  /** Reads the parser's current event, which has data. */
  protected abstract readEvent(parser: Parser): void

  /** Adds what follows from the end of the stream. */
  protected endStream(): void {}

  /** Memory of parts that wait for their turn. */
  protected get heldSize(): number {
    return 0
  }

  private read(): readonly ResponseEvent[] {
    this.events = []
    while (this.parser.next()) {
      if (this.parser.hasData && !this.isOver) this.readEvent(this.parser)
    }
    return this.events
  }
}
