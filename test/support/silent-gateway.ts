/**
 * A gateway on a manual clock, whose providers are one upstream that sends only what the test makes it
 * send.
 */
import { type FaultUpstream, faultUpstream, hangs, type Reply } from './fault-upstream.ts'
import { type TestAccount, type TestGateway, type TestGatewayOptions, testGateway } from './gateway.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { eventually, meteredModels } from './metered-gateway.ts'
import { Sent, type SentRequest } from './paying-client.ts'

/** A request that has reached the upstream. */
export interface Begun {
  readonly account: TestAccount
  readonly sent: Sent
  /** Sends the upstream's response. */
  readonly reply: Reply
}

export interface SilentGateway {
  readonly time: ManualClock
  readonly upstream: FaultUpstream
  readonly gateway: TestGateway
  /** Sends a request of a new account with a balance of 1 USD. */
  begin(request: Omit<SentRequest, 'key'>): Promise<Begun>
  /** The outcome of the account's request, from its receipt. */
  endOf(account: TestAccount): Promise<string | null>
  close(): Promise<void>
}

/** Upstreams that failed in another case remain in use. */
const lenient = { cooldownMsMax: 0, failuresBeforeEjection: 1_000 }

/** Starts both. */
export async function silentGateway({ limits, ...more }: TestGatewayOptions = {}): Promise<SilentGateway> {
  const time = manualClock()
  const upstream = await faultUpstream(() => hangs)
  const gateway = await testGateway({
    clock: time,
    openai: upstream.origin,
    anthropic: upstream.origin,
    google: upstream.origin,
    models: meteredModels(),
    limits: { ...lenient, ...limits },
    ...more,
  })
  return {
    time,
    upstream,
    gateway,
    async begin(request) {
      const account = await gateway.account('1')
      const sent = new Sent(gateway.origin, { key: account.key, ...request })
      const reply = await upstream.nextRequest()
      // A read stores its hold: a stream waits for that in real time, while the test's own passes.
      await gateway.balance(account.id)
      return { account, sent, reply }
    },
    async endOf({ id }) {
      const [receipt] = await eventually(
        'the receipt',
        () => gateway.gateway.services.ledger.receipts(id, 2, null),
        ({ length }) => length > 0,
      )
      return receipt?.endReason ?? null
    },
    async close() {
      await gateway.close()
      await upstream.close()
    },
  }
}

/** Lets all pending work of this event loop complete. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}
