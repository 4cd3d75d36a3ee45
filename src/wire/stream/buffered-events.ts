/**
 * Buffers the events of a part of a stream until the parts before it are over. Consecutive pieces of text
 * are joined. Its size is its memory use, so that its owner can bound it.
 */

import type { ResponseEvent } from '../translation/neutral.ts'
import { GatheredText } from './gathered-text.ts'

type OtherEvent = Exclude<ResponseEvent, { kind: 'delta' }>

/** About the bytes that an event takes in addition to its text. */
const eventSize = 64
/** About the bytes that a part takes that waits, whatever it says. */
export const waitingPartSize = 256

const none: readonly ResponseEvent[] = []

export class BufferedEvents {
  size = 0
  private events: (OtherEvent | GatheredText)[] = []

  add(event: ResponseEvent): void {
    if (event.kind !== 'delta') {
      this.events.push(event)
      this.size += eventSize + JSON.stringify(event).length
      return
    }
    const last = this.events.at(-1)
    const gathered = last instanceof GatheredText ? last : new GatheredText()
    if (gathered !== last) {
      this.events.push(gathered)
      this.size += eventSize
    }
    gathered.add(event.text)
    this.size += event.text.length
  }

  /** All of them, in order; the buffer is then empty. */
  take(): readonly ResponseEvent[] {
    const { events } = this
    if (events.length === 0) return none
    this.events = []
    this.size = 0
    return events.map((event) =>
      event instanceof GatheredText ? { kind: 'delta', text: event.text } : event,
    )
  }
}
