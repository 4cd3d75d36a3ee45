/**
 * Top-ups from end to end against a fake Stripe that speaks its API and signs its webhooks: what is credited,
 * when, once, and what is taken back. Real ledger, the official library, real HTTP.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainAsk, plainDraft } from '../../test/support/ledger-values.ts'
import { address, nanoPerCent, type PaymentScene, paymentScene } from '../../test/support/open-payments.ts'
import type { StripeEvent } from '../../test/support/stripe-objects.ts'
import type { Delivery } from '../../test/support/stripe-server.ts'
import { TollgateError } from '../base/errors.ts'
import { formatId } from '../base/ids.ts'
import { limitDefaults } from '../config/config.ts'

const usd = (cents: number): bigint => BigInt(cents) * nanoPerCent
const done: Delivery = { status: 200, body: 'done\n' }

async function rejection(work: Promise<unknown>): Promise<TollgateError> {
  const thrown = await work.then(
    () => assert.fail('it was not rejected'),
    (error: unknown) => error,
  )
  assert.ok(thrown instanceof TollgateError, String(thrown))
  return thrown
}

/** An account whose top-up was paid by card, all events delivered. */
async function paid(scene: PaymentScene, cents: number, saveMethod = false) {
  const account = await scene.account()
  const { id } = await scene.begin(account, cents, saveMethod)
  const session = await scene.session(id)
  const { payment_intent: intent } = scene.stripe.books.pay(session, 'card')
  for (const delivery of await scene.stripe.settled()) assert.deepEqual(delivery, done)
  assert.ok(intent !== null)
  return { account, id, session, intent }
}

test('a top-up is begun, paid and credited once, however often it is reported', async (context) => {
  const scene = await paymentScene(context)
  const account = await scene.account()
  const begun = await scene.begin(account, 2_000)
  assert.deepEqual([begun.state, begun.amount, begun.automatic], ['open', usd(2_000), false])
  const session = await scene.session(begun.id)
  const stored = scene.stripe.books.session(session)
  const [topUp, payer] = [formatId('top', begun.id), formatId('acct', account)]
  assert.deepEqual(
    [stored.amount_total, stored.currency, stored.client_reference_id, stored.success_url],
    [2_000, 'usd', topUp, `${address}/console/billing?account=${payer}&top-up=${topUp}`],
  )
  assert.equal(stored.cancel_url, `${stored.success_url}&left=page`)
  assert.equal(await scene.posted(account), 0n)
  scene.stripe.books.pay(session, 'card')
  assert.deepEqual(await scene.stripe.settled(), [done, done])
  const after = await scene.topUp(begun.id)
  assert.deepEqual([after.state, after.payUrl, after.problem], ['paid', null, null])
  assert.equal(await scene.posted(account), usd(2_000))
  assert.equal((await scene.open.payments.setting(account)).savedMethod, null)
  assert.deepEqual(await scene.drift(), [])
})

for (const [text, nano, message] of [
  ['half a cent', usd(1_000) + nanoPerCent / 2n, /whole cents/],
  ['less than the least', usd(499), /from 5\.00 to 1000\.00 USD/],
  ['more than the most', usd(100_001), /from 5\.00 to 1000\.00 USD/],
] as const) {
  test(`${text} is not a top-up`, async (context) => {
    const scene = await paymentScene(context)
    const account = await scene.account()
    const ask = { account, email: null, amount: nano, saveMethod: false, address }
    const error = await rejection(scene.open.payments.beginTopUp(ask))
    assert.deepEqual([error.code, error.details.param], ['invalid_value', 'amount'])
    assert.match(error.details.message, message)
    assert.deepEqual(await scene.open.payments.topUps({ account, limit: 10, before: null }), [])
  })
}

