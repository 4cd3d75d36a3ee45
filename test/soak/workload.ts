/**
 * The mixed load of a soak: every format to every format, streamed or not, large bodies, tools, counting, clients that
 * disconnect, and one request in a hundred to an upstream that fails. Knows the expected responses, but not the prices.
 */
import { type FormatClient, formatClients } from '../support/format-clients.ts'
import { Sent } from '../support/paying-client.ts'

/** Upstreams that fail, by the behavior of the sandbox. */
export const faultBehaviors = ['500', '529', 'html', 'empty', 'error-json'] as const
export const behaviors = ['echo', 'stream', 'tools', ...faultBehaviors] as const
export const upstreams = {
  chat: { provider: 'openai', format: 'openai-chat' },
  responses: { provider: 'openai', format: 'openai-responses' },
  messages: { provider: 'anthropic', format: 'anthropic' },
  gemini: { provider: 'google', format: 'gemini' },
} as const
type UpstreamName = keyof typeof upstreams
const upstreamNames = Object.keys(upstreams) as readonly UpstreamName[]

/** A number from 0 to 1, the same sequence for the same seed. */
export type Dice = () => number

export interface LoadTarget {
  readonly origin: string
  readonly keys: readonly string[]
}

interface Chosen {
  readonly client: FormatClient
  readonly upstream: UpstreamName
  readonly key: string
  /** Counts requests. */
  readonly turn: number
}

/** Resolves with the failure, or undefined. */
type Kind = (target: LoadTarget, chosen: Chosen) => Promise<string | undefined>

const largeText = 'All of these words stand in one large request body. '.repeat(2_000)

const kinds: readonly (readonly [share: number, kind: Kind])[] = [
  [0.4, (target, chosen) => whole(target, chosen, { behavior: 'echo', text: 'hello' })],
  [0.3, (target, chosen) => streamed(target, chosen, 'tokens=40 rate=100')],
  [0.09, (target, chosen) => whole(target, chosen, { behavior: 'echo', text: largeText })],
  [0.1, (target, chosen) => left(target, chosen)],
  [0.1, (target, chosen) => counted(target, chosen)],
  [0.01, (target, chosen) => failed(target, chosen)],
]

/** Sends one randomly chosen request. */
export function askOne(target: LoadTarget, dice: Dice, turn: number): Promise<string | undefined> {
  const chosen: Chosen = {
    turn,
    client: pick(formatClients, dice),
    upstream: pick(upstreamNames, dice),
    key: pick(target.keys, dice),
  }
  let left = dice()
  for (const [share, kind] of kinds) {
    if (left < share) return guarded(kind(target, chosen))
    left -= share
  }
  return guarded(whole(target, chosen, { behavior: 'echo', text: 'hello' }))
}

/** A broken connection is a failed request. */
async function guarded(asking: Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await asking
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function pick<Value>(values: readonly Value[], dice: Dice): Value {
  const found = values[Math.floor(dice() * values.length)]
  if (found === undefined) throw new Error('nothing to pick from')
  return found
}

function send(
  { origin }: LoadTarget,
  { client, upstream, key }: Chosen,
  of: { readonly behavior: string; readonly text: string; readonly stream: boolean },
): Sent {
  const model = `${upstream}-${of.behavior}`
  const body = { ...client.body(model, of.text, of.stream), ...client.limit(200) }
  return new Sent(origin, { key, format: client.path(model, of.stream), body })
}

async function whole(
  target: LoadTarget,
  chosen: Chosen,
  of: { readonly behavior: string; readonly text: string },
): Promise<string | undefined> {
  const { status, text, broken } = await send(target, chosen, { ...of, stream: false }).whole()
  if (status !== 200 || broken !== null) return `${status} ${broken ?? text.slice(0, 200)}`
  const isEcho = of.text.length < 100
  return !isEcho || text.includes(of.text) ? undefined : `the answer lacks the text: ${text.slice(0, 200)}`
}

async function streamed(target: LoadTarget, chosen: Chosen, settings: string): Promise<string | undefined> {
  const sent = send(target, chosen, { behavior: 'stream', text: settings, stream: true })
  const { status, text, broken } = await sent.whole()
  if (status !== 200 || broken !== null) return `${status} ${broken ?? text.slice(0, 200)}`
  return text.includes(chosen.client.successMark) ? undefined : `the stream has no end: ${text.slice(-200)}`
}

/** A client that closes its connection in the middle of a stream. */
async function left(target: LoadTarget, chosen: Chosen): Promise<string | undefined> {
  const sent = send(target, chosen, { behavior: 'stream', text: 'tokens=100 rate=100', stream: true })
  const { status } = await sent.head
  await sent.until((text) => text.length > 500)
  sent.leave()
  return status === 200 ? undefined : String(status)
}

async function counted({ origin }: LoadTarget, { upstream, key }: Chosen): Promise<string | undefined> {
  const body = {
    model: `${upstream}-echo`,
    messages: [{ role: 'user', content: 'How many tokens are these?' }],
  }
  const { status, text } = await new Sent(origin, {
    key,
    format: '/v1/alt/v1/messages/count_tokens',
    body,
  }).whole()
  return status === 200 && /"input_tokens":\d/.test(text) ? undefined : `${status} ${text.slice(0, 200)}`
}

/** An upstream failure is reported as an error, and never as a successful response. */
async function failed(target: LoadTarget, chosen: Chosen): Promise<string | undefined> {
  const behavior = faultBehaviors[chosen.turn % faultBehaviors.length] ?? '500'
  const { status, text } = await send(target, chosen, { behavior, text: 'hello', stream: false }).whole()
  return status >= 500 ? undefined : `a failing upstream answered ${status}: ${text.slice(0, 200)}`
}
