/** Streams at a pace, as scenarios. */
import { chatBody, chatPath, type Scenario } from './scenario.ts'

export interface Pace {
  readonly family: string
  /** Between two events of a stream; 0: as fast as they are read. */
  readonly pauseMs: number
  /** Streams that are open at the same time. */
  readonly open: number
}

const fewEvents = 4
const manyEvents = 36

/** A load of short streams and one of long ones, whose difference is the cost of events. */
export function streamScenarios({ family, pauseMs, open }: Pace): readonly Scenario[] {
  return [fewEvents, manyEvents].map((events) => ({
    name: `stream of ${events} events, ${family}`,
    connections: open,
    requests: Math.max(open, events === fewEvents ? 400 : 128),
    path: chatPath,
    body: chatBody({ stream: true }, `events=${events} pause=${pauseMs} `),
    stream: { family, events },
  }))
}
