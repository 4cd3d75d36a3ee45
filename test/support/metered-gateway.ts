/**
 * A gateway whose upstream requests all end at one sandbox that records them, so that a test can compare a bill with
 * the usage that the upstream itself metered. For each behavior of the sandbox there is one
 * model per format, reached through that format's own connector: `chat-stream`, `messages-stream`, …
 */
import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { LoggedRequest } from '../../sandbox/request-log.ts'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { behaviors } from '../../sandbox/scenarios/behaviors-table.ts'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { formatId, parseId } from '../../src/base/ids.ts'
import type { ModelDefinition, PriceDefinition } from '../../src/catalog/definition.ts'
import type { Config } from '../../src/config/config.ts'
import type { Ledger, ReceiptRow } from '../../src/ledger/types.ts'
import type { FormatClient } from './format-clients.ts'
import { type TestAccount, type TestGateway, type TestGatewayOptions, testGateway } from './gateway.ts'
import { type Format, Sent } from './paying-client.ts'

/** USD per million tokens; the shape of a typical price list. */
export const listPrice: PriceDefinition = {
  input: '3',
  cacheRead: '0.3',
  cacheWrite5m: '3.75',
  cacheWrite1h: '6',
  output: '15',
}

export interface MeteredOptions extends Omit<TestGatewayOptions, 'models'> {
  /** In addition to the sandbox's. */
  readonly models?: readonly ModelDefinition[]
  readonly price?: PriceDefinition
  /** The sandbox's own; by default the machine's. */
  readonly sandboxClock?: Clock
}

export interface MeteredGateway extends TestGateway {
  readonly sandbox: Sandbox
  readonly ledger: Ledger
  /** Sends a request of a chat or, depending on the model's name, a Messages client. Text is sent unchanged. */
  ask(account: Pick<TestAccount, 'key'>, body: AskedBody | string): Sent
  /** Sends a request of a client of that format. */
  askAs(account: Pick<TestAccount, 'key'>, client: FormatClient, asked: AskedAs): Sent
  /** The receipt of the account's latest request, once there are `count` of them. */
  receiptOf(account: Pick<TestAccount, 'id'>, count?: number): Promise<ReceiptRow>
  /** The sandbox's log entry for the request of this receipt. */
  meterOf(receipt: ReceiptRow): LoggedRequest
  /** Asserts that nothing is held, that every row balances, and closes. */
  end(): Promise<void>
}

export interface AskedAs {
  readonly model: string
  readonly text: string
  readonly stream?: boolean
  /** Merged into the request's body. */
  readonly more?: object
  readonly headers?: Readonly<Record<string, string>>
}

export interface AskedBody {
  readonly model: string
  readonly [field: string]: unknown
}

/** By the prefix of a model's name: its upstream format, and its vendor. */
export const upstreams = {
  chat: { provider: 'openai', formats: ['openai-chat'] },
  responses: { provider: 'openai', formats: ['openai-responses'] },
  messages: { provider: 'anthropic', formats: ['anthropic'] },
  gemini: { provider: 'google', formats: ['gemini'] },
} as const satisfies Readonly<Record<string, Pick<ModelDefinition, 'provider' | 'formats'>>>

export type UpstreamName = keyof typeof upstreams
export const upstreamNames = Object.keys(upstreams) as readonly UpstreamName[]

/** Defines a model for each behavior and format. */
export function meteredModels(
  price: PriceDefinition = listPrice,
  more: readonly ModelDefinition[] = [],
): Config['models'] {
  const models: readonly ModelDefinition[] = upstreamNames.flatMap((upstream) =>
    behaviors.map(({ name }) => ({
      id: name.replace(/^sandbox/, upstream),
      ...upstreams[upstream],
      upstreamId: name,
      context: 200_000,
      maxOutput: 32_000,
      reasoning: name === 'sandbox-think',
      prices: [price],
    })),
  )
  // The file's schema has no readonly lists.
  return [...models, ...more] as Config['models']
}

/** A text long enough for the reported usage to be plausible. */
export function textFor(usage: unknown): string {
  return 'hello'.padEnd(sumOf(usage), '.')
}

function sumOf(usage: unknown): number {
  if (typeof usage === 'number') return Math.min(usage, 1_000_000)
  if (typeof usage !== 'object' || usage === null) return 0
  return Object.values(usage).reduce((sum: number, value) => sum + sumOf(value), 0)
}

