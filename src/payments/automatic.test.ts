/**
 * Automatic top-ups and alerts over time: who is charged, once, how a declined card is reported to the owner, and
 * what happens when the process or the provider fails in between. Real ledger, official library, manual clock.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nanoPerCent, type WorkingScene, workingScene } from '../../test/support/open-payments.ts'
import { limitDefaults } from '../config/config.ts'

const usd = (cents: number): bigint => BigInt(cents) * nanoPerCent
const dayMs = 86_400_000

/** An account with a saved card, 10 USD, and automatic top-ups of 20 USD below 15. */
async function wanting(scene: WorkingScene): Promise<bigint> {
  const account = await scene.account()
  const { id } = await scene.begin(account, 1_000, true)
  scene.stripe.books.pay(await scene.session(id), 'card')
  await scene.stripe.settled()
  await scene.open.payments.change(account, { autoTopUp: { below: usd(1_500), amount: usd(2_000) } })
  return account
}

const automaticOnes = async ({ open }: WorkingScene, account: bigint) =>
  (await open.payments.topUps({ account, limit: 50, before: null })).filter(({ automatic }) => automatic)

const textOf = ({ letters }: WorkingScene): string => letters.at(-1)?.text ?? ''

test('a balance that falls below its mark is filled, once', async (context) => {
  const scene = await workingScene(context)
  const account = await wanting(scene)
  await scene.pass(5_000)
  assert.equal(await scene.posted(account), usd(3_000))
  await scene.stripe.settled()
  for (let looks = 0; looks < 5; looks += 1) await scene.pass(5_000)
  const [topUp, ...more] = await automaticOnes(scene, account)
  assert.deepEqual([topUp?.state, topUp?.amount, more.length], ['paid', usd(2_000), 0])
  assert.equal(scene.stripe.asked.get('POST /v1/payment_intents'), 1)
  assert.deepEqual(scene.letters, [])
  assert.deepEqual(await scene.drift(), [])
})

for (const [bank, state, words] of [
  ['declines', 'failed', 'Your card has insufficient funds.'],
  ['wants_authentication', 'action_required', 'Your bank wants you to confirm this payment.'],
] as const) {
  test(`a bank that ${bank}: the owner is notified and pays at a page; until then nothing is charged`, async (context) => {
    const scene = await workingScene(context)
    const account = await wanting(scene)
    scene.stripe.books.bank = bank
    await scene.pass(5_000)
    await scene.stripe.settled()
    const [topUp] = await automaticOnes(scene, account)
    assert.deepEqual([topUp?.state, topUp?.problem], [state, words])
    assert.equal((await scene.open.payments.setting(account)).autoTopUpProblem, words)
    assert.equal(scene.letters.length, 1)
    assert.match(scene.letters[0]?.text ?? '', /automatic top-up of \$20\.00 failed/)
    for (let looks = 0; looks < 5; looks += 1) await scene.pass(5_000)
    assert.equal((await automaticOnes(scene, account)).length, 1)
    assert.ok([...scene.stripe.books.intents.values()].some(({ status }) => status === 'canceled'))

    scene.stripe.books.pay(await scene.session(topUp?.id ?? 0n), 'card')
    await scene.stripe.settled()
    assert.equal((await scene.topUp(topUp?.id ?? 0n)).state, 'paid')
    assert.equal(await scene.posted(account), usd(3_000))
    assert.equal((await scene.open.payments.setting(account)).autoTopUpProblem, null)
    assert.deepEqual(await scene.drift(), [])
  })
}

test('a transfer that fails later is reported like a declined card', async (context) => {
  const scene = await workingScene(context)
  const account = await wanting(scene)
  scene.stripe.books.bank = 'processes'
  await scene.pass(5_000)
  const [begun] = await automaticOnes(scene, account)
  const { paymentIntent = null } = (await scene.open.paying?.topUps.find(begun?.id ?? 0n)) ?? {}
  scene.stripe.books.fail(paymentIntent ?? '')
  await scene.stripe.settled()
  await scene.pass(limitDefaults.topUpCheckMs)
  await scene.pass(limitDefaults.automaticTopUpsMs)
  const [failed, ...more] = await automaticOnes(scene, account)
  assert.deepEqual(
    [failed?.state, failed?.problem, more.length],
    ['failed', 'The transfer did not arrive.', 0],
  )
  assert.ok(failed?.payUrl !== null)
  assert.equal(scene.letters.length, 1)
  assert.equal((await scene.open.payments.setting(account)).autoTopUpProblem, 'The transfer did not arrive.')
})

