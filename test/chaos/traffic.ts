/** Mixed traffic by a seed: every format to every format, streamed or not, clients that disconnect, upstreams that fail. */
import { systemClock } from '../../src/base/clock.ts'
import { formatClients } from '../support/format-clients.ts'
import { Sent } from '../support/paying-client.ts'
import { byShare, type Dice, pick, type Shares } from './faults.ts'
import { type ChaosServer, wait } from './servers.ts'

export const formats = ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const
export const behaviors = ['echo', 'stream', '500', 'cut-after'] as const

export interface Traffic {
  readonly sent: number
  /** By what the client saw. */
  readonly outcomes: ReadonlyMap<string, number>
  /** IDs of requests whose client saw a complete response. */
  readonly completed: ReadonlySet<string>
}

const underWayMax = 300
/** Longer than any response of this traffic. */
const clientMsMax = 60_000

interface Kind {
  readonly behavior: (typeof behaviors)[number]
  readonly text: string
  readonly isStreamed: boolean
  /** The client disconnects after so many bytes. */
  readonly leavesAfter?: number
}

const kinds: Shares<Kind> = [
  [0.3, { behavior: 'echo', text: 'hello', isStreamed: false }],
  [0.4, { behavior: 'stream', text: 'tokens=60 rate=30', isStreamed: true }],
  [0.1, { behavior: 'stream', text: 'tokens=300 rate=60', isStreamed: true }],
  [0.1, { behavior: 'stream', text: 'tokens=300 rate=60', isStreamed: true, leavesAfter: 800 }],
  [0.05, { behavior: '500', text: 'hello', isStreamed: false }],
  [0.05, { behavior: 'cut-after', text: 'hello', isStreamed: true }],
]

export async function trafficUntil(
  place: { readonly servers: readonly ChaosServer[]; readonly keys: readonly string[]; readonly roll: Dice },
  perSecond: number,
  over: () => boolean,
): Promise<Traffic> {
  const { servers, keys, roll } = place
  const outcomes = new Map<string, number>()
  const completed = new Set<string>()
  const underWay = new Set<Promise<void>>()
  let sent = 0
  while (!over()) {
    await wait(1_000 / perSecond)
    const up = servers.filter((server) => server.isUp())
    if (up.length === 0 || underWay.size >= underWayMax) continue
    sent += 1
    const asking = askOne(pick(up, roll), pick(keys, roll), roll, completed).then((outcome) => {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      underWay.delete(asking)
    })
    underWay.add(asking)
  }
  await Promise.all(underWay)
  return { sent, outcomes, completed }
}

async function askOne(
  { origin }: ChaosServer,
  key: string,
  roll: Dice,
  completed: Set<string>,
): Promise<string> {
  const client = pick(formatClients, roll)
  const kind = byShare(kinds, roll)
  const model = `${pick(formats, roll)}-${kind.behavior}`
  const body = { ...client.body(model, kind.text, kind.isStreamed), ...client.limit(400) }
  const sent = new Sent(origin, { key, format: client.path(model, kind.isStreamed), body })
  const timer = systemClock.after(clientMsMax, () => sent.leave())
  try {
    if (kind.leavesAfter !== undefined) {
      const most = kind.leavesAfter
      await sent.head
      await sent.until((text) => text.length > most)
      sent.leave()
      return 'left by its client'
    }
    const { status, headers, text, broken } = await sent.whole()
    if (status !== 200) return `status ${status}`
    const isWhole = broken === null && (!kind.isStreamed || client.finishes.test(text))
    if (!isWhole || text.includes('"error"')) return 'cut'
    completed.add(String(headers['x-request-id']))
    return 'complete'
  } catch {
    return 'no response'
  } finally {
    timer.cancel()
  }
}