test('a transfer is credited when it arrives and not when it is promised', async (context) => {
  const scene = await paymentScene(context)
  const account = await scene.account()
  const { id } = await scene.begin(account, 700)
  const session = await scene.session(id)
  scene.stripe.books.pay(session, 'transfer')
  for (const delivery of await scene.stripe.settled()) assert.deepEqual(delivery, done)
  assert.equal((await scene.topUp(id)).state, 'processing')
  assert.equal(await scene.posted(account), 0n)
  scene.stripe.books.arrive(session, 'succeeded')
  await scene.stripe.settled()
  assert.equal((await scene.topUp(id)).state, 'paid')
  assert.equal(await scene.posted(account), usd(700))
})

test('a transfer that does not arrive fails with words for the payer', async (context) => {
  const scene = await paymentScene(context)
  const account = await scene.account()
  const { id } = await scene.begin(account, 700)
  const session = await scene.session(id)
  scene.stripe.books.pay(session, 'transfer')
  scene.stripe.books.arrive(session, 'failed')
  await scene.stripe.settled()
  const { state, problem, payUrl } = await scene.topUp(id)
  assert.deepEqual([state, problem, payUrl], ['failed', 'The transfer did not arrive.', null])
  assert.equal(await scene.posted(account), 0n)
})

test('a card that is declined leaves the page open, and an expired page ends it', async (context) => {
  const scene = await paymentScene(context)
  const { id } = await scene.begin(await scene.account(), 700)
  const session = await scene.session(id)
  scene.stripe.books.pay(session, 'declined')
  await scene.stripe.settled()
  const open = await scene.topUp(id)
  assert.equal(open.state, 'open')
  assert.ok(open.payUrl !== null)
  scene.stripe.books.expire(session)
  await scene.stripe.settled()
  const expired = await scene.topUp(id)
  assert.deepEqual([expired.state, expired.payUrl], ['expired', null])
})

test('a thousand messages about one payment, concurrent and in any order, give one credit (E5)', async (context) => {
  const scene = await paymentScene(context)
  const account = await scene.account()
  const { id } = await scene.begin(account, 5_000)
  const session = await scene.session(id)
  scene.stripe.sendTo(null)
  const { books } = scene.stripe
  books.pay(session, 'transfer')
  books.arrive(session, 'succeeded')
  const events = [...books.events]
  scene.stripe.sendTo(scene.webhookUrl)
  const many = Array.from({ length: 1_000 }, (_, index) => events[(index * 7) % events.length] as StripeEvent)
  const answers = await Promise.all(many.map((event) => scene.stripe.deliver(event)))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1_000)
  assert.equal(await scene.posted(account), usd(5_000))
  const entries = await scene.on.ledger.entries({
    account,
    kind: null,
    fromMs: null,
    toMs: null,
    limit: 10,
    before: null,
  })
  assert.deepEqual(
    entries.map(({ kind, source, amount }) => [kind, source, amount]),
    [['credit', 'payment', usd(5_000)]],
  )
  assert.deepEqual(await scene.drift(), [])
})

test('a message that comes three days late, signed again, is as good (E5)', async (context) => {
  const scene = await paymentScene(context)
  const account = await scene.account()
  const { id } = await scene.begin(account, 5_000)
  scene.stripe.sendTo(null)
  scene.stripe.books.pay(await scene.session(id), 'card')
  const event = scene.stripe.books.events.at(-1) as StripeEvent
  scene.clock.setWallMs(scene.clock.wallMs() + 3 * 86_400_000)
  scene.stripe.sendTo(scene.webhookUrl)
  assert.deepEqual(await scene.stripe.deliver(event), done)
  assert.equal(await scene.posted(account), usd(5_000))
})

test('a refund that is reported before its payment is taken after it (E5)', async (context) => {
  const scene = await paymentScene(context)
  const account = await scene.account()
  const { id } = await scene.begin(account, 5_000)
  scene.stripe.sendTo(null)
  const { books } = scene.stripe
  const { payment_intent: intent } = books.pay(await scene.session(id), 'card')
  books.refund(intent ?? '', 1_500)
  scene.stripe.sendTo(scene.webhookUrl)
  const backwards = books.events.toReversed()
  assert.equal(backwards[0]?.type, 'charge.refunded')
  for (const event of backwards) assert.deepEqual(await scene.stripe.deliver(event), done)
  assert.equal(await scene.posted(account), usd(3_500))
  const { state, refunded } = await scene.topUp(id)
  assert.deepEqual([state, refunded], ['partly_refunded', usd(1_500)])
  assert.deepEqual(await scene.drift(), [])
})

