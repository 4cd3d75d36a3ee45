/**
 * A message that is not the provider's, or not about our top-up as it is, changes nothing (E6): one row for each
 * attack, over real HTTP, with the official library's signatures.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type PaymentScene, paymentScene } from '../../test/support/open-payments.ts'
import type { Intent, Session, StripeEvent } from '../../test/support/stripe-objects.ts'
import type { Delivery, Forgery } from '../../test/support/stripe-server.ts'
import { formatId } from '../base/ids.ts'
import { openPayments } from './payments.ts'

/** Each attack has an account and a payment of its own. */
const scene = await paymentScene({ after })

interface Attempt {
  readonly scene: PaymentScene
  readonly account: bigint
  readonly topUp: bigint
  readonly session: Session
  /** The event of the payment, as the provider would send it. */
  readonly event: StripeEvent
}

interface Forged {
  readonly text: string
  readonly send: (attempt: Attempt) => Promise<Delivery>
  readonly status?: number
  /** Money has arrived for the top-up: an administrator is notified. */
  readonly isPaid?: true
}

const withForgery =
  (forgery: (attempt: Attempt) => Forgery) =>
  (attempt: Attempt): Promise<Delivery> =>
    attempt.scene.stripe.deliver(attempt.event, forgery(attempt))

/** Changes the payment at the provider before its event is sent. */
const withPayment =
  (change: (intent: Intent, attempt: Attempt) => void) =>
  (attempt: Attempt): Promise<Delivery> => {
    change(intentOf(attempt), attempt)
    return attempt.scene.stripe.deliver(attempt.event)
  }

function intentOf({ scene, session }: Attempt): Intent {
  return scene.stripe.books.intent(session.payment_intent ?? '')
}

const minuteMs = 60_000

const forgeries: readonly Forged[] = [
  { text: 'no signature', send: withForgery(() => ({ signature: null })) },
  { text: 'an empty signature', send: withForgery(() => ({ signature: '' })) },
  { text: 'a malformed signature', send: withForgery(() => ({ signature: 't=1,v1=00' })) },
  {
    text: 'a signature by another secret',
    send: withForgery(() => ({ secret: ['whsec', 'other'].join('_') })),
  },
  {
    text: 'a signature from six minutes ago',
    send: withForgery(({ scene }) => ({ signedMs: scene.clock.wallMs() - 6 * minuteMs })),
  },
  {
    text: 'a signature from six minutes ahead',
    send: withForgery(({ scene }) => ({ signedMs: scene.clock.wallMs() + 6 * minuteMs })),
  },
  {
    text: 'a body that was serialized again',
    send: withForgery(({ event }) => ({ body: JSON.stringify(event, null, 2) })),
  },
  {
    text: 'a body with another amount',
    send: withForgery(({ event }) => ({ body: JSON.stringify(event).replaceAll('2000', '9000') })),
  },
  { text: 'an empty body', send: withForgery(() => ({ body: '' })) },
  {
    text: 'an event of live mode',
    send: ({ scene, event }) => scene.stripe.deliver({ ...event, livemode: true }),
  },
  {
    text: 'a payment in live mode',
    send: withPayment((intent) => {
      intent.livemode = true
    }),
  },
  {
    text: 'a payment of another amount',
    isPaid: true,
    send: withPayment((intent) => {
      intent.amount = 100
      intent.amount_received = 100
    }),
  },
  {
    text: 'a payment of which less has arrived',
    isPaid: true,
    send: withPayment((intent) => {
      intent.amount_received = 100
    }),
  },
  {
    text: 'a payment in another currency',
    isPaid: true,
    send: withPayment((intent) => {
      intent.currency = 'jpy'
    }),
  },
  {
    text: 'a payment of another account',
    isPaid: true,
    send: withPayment((intent, { account }) => {
      intent.metadata = { ...intent.metadata, tollgate_account: formatId('acct', account + 1n) }
    }),
  },
  {
    text: 'a payment of another top-up',
    send: withPayment((intent, { topUp }) => {
      intent.metadata = { ...intent.metadata, tollgate_top_up: formatId('top', topUp + 1n) }
    }),
  },
  {
    text: 'a page of another amount',
    isPaid: true,
    send(attempt) {
      attempt.session.amount_total = 100
      return attempt.scene.stripe.deliver(attempt.event)
    },
  },
  {
    text: 'a top-up that is not here',
    send({ scene, session, topUp }) {
      const metadata = { ...session.metadata, tollgate_top_up: formatId('top', topUp + 1n) }
      const { books } = scene.stripe
      return scene.stripe.deliver(books.event('checkout.session.completed', { ...session, metadata }))
    },
  },
  {
    text: 'a top-up of another provider',
    async send({ scene, topUp, event }) {
      const { database } = scene.on.store
      await database.updateTable('top_up').set({ provider: 'other' }).where('id', '=', topUp).execute()
      return scene.stripe.deliver(event)
    },
  },
  {
    text: 'an unpaid page that calls itself paid',
    status: 200,
    send({ scene, session }) {
      const { books } = scene.stripe
      const intent = books.intent(session.payment_intent ?? '')
      intent.status = 'processing'
      intent.amount_received = 0
      session.payment_status = 'unpaid'
      return scene.stripe.deliver(
        books.event('checkout.session.completed', { ...session, payment_status: 'paid' }),
      )
    },
  },
  {
    text: 'a payment that succeeded on a page that is not paid',
    isPaid: true,
    send(attempt) {
      attempt.session.payment_status = 'unpaid'
      return attempt.scene.stripe.deliver(attempt.event)
    },
  },
  {
    text: 'a sale of something else at the same provider',
    status: 200,
    send({ scene, session }) {
      const { books } = scene.stripe
      return scene.stripe.deliver(
        books.event('checkout.session.completed', { ...session, metadata: {}, payment_intent: null }),
      )
    },
  },
]

