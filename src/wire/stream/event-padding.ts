/**
 * Keeps an idle Gemini stream alive. Its clients' parsers have no common no-op between two events: some
 * break on a comment, others on an empty line. All of them accept spaces before the JSON of an event, so the `data:`
 * line of the next event is opened early and padded. Must not parse an event.
 */
import { SseParser } from './sse.ts'

const opening = 'data: '
const padding = ' '
const nothing = new Uint8Array(0)
const encoder = new TextEncoder()

export class EventPadding {
  /** The bytes that came for the opened event; null while none is open. */
  private pending: Uint8Array[] | null = null
  /** The relay bounds what an event may have. */
  private parser = new SseParser(Number.MAX_SAFE_INTEGER)

  /** Whether the next bytes of the stream must go through `resume`. */
  get isOpen(): boolean {
    return this.pending !== null
  }

  /** Bytes to send while the stream is silent. */
  next(): string {
    if (this.pending !== null) return padding
    this.pending = []
    this.parser = new SseParser(Number.MAX_SAFE_INTEGER)
    return opening
  }

  /** Continues the opened line with `bytes`: removes `data:` from the first event and leaves all others unchanged. */
  resume(bytes: Uint8Array | string): Uint8Array {
    const { pending } = this
    const piece = typeof bytes === 'string' ? encoder.encode(bytes) : bytes
    if (pending === null) return piece
    pending.push(piece)
    this.parser.push(piece)
    return this.resumed(pending)
  }

  /** The remaining bytes of a stream that ended without a blank line. */
  close(): Uint8Array {
    if (this.pending === null) return nothing
    this.parser.close()
    return this.resumed(this.pending)
  }

  private resumed(pending: readonly Uint8Array[]): Uint8Array {
    // Lines before the event's data mean nothing to clients of this format, and the data line is open already.
    while (this.parser.next()) {
      if (!this.parser.hasData) continue
      const all = joined(pending)
      const { end } = this.parser
      const text = this.parser.dataText().replaceAll('\n', ' ') + blankLine(all.subarray(0, end))
      this.pending = null
      return joined([encoder.encode(text), all.subarray(end)])
    }
    return nothing
  }
}

/** The event's own end; a parser exists that takes two events for one where their ends differ. */
function blankLine(event: Uint8Array): string {
  const tail = String.fromCharCode(...event.subarray(-4))
  return ['\r\n\r\n', '\n\n', '\r\r'].find((end) => tail.endsWith(end)) ?? '\n\n'
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces
  if (pieces.length === 1 && first !== undefined) return first
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
