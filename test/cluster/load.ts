/** Clients that send requests to several gateways until they are stopped, and remember the responses that were complete. */
import { systemClock } from '../../src/base/clock.ts'
import { requestIdIn } from '../support/metered-gateway.ts'
import { Sent } from '../support/paying-client.ts'

/** A response that was complete for its client. */
export interface Acknowledged {
  readonly id: bigint
  readonly gateway: number
  readonly sentMs: number
  readonly endedMs: number
}

export interface Load {
  readonly acknowledged: readonly Acknowledged[]
  /** How often a response was none of those, by status. */
  readonly others: ReadonlyMap<string, number>
  /** Ends when the responses that are under way have. */
  stop(): Promise<void>
}

const clientsPerGateway = 4
const pauseMs = 50

const bodies = [
  { model: 'chat-echo', max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] },
  {
    model: 'chat-stream',
    stream: true,
    max_tokens: 50,
    messages: [{ role: 'user', content: 'tokens=20 rate=100' }],
  },
]

export function startLoad(origins: readonly string[], key: string): Load {
  const acknowledged: Acknowledged[] = []
  const others = new Map<string, number>()
  let isStopped = false

  async function ask(gateway: number, body: (typeof bodies)[number]): Promise<void> {
    const sentMs = systemClock.monoMs()
    const { status, headers, text, broken } = await new Sent(origins[gateway] ?? '', {
      key,
      format: 'chat',
      body,
    }).whole()
    const isWhole = broken === null && (body.stream === undefined || text.includes('[DONE]'))
    if (status === 200 && isWhole)
      acknowledged.push({ id: requestIdIn(headers), gateway, sentMs, endedMs: systemClock.monoMs() })
    else {
      const name = status === 200 ? 'a stream that was cut' : String(status)
      others.set(name, (others.get(name) ?? 0) + 1)
      await new Promise<void>((resolve) => systemClock.after(pauseMs, resolve))
    }
  }

  async function client(gateway: number, first: number): Promise<void> {
    for (let count = first; !isStopped; count += 1) {
      const body = bodies[count % bodies.length]
      if (body !== undefined) await ask(gateway, body)
    }
  }

  const clients = origins.flatMap((_, gateway) =>
    Array.from({ length: clientsPerGateway }, (_each, first) => client(gateway, first)),
  )
  const ended = Promise.all(clients)
  return {
    acknowledged,
    others,
    async stop() {
      isStopped = true
      await ended
    },
  }
}
