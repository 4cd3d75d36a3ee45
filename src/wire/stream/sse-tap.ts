/** Taps a stream of server-sent events. */
import type { TapOptions } from '../format.ts'
import { type EventReader as AnyReader, EventTap } from './event-tap.ts'
import { SseParser } from './sse.ts'

export type { EventMeaning } from './event-tap.ts'

/** Reads server-sent events of one stream in order. */
export type SseEventReader = AnyReader<SseParser>

export class SseTap extends EventTap<SseParser> {
  constructor(options: TapOptions, reader: SseEventReader) {
    super(options, reader, new SseParser(options.eventBytesMax))
  }
}