for (const { text, send, status = 400, isPaid = false } of forgeries) {
  test(`${text} is not credited`, async () => {
    const account = await scene.account()
    const { id: topUp } = await scene.begin(account, 2_000)
    const session = scene.stripe.books.session(await scene.session(topUp))
    scene.stripe.sendTo(null)
    scene.stripe.books.pay(session.id, 'card')
    scene.stripe.sendTo(scene.webhookUrl)
    const event = scene.stripe.books.events.at(-1) as StripeEvent
    assert.equal(event.type, 'checkout.session.completed')
    const delivery = await send({ scene, account, topUp, session, event })
    assert.equal(delivery.status, status, delivery.body)
    assert.equal(await scene.posted(account), 0n)
    const { paidMs } = await scene.topUp(topUp)
    assert.equal(paidMs, null)
    const waiting = await scene.open.payments.unmatched()
    assert.equal(
      waiting.some(({ payment }) => payment === session.payment_intent),
      isPaid,
    )
    assert.deepEqual(await scene.drift(), [])
  })
}

test('the same event as it is, after all of that, is credited', async () => {
  const account = await scene.account()
  const { id } = await scene.begin(account, 2_000)
  scene.stripe.sendTo(null)
  scene.stripe.books.pay(await scene.session(id), 'card')
  scene.stripe.sendTo(scene.webhookUrl)
  const event = scene.stripe.books.events.at(-1) as StripeEvent
  assert.equal((await scene.stripe.deliver(event)).status, 200)
  assert.equal(await scene.posted(account), 20_000_000_000n)
})

test('without a provider there is no webhook', async () => {
  const { store, ledger, nextId, clock } = scene.on
  const { payments } = openPayments({ ...scene.options, store, ledger, nextId, clock, stripe: null })
  assert.equal(payments.handleWebhook, null)
  assert.deepEqual(payments.facts, { kind: 'operator', contact: null })
  const ask = { account: 1n, email: null, amount: 5_000_000_000n, saveMethod: false, address: '' }
  await assert.rejects(payments.beginTopUp(ask), /Payments are not configured/)
})
