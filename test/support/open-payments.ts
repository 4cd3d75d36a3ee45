/**
 * Payments over a real ledger and a fake Stripe, with the webhook behind real HTTP, for tests that need no
 * gateway around them.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Background } from '../../src/base/background.ts'
import { Changes } from '../../src/base/changes.ts'
import { systemRandom } from '../../src/base/ids.ts'
import { createLog } from '../../src/base/log.ts'
import { type Limits, limitDefaults, type StripeSetting } from '../../src/config/config.ts'
import { type OpenPayments, openPayments, type PaymentOptions } from '../../src/payments/payments.ts'
import type { EmailMessage, TopUp } from '../../src/payments/types.ts'
import { startPaymentWork } from '../../src/payments/work.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { type Lifetime, openTestLedger, type TestLedger } from './open-ledger.ts'
import { type StripeServer, startStripeServer } from './stripe-server.ts'

export interface PaymentScene {
  readonly open: OpenPayments
  /** The options of the call. */
  readonly options: PaymentOptions
  readonly on: TestLedger
  readonly clock: ManualClock
  readonly stripe: StripeServer
  readonly webhookUrl: string
  /** Lines of the log. */
  readonly logged: string[]
  /** A new account without credit. */
  account(): Promise<bigint>
  begin(account: bigint, cents: number, saveMethod?: boolean): Promise<TopUp>
  topUp(id: bigint): Promise<TopUp>
  /** The id of the checkout page of a top-up. */
  session(id: bigint): Promise<string>
  posted(account: bigint): Promise<bigint>
  drift(): Promise<readonly string[]>
}

export const address = 'https://gate.example'
const secretKey = ['sk', 'test', 'scene'].join('_')
const webhookSecret = ['whsec', 'scene'].join('_')
export const nanoPerCent = 10_000_000n

export interface SceneOptions {
  readonly limits?: Partial<Limits>
  readonly failpoints?: string
  /** An earlier scene's provider, and a copy of its data folder. */
  readonly restored?: Pick<PaymentScene, 'stripe' | 'clock'> & { readonly dataDirectory: string }
  /** In place of the key of the provider's account; null: payments are off. */
  readonly secretKey?: string | null
}

export async function paymentScene(context: Lifetime, options: SceneOptions = {}): Promise<PaymentScene> {
  const clock = options.restored?.clock ?? manualClock()
  const limits: Limits = { ...limitDefaults, ...options.limits }
  const { failpoints } = options
  const on = await openTestLedger(context, {
    clock,
    limits,
    ...(failpoints === undefined ? {} : { failpoints }),
    ...(options.restored === undefined ? {} : { dataDirectory: options.restored.dataDirectory }),
  })
  const stripe =
    options.restored?.stripe ?? (await startStripeServer({ secretKey, webhookSecret, nowMs: clock.wallMs }))
  context.after(stripe.close)
  const logged: string[] = []
  const { store, ledger, nextId } = on
  const given: PaymentOptions = {
    ...{ store, ledger, clock, nextId, limits },
    random: systemRandom,
    changes: new Changes(clock, limits),
    log: createLog({ level: 'debug', destination: { write: (line: string) => void logged.push(line) } }),
    stripe: stripeSetting(options.secretKey, stripe.origin),
    operator: { name: 'Tollgate', contact: null },
    codeKey: new Uint8Array(32).fill(7),
  }
  const open = openPayments(given)
  const webhookUrl = await listen(context, open)
  stripe.sendTo(webhookUrl)
  const { payments } = open
  return {
    open,
    options: given,
    on,
    clock,
    stripe,
    webhookUrl,
    logged,
    async account() {
      const id = nextId()
      const email = `${id}@example.org`
      await ledger.createAccount({ id, kind: 'personal', email, name: 'payer', nowMs: clock.wallMs() })
      return id
    },
    begin: (account, cents, saveMethod = false) =>
      payments.beginTopUp({
        account,
        email: `${account}@example.org`,
        amount: BigInt(cents) * nanoPerCent,
        saveMethod,
        address,
      }),
    async topUp(id) {
      const found = await payments.topUp(id)
      if (found === undefined) throw new Error('no such top-up')
      return found
    },
    async session(id) {
      const url = (await payments.topUp(id))?.payUrl ?? ''
      return url.slice(url.lastIndexOf('/') + 1)
    },
    posted: async (account) => (await ledger.account(account))?.posted ?? -1n,
    drift: async () => (await ledger.verify()).drift,
  }
}

function stripeSetting(key: string | null = secretKey, apiOrigin: string): StripeSetting | null {
  return key === null ? null : { secretKey: key, webhookSecret, mode: 'test', apiOrigin }
}

export interface WorkingScene extends PaymentScene {
  readonly letters: EmailMessage[]
  readonly background: Background
  /** Days that every balance lasts. */
  readonly rate: { days: number | null }
  /** Lets so much time pass, and waits for what began in it. */
  pass(ms: number): Promise<void>
  stop(): void
}

/** The same with its background jobs, which have looked for missed events once. */
export async function workingScene(context: Lifetime, options: SceneOptions = {}): Promise<WorkingScene> {
  const scene = await paymentScene(context, options)
  const { clock, on, open } = scene
  const letters: EmailMessage[] = []
  const rate = { days: null as number | null }
  const background = new Background(clock, scene.options.log)
  const stop = startPaymentWork(open, {
    background,
    clock,
    log: scene.options.log,
    letters: {
      async send(_account, letter) {
        letters.push(letter)
        return true
      },
    },
    account: on.ledger.account,
    daysLeft: async () => rate.days,
    address,
    limits: { ...limitDefaults, ...options.limits },
  })
  async function pass(ms: number): Promise<void> {
    clock.advance(ms)
    await background.drained()
  }
  await pass(0)
  return { ...scene, letters, background, rate, stop, pass }
}

/** The webhook on its own server. */
async function listen(context: Lifetime, { payments }: OpenPayments): Promise<string> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const signature = request.headers['stripe-signature']
    const reply = await payments.handleWebhook?.(
      Buffer.concat(parts),
      typeof signature === 'string' ? signature : undefined,
    )
    response.writeHead(reply?.status ?? 404).end(reply?.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