for (const [text, daysLater] of [
  ['at once', 0],
  ['after days', 5],
] as const) {
  test(`a transfer that fails ${text} is followed by no other charge`, async (context) => {
    const scene = await workingScene(context)
    const account = await wanting(scene)
    scene.stripe.books.bank = 'processes'
    await scene.pass(5_000)
    const [begun] = await automaticOnes(scene, account)
    scene.clock.setWallMs(scene.clock.wallMs() + daysLater * dayMs)
    const { paymentIntent = null } = (await scene.open.paying?.topUps.find(begun?.id ?? 0n)) ?? {}
    scene.stripe.books.fail(paymentIntent ?? '')
    await scene.stripe.settled()
    for (let looks = 0; looks < 3; looks += 1) await scene.pass(limitDefaults.automaticTopUpsMs)
    assert.equal((await automaticOnes(scene, account)).length, 1)
    for (let looks = 0; looks < 3; looks += 1) await scene.pass(limitDefaults.topUpCheckMs)
    const [failed, ...more] = await automaticOnes(scene, account)
    assert.deepEqual([failed?.state, failed?.payUrl === null, more.length], ['failed', false, 0])
    assert.equal(scene.letters.length, 1)
    assert.equal(
      (await scene.open.payments.setting(account)).autoTopUpProblem,
      'The transfer did not arrive.',
    )
  })
}

test('a charge whose answer was lost, requested again with another card, is not a failed charge', async (context) => {
  const scene = await workingScene(context, { limits: { stripeRetriesMax: 1 } })
  const account = await wanting(scene)
  scene.stripe.sendTo(null)
  scene.stripe.trouble('lost')
  await scene.pass(5_000)
  scene.stripe.trouble('none')
  const saved = { customer: [...scene.stripe.books.customers.keys()][0] ?? '', method: 'pm_2', words: 'Visa' }
  await scene.open.billing.keepMethod(account, 'test', saved)
  await scene.pass(5_000)
  const [begun, ...more] = await automaticOnes(scene, account)
  assert.deepEqual([begun?.state, begun?.payUrl, more.length], ['open', null, 0])
  assert.deepEqual(scene.letters, [])
  scene.stripe.sendTo(scene.webhookUrl)
  const event = scene.stripe.books.events.findLast(({ type }) => type === 'payment_intent.succeeded')
  await scene.stripe.deliver(event ?? assert.fail('it succeeded'))
  assert.equal(await scene.posted(account), usd(3_000))
  assert.equal((await automaticOnes(scene, account))[0]?.state, 'paid')
})

test('a charge that was reported as failed and succeeded gets no page to pay it again', async (context) => {
  const scene = await workingScene(context)
  const account = await wanting(scene)
  scene.stripe.sendTo(null)
  scene.stripe.books.bank = 'processes'
  await scene.pass(5_000)
  const [begun] = await automaticOnes(scene, account)
  const { topUps } = scene.open.paying ?? assert.fail('there is a provider')
  const { paymentIntent } = (await topUps.find(begun?.id ?? 0n)) ?? assert.fail('it was begun')
  await topUps.note(begun?.id ?? 0n, { state: 'failed', problem: 'No.' }, 1)
  const intent = scene.stripe.books.intent(paymentIntent ?? '')
  intent.status = 'succeeded'
  intent.amount_received = intent.amount
  await scene.pass(5_000)
  const [topUp, ...more] = await automaticOnes(scene, account)
  assert.deepEqual([topUp?.state, topUp?.payUrl, more.length], ['paid', null, 0])
  assert.equal(await scene.posted(account), usd(3_000))
  assert.equal(scene.stripe.asked.get('POST /v1/checkout/sessions'), 1)
})