/** A chat body whose answer is its text. */
export const echoBody = (text: string, more: object = {}) => ({
  model: 'chat-echo',
  max_tokens: 100,
  messages: [{ role: 'user', content: text }],
  ...more,
})

/** A chat body whose stream takes 80 seconds. */
export const endlessBody = {
  model: 'chat-stream',
  stream: true,
  max_tokens: 8_000,
  messages: [{ role: 'user', content: 'tokens=8000 rate=100' }],
}

export async function meteredGateway(options: MeteredOptions = {}): Promise<MeteredGateway> {
  const { price, models, sandboxClock = systemClock, ...rest } = options
  const sandbox = await startSandbox({ clock: sandboxClock, logBodies: true })
  const gateway = await testGateway({
    openai: sandbox.origin,
    anthropic: sandbox.origin,
    google: sandbox.origin,
    ...rest,
    models: meteredModels(price, models),
  })
  const { ledger } = gateway.gateway.services
  return {
    ...gateway,
    sandbox,
    ledger,
    ask: (account, body) => new Sent(gateway.origin, { key: account.key, format: formatOf(body), body }),
    askAs(account, client, { model, text, stream = false, more = {}, headers = {} }) {
      return new Sent(gateway.origin, {
        key: account.key,
        format: client.path(model, stream),
        body: { ...client.body(model, text, stream), ...more },
        headers,
      })
    },
    async receiptOf(account, count = 1) {
      const all = () => ledger.receipts(account.id, 1_000, null)
      const receipts = await eventually(`${count} receipts`, all, (rows) => rows.length >= count)
      assert.equal(receipts.length, count, 'one receipt for each request')
      return receipts[0]!
    },
    meterOf(receipt) {
      const found = sandbox.logged(receipt.upstreamRequestId ?? formatId('req', receipt.id))
      assert.ok(found !== undefined, `the sandbox knows request ${receipt.upstreamRequestId}`)
      return found
    },
    async end() {
      const { inFlight, background } = gateway.gateway.deps
      try {
        await eventually(
          'no request runs',
          () => inFlight.count,
          (count) => count === 0,
        )
        await background.drained()
        const report = await ledger.verify()
        assert.deepEqual(report.drift, [])
        assert.equal(report.openHolds, 0, 'no hold is left open')
      } finally {
        await gateway.close()
        await sandbox.close()
      }
    },
  }
}

function formatOf(body: AskedBody | string): Format {
  const model = typeof body === 'string' ? /"model"\s*:\s*"([^"]*)/.exec(body)?.[1] : body.model
  return model?.startsWith('messages') ? 'messages' : 'chat'
}

/** Whether it answers a request that it has. */
export function isAnswering(sandbox: Sandbox): boolean {
  return sandbox.requestLog().some(({ outcome }) => outcome === 'running')
}

/** The ledger's request id from a response. */
export function requestIdIn(headers: Readonly<Record<string, string | string[] | undefined>>): bigint {
  const id = parseId('req', String(headers['x-request-id']))
  assert.ok(id !== undefined, 'an answer tells the id of its request')
  return id
}

const firstWaitMs = 2
/** Slow conditions are polled less often: polling takes CPU time from the work awaited. */
const waitMsMax = 50
const waitGrowth = 1.2
/** Only a condition that never holds takes this long. */
const waitedMsMax = 60_000

/** Polls `read` until `holds` accepts its value, and returns the value; fails after a timeout. */
export async function eventually<Value>(
  what: string,
  read: () => Value | Promise<Value>,
  holds: (value: Value) => boolean,
): Promise<Value> {
  let waitMs = firstWaitMs
  let value: Value | undefined
  for (let waitedMs = 0; waitedMs < waitedMsMax; waitedMs += waitMs) {
    value = await read()
    if (holds(value)) return value
    const wait = waitMs
    await new Promise<void>((resolve) => systemClock.after(wait, resolve))
    waitMs = Math.min(waitMs * waitGrowth, waitMsMax)
  }
  const last = inspect(value, { depth: 4, maxStringLength: 200, breakLength: Number.POSITIVE_INFINITY })
  throw new assert.AssertionError({ message: `it never happened: ${what}; at last: ${last}` })
}
