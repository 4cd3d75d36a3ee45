/**
 * A thousand requests for what ten may have, spread over all servers: by balance, by the budget of a key, by its rate and by its
 * concurrency. Each is exact.
 */
import { formatUsd } from '../../src/ledger/rules/money.ts'
import { formatClients } from '../support/format-clients.ts'
import { Sent } from '../support/paying-client.ts'
import { receiptsIn } from './audit.ts'
import type { ChaosServer } from './servers.ts'

const asked = 1_000
const meant = 10
const atOnce = 100

export interface CapResult {
  readonly name: string
  readonly served: number
  readonly statuses: Readonly<Record<string, number>>
}

const [chat] = formatClients

function send(server: ChaosServer, key: string, { model, text }: { model: string; text: string }): Sent {
  if (chat === undefined) throw new Error('there is a client of each format')
  const stream = model.includes('stream')
  const body = { ...chat.body(model, text, stream), ...chat.limit(100) }
  return new Sent(server.origin, { key, format: chat.path(model, stream), body })
}

const echo = { model: 'openai-chat-echo', text: 'the same words each time' }
const endless = { model: 'openai-chat-stream', text: 'tokens=100 rate=1' }

/** @param url of the database, without a proxy */
export async function capsHold(servers: readonly ChaosServer[], url: string): Promise<readonly CapResult[]> {
  const [first] = servers
  if (first === undefined) throw new Error('there is a server')
  const { ask } = first.installation
  const rich = await ask('account.create', { email: 'rich@example.org', credit: '1000' })
  const { headers } = await send(first, rich.key, echo).whole()
  const example = (await receiptsIn(url)).get(String(headers['x-request-id']))
  if (example === undefined) throw new Error('the example has a receipt')
  // After ten of them less is left than one reserves.
  const money = formatUsd(example.charged * BigInt(meant - 1) + example.hold)
  const keyWith = async (more: object): Promise<string> =>
    (await ask('key.create', { account: rich.account, name: 'cap', onShortBalance: 'reject', ...more })).key
  const poor = await ask('account.create', { email: 'poor@example.org', credit: money })
  const poorKey = await ask('key.create', { account: poor.account, name: 'cap', onShortBalance: 'reject' })
  const cases: readonly (readonly [name: string, key: string, typeof echo])[] = [
    ['balance', poorKey.key, echo],
    ['budget of a key', await keyWith({ budget: { amount: money, window: 'total' } }), echo],
    ['requests per minute of a key', await keyWith({ limits: { requestsPerMinute: meant } }), echo],
    ['concurrent requests of a key', await keyWith({ limits: { concurrent: meant } }), endless],
  ]
  const results: CapResult[] = []
  for (const [name, key, what] of cases) results.push({ name, ...(await spread(servers, key, what)) })
  return results
}

/** Sends all of them, so many concurrently, to one server after another. */
async function spread(
  servers: readonly ChaosServer[],
  key: string,
  what: typeof echo,
): Promise<Omit<CapResult, 'name'>> {
  const statuses: Record<string, number> = {}
  const open: Sent[] = []
  let next = 0
  const one = async (): Promise<void> => {
    while (next < asked) {
      const server = servers[next % servers.length]
      next += 1
      if (server === undefined) continue
      const sent = send(server, key, what)
      const { status } = await sent.head
      if (status === 200 && what === endless) open.push(sent)
      else await sent.whole()
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  for (const sent of open) sent.leave()
  return { served: statuses[200] ?? 0, statuses }
}

export const isExact = ({ served }: CapResult): boolean => served === meant