for (const state of ['open', 'failed', 'processing'] as const) {
  test(`an automatic top-up of the other mode that is ${state} gets no page and stops no other`, async (context) => {
    const scene = await workingScene(context)
    const account = await wanting(scene)
    const { topUps } = scene.open.paying ?? assert.fail('there is a provider')
    const nowMs = scene.clock.wallMs() - limitDefaults.topUpCheckMs
    const draft = { id: 77n, account, amount: usd(2_000), mode: 'live' as const, provider: 'stripe', nowMs }
    await topUps.insertOpen({ ...draft, automatic: true, saveMethod: false }, 1)
    const paymentIntent = state === 'processing' ? { paymentIntent: 'pi_other' } : {}
    await topUps.note(77n, { state, ...paymentIntent }, nowMs)
    await scene.pass(5_000)
    assert.equal((await scene.topUp(77n)).payUrl, null)
    assert.equal((await automaticOnes(scene, account)).length, 2)
    assert.equal(await scene.posted(account), usd(3_000))
    assert.deepEqual(scene.letters, [])
  })
}

test('a transfer under way is waited for', async (context) => {
  const scene = await workingScene(context)
  const account = await wanting(scene)
  scene.stripe.books.bank = 'processes'
  for (let looks = 0; looks < 5; looks += 1) await scene.pass(5_000)
  const [topUp, ...more] = await automaticOnes(scene, account)
  assert.deepEqual([topUp?.state, more.length], ['processing', 0])
})

test('an account whose automatic top-ups wait for the next day is notified of it, once, with the time', async (context) => {
  const scene = await workingScene(context, { limits: { automaticTopUpsPerDayMax: 2 } })
  const account = await wanting(scene)
  const below = usd(1_000_000)
  await scene.open.payments.change(account, { autoTopUp: { below, amount: usd(500) } })
  const waits = async () => (await scene.open.payments.setting(account)).autoTopUpWaitsMs
  await scene.pass(5_000)
  const [first] = await automaticOnes(scene, account)
  assert.equal(await waits(), null)
  for (let looks = 0; looks < 5; looks += 1) await scene.pass(5_000)
  assert.equal(await waits(), (first?.createdMs ?? 0) + dayMs)
  assert.equal(scene.letters.length, 1)
  assert.match(textOf(scene), /limit of 2 automatic top-ups in 24 hours/)
  // A later start knows it still.
  assert.equal((await automaticOnes(scene, account)).length, 2)
  await scene.pass(dayMs)
  await scene.pass(5_000)
  assert.equal((await automaticOnes(scene, account)).length, 4)
  for (let looks = 0; looks < 3; looks += 1) await scene.pass(5_000)
  assert.equal(scene.letters.length, 2)
  await scene.open.payments.change(account, { autoTopUp: null })
  assert.equal(await waits(), null)
})

test('so many a day, and the next day again', async (context) => {
  const scene = await workingScene(context, { limits: { automaticTopUpsPerDayMax: 2 } })
  const account = await wanting(scene)
  await scene.open.payments.change(account, { autoTopUp: { below: usd(1_000_000), amount: usd(500) } })
  for (let looks = 0; looks < 5; looks += 1) await scene.pass(5_000)
  assert.equal((await automaticOnes(scene, account)).length, 2)
  await scene.pass(dayMs)
  for (let looks = 0; looks < 5; looks += 1) await scene.pass(5_000)
  assert.equal((await automaticOnes(scene, account)).length, 4)
  assert.equal(await scene.posted(account), usd(3_000))
})

test('an answer that was lost is asked for again and charges once', async (context) => {
  const scene = await workingScene(context, { limits: { stripeRetriesMax: 1 } })
  const account = await wanting(scene)
  scene.stripe.sendTo(null)
  scene.stripe.trouble('lost')
  await scene.pass(5_000)
  assert.equal(await scene.posted(account), usd(1_000))
  assert.deepEqual(
    (await automaticOnes(scene, account)).map(({ state }) => state),
    ['open'],
  )
  scene.stripe.trouble('none')
  await scene.pass(5_000)
  assert.equal(await scene.posted(account), usd(3_000))
  assert.equal(scene.stripe.books.intents.size, 2)
})

test('what never reached the provider is not charged a day later', async (context) => {
  const scene = await workingScene(context, { limits: { stripeRetriesMax: 1 } })
  const account = await wanting(scene)
  scene.stripe.trouble('down')
  await scene.pass(5_000)
  await scene.open.payments.change(account, { autoTopUp: null })
  scene.clock.setWallMs(scene.clock.wallMs() + dayMs)
  scene.stripe.trouble('none')
  await scene.pass(5_000)
  assert.deepEqual(
    (await automaticOnes(scene, account)).map(({ state }) => state),
    ['expired'],
  )
  assert.equal(await scene.posted(account), usd(1_000))
})