test('without any message a person who looks, or the clock, finds out', async (context) => {
  const scene = await paymentScene(context)
  const account = await scene.account()
  const { id } = await scene.begin(account, 5_000)
  scene.stripe.sendTo(null)
  scene.stripe.books.pay(await scene.session(id), 'card')
  assert.equal(await scene.posted(account), 0n)
  assert.equal((await scene.open.payments.freshTopUp(id))?.state, 'paid')
  assert.equal(await scene.posted(account), usd(5_000))
})

test('while the provider is unreachable the known state is shown, and a message is requested again', async (context) => {
  const scene = await paymentScene(context, { limits: { stripeRetriesMax: 1 } })
  const account = await scene.account()
  const { id } = await scene.begin(account, 5_000)
  scene.stripe.sendTo(null)
  scene.stripe.books.pay(await scene.session(id), 'card')
  scene.stripe.sendTo(scene.webhookUrl)
  scene.stripe.trouble('down')
  assert.equal((await scene.open.payments.freshTopUp(id))?.state, 'open')
  const event = scene.stripe.books.events.at(-1) as StripeEvent
  assert.equal((await scene.stripe.deliver(event)).status, 503)
  assert.equal(await scene.posted(account), 0n)
  const error = await rejection(scene.begin(account, 5_000))
  assert.equal(error.code, 'payment_provider_unavailable')
  const [failed] = await scene.open.payments.topUps({ account, limit: 1, before: null })
  assert.deepEqual([failed?.state, failed?.payUrl], ['failed', null])
  scene.stripe.trouble('none')
  assert.deepEqual(await scene.stripe.deliver(event), done)
  assert.equal(await scene.posted(account), usd(5_000))
})

test('a customer that was removed at the provider is made again', async (context) => {
  const scene = await paymentScene(context)
  const account = await scene.account()
  await scene.begin(account, 500)
  scene.stripe.books.customers.clear()
  const again = await scene.begin(account, 500)
  assert.equal(again.state, 'open')
  assert.equal(scene.stripe.books.customers.size, 1)
})

test('the number of pending top-ups is limited', async (context) => {
  const scene = await paymentScene(context)
  const account = await scene.account()
  await scene.begin(account, 500)
  const begun = await Promise.allSettled(Array.from({ length: 40 }, () => scene.begin(account, 500)))
  assert.equal(begun.filter(({ status }) => status === 'fulfilled').length, limitDefaults.openTopUpsMax - 1)
  assert.equal((await rejection(scene.begin(account, 500))).code, 'too_many_attempts')
})

test('a refund of spent money takes the balance below zero, and nothing is served until it is made up (E8)', async (context) => {
  const scene = await paymentScene(context)
  const { account, id, intent } = await paid(scene, 1_000)
  const { ledger, nextId } = scene.on
  const key = nextId()
  const ask = { ...plainAsk, account, key, nowMs: scene.clock.wallMs() }
  const request = nextId()
  assert.equal((await ledger.admit({ ...ask, id: request, inputAmount: usd(800) })).kind, 'held')
  scene.stripe.books.refund(intent, 1_000)
  await scene.stripe.settled()
  assert.equal(await scene.posted(account), 0n)
  assert.equal((await scene.topUp(id)).state, 'refunded')
  const settlement = { nowMs: scene.clock.wallMs(), writtenOff: 0n, receipt: plainDraft }
  const settled = await ledger.settle({
    ...settlement,
    id: request,
    cost: usd(800),
    writeOffEntryId: nextId(),
  })
  assert.deepEqual(settled, { kind: 'settled', charged: 0n, writtenOff: usd(800), available: 0n })
  assert.equal((await ledger.admit({ ...ask, id: nextId(), inputAmount: 1n })).kind, 'insufficient_funds')
  assert.deepEqual(await scene.drift(), [])
})

