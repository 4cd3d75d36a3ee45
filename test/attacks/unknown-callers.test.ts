/** Callers without a key or a session cannot prevent sign-ins, the creation of keys, or the arrival of payments. */
import { after, before, test } from 'node:test'
import {
  type AttackedGateway,
  assertUnharmed,
  attackedGateway,
  describeMeasured,
  measureUnderAttack,
  type Neighbor,
  neighborThatPosts,
  startAttack,
} from '../support/attacks.ts'
import { type StripeServer, startStripeServer } from '../support/stripe-server.ts'
import { joined, type Member, password } from '../support/two-tenants.ts'

const attacker = new URL('./bodies-that-do-not-end.ts', import.meta.url)
const keys = { secretKey: ['sk', 'test', 'attack'].join('_'), webhookSecret: ['whsec', 'attack'].join('_') }
const webhookPath = '/api/stripe/webhook'
let stripe: StripeServer
let gateway: AttackedGateway
let person: Member
let other: Member

before(async () => {
  stripe = await startStripeServer(keys)
  gateway = await attackedGateway({
    yaml: 'limits: { keysPerAccountMax: 100000 }',
    fixed: { changesPerMinute: 1_000_000 },
    environment: {
      STRIPE_API_URL: stripe.origin,
      STRIPE_SECRET_KEY: keys.secretKey,
      STRIPE_WEBHOOK_SECRET: keys.webhookSecret,
    },
  })
  stripe.sendTo(`${gateway.origin}${webhookPath}`)
  person = await joined(gateway.origin, 'ada')
  other = await joined(gateway.origin, 'bob')
})
after(async () => {
  await gateway.end()
  await stripe.close()
})

/** Signs in, creates a key, and receives a payment webhook, in turns. */
function people(): Neighbor {
  const { port, origin } = gateway
  const signsIn = neighborThatPosts({
    ...{ port, path: '/api/auth/sign-in/email', headers: { origin } },
    body: JSON.stringify({ email: other.email, password }),
  })
  const makesKeys = neighborThatPosts({
    ...{ port, path: '/api/keys', headers: { origin, cookie: person.client.cookie } },
    body: JSON.stringify({ name: 'made under attack' }),
  })
  // The event is as large as a webhook for a real payment with its line items.
  const event = stripe.books.event('customer.created', { id: 'cus_1', description: 'x'.repeat(20_000) })
  const paid = async (): Promise<string | undefined> => {
    const { status, body } = await stripe.deliver(event)
    return status === 200 ? undefined : `webhook: ${status} ${body}`
  }
  const turns = [signsIn.ask, makesKeys.ask, paid]
  let asked = 0
  return {
    ask() {
      asked += 1
      return turns[asked % turns.length]?.() ?? Promise.resolve('no turn')
    },
    close() {},
  }
}

for (const [about, path, from] of [
  ['to the sign-in, from the address of those who sign in', '/api/auth/sign-in/email', '127.0.0.1'],
  ['to the webhook, from another network', webhookPath, '127.0.0.66'],
] as const) {
  test(`2,300 bodies of 64 KiB less one byte ${about}`, async (context) => {
    const values = { connections: 2_300, bytes: 64 * 1024, path, from }
    const measured = await measureUnderAttack({
      neighbor: people(),
      attack: () => startAttack(attacker, { port: gateway.port, values }),
      pace: { requests: 18, everyMs: 100 },
    })
    context.diagnostic(describeMeasured(measured))
    assertUnharmed(measured)
  })
}
