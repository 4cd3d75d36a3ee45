/**
 * A stream for callers that ask for it without `alt=sse`: the same events, as the elements of one JSON
 * array. Upstreams are always asked for events. Must not parse an event.
 */
import type { ClientError } from '../format.ts'
import { SseParser } from '../stream/sse.ts'
import { errorBody } from './encode-error.ts'

const encoder = new TextEncoder()

/** Turns relayed events into the text of the array; fed with bytes cut anywhere. */
export class ArrayFraming {
  readonly contentType = 'application/json; charset=UTF-8'
  /** Space between elements says nothing. */
  readonly keepAlive = '\n'
  /** An event that is too large is rejected before it gets here. */
  private readonly parser = new SseParser(Number.MAX_SAFE_INTEGER)
  private elements = 0

  /** The elements that are whole with these bytes; '' where none is. */
  push(events: Uint8Array | string): string {
    this.parser.push(typeof events === 'string' ? encoder.encode(events) : events)
    return this.written()
  }

  /** The remaining elements and the end of the array. */
  close(): string {
    this.parser.close()
    const rest = this.written()
    return this.elements === 0 ? '[]\n' : `${rest}\n]\n`
  }

  /** The error as the last element, and the end of the array. */
  errorText(problem: ClientError): string {
    return `${this.separator()}${errorBody(problem)}\n]\n`
  }

  private written(): string {
    let text = ''
    while (this.parser.next()) {
      if (this.parser.hasData) text += this.separator() + this.parser.dataText()
    }
    return text
  }

  private separator(): string {
    this.elements += 1
    return this.elements === 1 ? '[' : '\n,\n'
  }
}