test('a request that ends below zero leaves a receipt, and books that balance (E8)', async (context) => {
  const scene = await paymentScene(context)
  const { account, intent } = await paid(scene, 1_000)
  const { ledger, nextId } = scene.on
  const ask = { ...plainAsk, account, key: nextId(), nowMs: scene.clock.wallMs() }
  const settlement = { nowMs: scene.clock.wallMs(), writtenOff: 0n, receipt: plainDraft }
  const [spent, running] = [nextId(), nextId()]
  await ledger.admit({ ...ask, id: spent, inputAmount: usd(600) })
  await ledger.settle({ ...settlement, id: spent, cost: usd(600), writeOffEntryId: nextId() })
  await ledger.admit({ ...ask, id: running, inputAmount: usd(300) })
  scene.stripe.books.refund(intent, 1_000)
  await scene.stripe.settled()
  assert.equal(await scene.posted(account), usd(-600))
  assert.deepEqual(await scene.drift(), [])
  const settled = await ledger.settle({
    ...settlement,
    id: running,
    cost: usd(250),
    writeOffEntryId: nextId(),
  })
  assert.equal(settled.kind, 'settled')
  assert.equal(await scene.posted(account), usd(-600))
  assert.deepEqual(await scene.drift(), [])
  assert.equal((await ledger.admit({ ...ask, id: nextId(), inputAmount: 0n })).kind, 'insufficient_funds')
})

test('a refund that fails comes back', async (context) => {
  const scene = await paymentScene(context)
  const { account, id, intent } = await paid(scene, 1_000)
  const refund = scene.stripe.books.refund(intent, 400, 'pending')
  await scene.stripe.settled()
  assert.equal(await scene.posted(account), usd(600))
  scene.stripe.books.failRefund(refund.id)
  await scene.stripe.settled()
  assert.equal(await scene.posted(account), usd(1_000))
  assert.equal((await scene.topUp(id)).state, 'paid')
  assert.deepEqual(await scene.drift(), [])
})

test('a dispute takes the money and freezes the account; one that is won gives both back (E8)', async (context) => {
  const scene = await paymentScene(context)
  const { account, id, intent } = await paid(scene, 1_000)
  const { ledger, nextId } = scene.on
  const ask = { ...plainAsk, account, key: nextId(), nowMs: scene.clock.wallMs() }
  const dispute = scene.stripe.books.dispute(intent)
  await scene.stripe.settled()
  assert.equal(await scene.posted(account), 0n)
  assert.equal((await scene.topUp(id)).state, 'disputed')
  assert.match((await scene.open.payments.setting(account)).frozen ?? '', /was disputed/)
  assert.equal((await ledger.admit({ ...ask, id: nextId() })).kind, 'suspended')
  scene.stripe.books.closeDispute(dispute.id, 'won')
  await scene.stripe.settled()
  assert.equal(await scene.posted(account), usd(1_000))
  assert.equal((await scene.topUp(id)).state, 'paid')
  assert.equal((await scene.open.payments.setting(account)).frozen, null)
  assert.equal((await ledger.admit({ ...ask, id: nextId() })).kind, 'held')
  assert.deepEqual(await scene.drift(), [])
})

test('a dispute of more than was paid freezes the account and leaves it owing what its bank took', async (context) => {
  const scene = await paymentScene(context)
  const { account, id, intent } = await paid(scene, 1_000)
  const dispute = scene.stripe.books.dispute(intent, 'needs_response', 1_250)
  for (const delivery of await scene.stripe.settled()) assert.deepEqual(delivery, done)
  assert.equal(await scene.posted(account), usd(-250))
  assert.equal((await scene.topUp(id)).state, 'disputed')
  assert.match((await scene.open.payments.setting(account)).frozen ?? '', /was disputed/)
  assert.deepEqual(await scene.drift(), [])
  scene.stripe.books.closeDispute(dispute.id, 'won')
  await scene.stripe.settled()
  assert.equal(await scene.posted(account), usd(1_000))
  assert.deepEqual(await scene.drift(), [])
})