test('a frozen account is not charged', async (context) => {
  const scene = await workingScene(context)
  const account = await wanting(scene)
  await scene.on.ledger.suspend(account, 1)
  await scene.pass(5_000)
  assert.deepEqual(await automaticOnes(scene, account), [])
})

test('a payment without an event is found by polling', async (context) => {
  const scene = await workingScene(context)
  const account = await scene.account()
  const { id } = await scene.begin(account, 1_000)
  scene.stripe.sendTo(null)
  scene.stripe.books.pay(await scene.session(id), 'card')
  await scene.pass(5_000)
  assert.equal((await scene.topUp(id)).state, 'open')
  await scene.pass(limitDefaults.topUpCheckMs)
  assert.equal((await scene.topUp(id)).state, 'paid')
  assert.equal(await scene.posted(account), usd(1_000))
})

test('refunds and disputes without an event are found by polling, once each, and also those that failed', async (context) => {
  const scene = await workingScene(context)
  const { books } = scene.stripe
  const topUp = async () => {
    const account = await scene.account()
    const { id } = await scene.begin(account, 1_000)
    const { payment_intent: intent } = books.pay(await scene.session(id), 'card')
    await scene.stripe.settled()
    return { account, id, intent: intent ?? '' }
  }
  const [refunded, disputed] = [await topUp(), await topUp()]
  const refund = books.refund(refunded.intent, 400, 'pending')
  await scene.stripe.settled()
  assert.equal(await scene.posted(refunded.account), usd(600))
  scene.stripe.sendTo(null)
  books.refund(refunded.intent, 100)
  books.failRefund(refund.id)
  books.dispute(disputed.intent)
  const asked = () => scene.stripe.asked.get('GET /v1/refunds') ?? 0
  const before = asked()
  await scene.pass(limitDefaults.missedEventsCheckMs)
  assert.equal(await scene.posted(refunded.account), usd(900))
  assert.equal((await scene.topUp(disputed.id)).state, 'disputed')
  assert.notEqual((await scene.on.ledger.account(disputed.account))?.suspendedMs, null)
  const after = asked()
  assert.equal(after - before, 3)
  await scene.pass(limitDefaults.missedEventsCheckMs)
  assert.equal(asked(), after)
  assert.deepEqual(await scene.drift(), [])
})

test('more missed events than one look takes are carried out by the looks after it', async (context) => {
  const scene = await workingScene(context, { limits: { missedEventsMax: 2 } })
  const account = await scene.account()
  const { id } = await scene.begin(account, 1_000)
  const { payment_intent: intent } = scene.stripe.books.pay(await scene.session(id), 'card')
  await scene.stripe.settled()
  scene.stripe.sendTo(null)
  const events = async () =>
    (await scene.on.store.database.selectFrom('webhook_event').select('id').execute()).length
  const before = await events()
  for (let refunds = 0; refunds < 5; refunds += 1) scene.stripe.books.refund(intent ?? '', 100)
  for (const carriedOut of [2, 4, 5, 5]) {
    await scene.pass(limitDefaults.missedEventsCheckMs)
    assert.equal(await events(), before + carriedOut)
  }
  assert.equal(await scene.posted(account), usd(500))
})

test('an event about another installation, or a wrong one, is reported once and stops no other', async (context) => {
  const scene = await workingScene(context)
  const account = await scene.account()
  const { id } = await scene.begin(account, 1_000)
  const { books } = scene.stripe
  const { payment_intent: intent } = books.pay(await scene.session(id), 'card')
  await scene.stripe.settled()
  scene.stripe.sendTo(null)
  const foreign = { amount: 500, currency: 'usd', customer: null, metadata: {}, method: 'pm_none' }
  books.refund(books.charge(foreign).id, 500)
  const refund = books.refund(intent ?? '', 300)
  refund.currency = 'eur'
  books.refund(intent ?? '', 200)
  for (let looks = 0; looks < 3; looks += 1) await scene.pass(limitDefaults.missedEventsCheckMs)
  assert.equal(await scene.posted(account), usd(800))
  const errors = scene.logged.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error')
  assert.deepEqual(
    errors.map(({ reason }) => reason),
    [`${refund.id} does not fit`, `${refund.id} does not fit`],
  )
})

test('a provider that is away leaves what was missed for the next look', async (context) => {
  const scene = await workingScene(context, { limits: { stripeRetriesMax: 0 } })
  const account = await scene.account()
  const { id } = await scene.begin(account, 1_000)
  const { payment_intent: intent } = scene.stripe.books.pay(await scene.session(id), 'card')
  await scene.stripe.settled()
  scene.stripe.sendTo(null)
  scene.stripe.books.refund(intent ?? '', 300)
  scene.stripe.trouble('down')
  await scene.pass(limitDefaults.missedEventsCheckMs)
  assert.equal(await scene.posted(account), usd(1_000))
  scene.stripe.trouble('none')
  await scene.pass(limitDefaults.missedEventsCheckMs)
  assert.equal(await scene.posted(account), usd(700))
})

test('one top-up that the provider does not know keeps no other waiting', async (context) => {
  const scene = await workingScene(context, { limits: { topUpsCheckedMax: 1 } })
  const account = await scene.account()
  const lost = await scene.begin(account, 1_000)
  scene.stripe.books.sessions.clear()
  const { id } = await scene.begin(account, 1_000)
  scene.stripe.sendTo(null)
  scene.stripe.books.pay(await scene.session(id), 'card')
  for (let looks = 0; looks < 3; looks += 1) await scene.pass(limitDefaults.topUpCheckMs)
  assert.equal((await scene.topUp(id)).state, 'paid')
  assert.equal((await scene.topUp(lost.id)).state, 'open')
})

test('a row that never got its page expires', async (context) => {
  const scene = await workingScene(context)
  const account = await scene.account()
  const draft = { account, amount: usd(500), mode: 'test' as const, provider: 'stripe' }
  const nowMs = scene.clock.wallMs()
  const { topUps } = scene.open.paying ?? assert.fail('there is a provider')
  await topUps.insertOpen({ ...draft, id: 77n, automatic: false, saveMethod: false, nowMs }, 1)
  await scene.pass(limitDefaults.topUpCheckMs)
  assert.equal((await scene.topUp(77n)).state, 'open')
  scene.clock.setWallMs(nowMs + limitDefaults.checkoutMs)
  await scene.pass(limitDefaults.topUpCheckMs)
  assert.equal((await scene.topUp(77n)).state, 'expired')
})

test('a warning is sent once, and again after a credit', async (context) => {
  const scene = await workingScene(context)
  const account = await wanting(scene)
  await scene.open.payments.change(account, { autoTopUp: null, alertDays: 7 })
  scene.rate.days = 20
  await scene.pass(limitDefaults.alertCheckMs)
  assert.deepEqual(scene.letters, [])
  scene.rate.days = 3.5
  for (let looks = 0; looks < 3; looks += 1) await scene.pass(limitDefaults.alertCheckMs)
  assert.equal(scene.letters.length, 1)
  assert.match(textOf(scene), /will last about 3 days/)
  scene.rate.days = 9
  await scene.pass(limitDefaults.alertCheckMs)
  scene.rate.days = 0.5
  await scene.pass(limitDefaults.alertCheckMs)
  assert.equal(scene.letters.length, 2)
  assert.match(textOf(scene), /will last less than a day/)
  const { id } = await scene.begin(account, 500)
  scene.stripe.books.pay(await scene.session(id), 'card')
  await scene.stripe.settled()
  await scene.pass(limitDefaults.alertCheckMs)
  assert.equal(scene.letters.length, 3)
})

test('work that was stopped begins no more', async (context) => {
  const scene = await workingScene(context)
  await wanting(scene)
  scene.stop()
  await scene.pass(dayMs)
  assert.equal(scene.stripe.asked.get('POST /v1/payment_intents'), undefined)
})

test('events that were carried out are forgotten after their time', async (context) => {
  const scene = await workingScene(context)
  const { id } = await scene.begin(await scene.account(), 1_000)
  scene.stripe.books.pay(await scene.session(id), 'card')
  await scene.stripe.settled()
  const count = async () =>
    (await scene.on.store.database.selectFrom('webhook_event').select('id').execute()).length
  assert.equal(await count(), 2)
  scene.clock.setWallMs(scene.clock.wallMs() + limitDefaults.webhookEventsKeptMs)
  await scene.pass(limitDefaults.topUpCheckMs)
  assert.equal(await count(), 0)
})