test('a dispute that is lost leaves the account frozen until an operator looks', async (context) => {
  const scene = await paymentScene(context)
  const { account, intent } = await paid(scene, 1_000)
  const dispute = scene.stripe.books.dispute(intent)
  scene.stripe.books.closeDispute(dispute.id, 'lost')
  await scene.stripe.settled()
  const { ledger } = scene.on
  assert.notEqual((await ledger.account(account))?.suspendedMs, null)
  await ledger.suspend(account, null)
  assert.equal((await scene.open.payments.setting(account)).frozen, null)
  assert.equal((await ledger.account(account))?.suspendedMs, null)
})

test('an operator’s suspension outlives a later dispute', async (context) => {
  const scene = await paymentScene(context)
  const { account, intent } = await paid(scene, 1_000)
  const { ledger } = scene.on
  await ledger.suspend(account, 5)
  const dispute = scene.stripe.books.dispute(intent)
  // Otherwise its end is known before it is.
  await scene.stripe.settled()
  assert.equal(await scene.posted(account), 0n)
  scene.stripe.books.closeDispute(dispute.id, 'won')
  await scene.stripe.settled()
  assert.equal((await ledger.account(account))?.suspendedMs, 5)
  assert.equal(await scene.posted(account), usd(1_000))
})

test('a question of the bank takes nothing and freezes no account', async (context) => {
  const scene = await paymentScene(context)
  const { account, id, intent } = await paid(scene, 1_000)
  scene.stripe.books.dispute(intent, 'warning_needs_response')
  for (const delivery of await scene.stripe.settled()) assert.deepEqual(delivery, done)
  assert.equal(await scene.posted(account), usd(1_000))
  assert.equal((await scene.topUp(id)).state, 'paid')
  assert.equal((await scene.open.payments.setting(account)).frozen, null)
})

test('a method is saved when its owner wants that, and removed here and at the provider', async (context) => {
  const scene = await paymentScene(context)
  const { account } = await paid(scene, 1_000, true)
  const { payments } = scene.open
  assert.equal((await payments.setting(account)).savedMethod, 'Visa ending in 4242')
  const autoTopUp = { below: usd(500), amount: usd(1_000) }
  assert.deepEqual((await payments.change(account, { autoTopUp })).autoTopUp, autoTopUp)
  const forgotten = await payments.forgetMethod(account)
  assert.deepEqual([forgotten.savedMethod, forgotten.autoTopUp], [null, null])
  assert.ok([...scene.stripe.books.methods.values()].every(({ customer }) => customer === null))
  const error = await rejection(payments.change(account, { autoTopUp }))
  assert.deepEqual([error.code, error.details.param], ['conflict', 'autoTopUp'])
})

test('a second payment of one top-up is not credited, and the operator is notified', async (context) => {
  const scene = await paymentScene(context)
  const { account, id, intent } = await paid(scene, 2_000)
  const { amount, currency, customer, metadata } = scene.stripe.books.intent(intent)
  const second = scene.stripe.books.charge({ amount, currency, customer, metadata, method: 'pm_none' })
  assert.deepEqual(await scene.stripe.settled(), [done])
  assert.equal(await scene.posted(account), usd(2_000))
  const errors = scene.logged.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error')
  assert.deepEqual(
    errors.map(({ payment, topUp }) => ({ payment, topUp })),
    [{ payment: second.id, topUp: formatId('top', id) }],
  )
  const reason = `of 20.00 USD was not credited: it is the second payment of top-up ${formatId('top', id)}.`
  assert.deepEqual(await scene.open.payments.unmatched(), [{ payment: second.id, reason }])
  scene.stripe.books.refund(second.id, 2_000)
  assert.deepEqual(await scene.stripe.settled(), [done])
  assert.deepEqual(await scene.open.payments.unmatched(), [])
  assert.deepEqual(await scene.drift(), [])
})
