/**
 * Restoring a backup, and payments made after it: each is credited once or shown to an administrator, however the server learns of
 * it. A real backup of a real ledger, the official library, a fake Stripe.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Lifetime, temporaryDirectory } from '../../test/support/open-ledger.ts'
import {
  nanoPerCent,
  type PaymentScene,
  paymentScene,
  type SceneOptions,
  type WorkingScene,
  workingScene,
} from '../../test/support/open-payments.ts'
import { formatId } from '../base/ids.ts'
import { limitDefaults } from '../config/config.ts'
import { backUp } from '../server/back-up.ts'

const usd = (cents: number): bigint => BigInt(cents) * nanoPerCent

interface Lost {
  readonly before: PaymentScene
  /** Known to the backup. */
  readonly account: bigint
  /** Paid after it. */
  readonly topUp: bigint
  readonly intent: string
  restore(options?: SceneOptions): Promise<WorkingScene>
}

/** An account with 10 USD in the backup, which then paid 20 more. */
async function lost(context: Lifetime, since?: (scene: PaymentScene) => Promise<bigint>): Promise<Lost> {
  const before = await paymentScene(context)
  const { stripe, clock } = before
  const account = await before.account()
  await pay(before, account, 1_000)
  const backup = join(temporaryDirectory(context), 'backup')
  const made = backUp(before.on.dataDirectory, backup, 10)
  assert.equal(made.kind, 'done', JSON.stringify(made))
  const { id: topUp, intent } = await pay(before, (await since?.(before)) ?? account, 2_000)
  stripe.sendTo(null)
  return {
    ...{ before, account, topUp, intent },
    restore: (options) =>
      workingScene(context, { ...options, restored: { stripe, clock, dataDirectory: backup } }),
  }
}

async function pay(scene: PaymentScene, account: bigint, cents: number, saveMethod = false) {
  const { id } = await scene.begin(account, cents, saveMethod)
  const { payment_intent: intent } = scene.stripe.books.pay(await scene.session(id), 'card')
  for (const { status, body } of await scene.stripe.settled()) assert.equal(status, 200, body)
  assert.ok(intent !== null)
  return { id, intent }
}

/** Sends every event that the provider has once more. */
async function deliverAll({ stripe }: PaymentScene): Promise<readonly number[]> {
  const statuses: number[] = []
  for (const event of stripe.books.events) statuses.push((await stripe.deliver(event)).status)
  return statuses
}

async function creditsOf(scene: PaymentScene, account: bigint) {
  const all = { kind: null, fromMs: null, toMs: null, limit: 20, before: null }
  const entries = await scene.on.ledger.entries({ account, ...all })
  return entries.map(({ source, amount, reference }) => [source, amount, reference])
}

const unmatched = async ({ open }: PaymentScene) =>
  (await open.payments.unmatched()).map(({ payment }) => payment)

/** Without a look of the server's own: the provider repeats its event, or sends it late. */
const byWebhook: SceneOptions = { limits: { missedEventsMs: 1 } }

for (const [way, options] of [
  ['on start', {}],
  ['on start, though there are more events than a look reads', { limits: { missedEventsMax: 1 } }],
  ['by a webhook', byWebhook],
] as const satisfies readonly (readonly [string, SceneOptions])[]) {
  test(`a top-up that was paid after the backup is credited once, ${way}`, async (context) => {
    const { restore, account, topUp, intent, before } = await lost(context)
    before.clock.advance(10_000)
    const scene = await restore(options)
    if (options === byWebhook) {
      assert.equal(await scene.posted(account), usd(1_000))
      assert.deepEqual(new Set(await deliverAll(scene)), new Set([200]))
    }
    for (let looks = 0; looks < 5; looks += 1) await scene.pass(limitDefaults.automaticTopUpsMs)
    assert.equal(await scene.posted(account), usd(3_000))
    assert.deepEqual((await creditsOf(scene, account))[0], ['payment', usd(2_000), intent])
    const { state, amount, createdMs } = await scene.topUp(topUp)
    const original = await before.topUp(topUp)
    assert.deepEqual([state, amount, createdMs], ['paid', usd(2_000), original.createdMs])
    await deliverAll(scene)
    await scene.pass(limitDefaults.missedEventsCheckMs)
    assert.equal(await scene.posted(account), usd(3_000))
    assert.deepEqual(await unmatched(scene), [])
    assert.deepEqual(await scene.drift(), [])
  })
}

for (const [what, change, posted] of [
  ['refunded', ({ before, intent }) => void before.stripe.books.refund(intent, 2_000), 1_000],
  [
    'refunded in two parts',
    ({ before, intent }) => {
      before.stripe.books.refund(intent, 500)
      before.stripe.books.refund(intent, 1_500)
    },
    1_000,
  ],
  ['refunded in part', ({ before, intent }) => void before.stripe.books.refund(intent, 500), 2_500],
  ['disputed', ({ before, intent }) => void before.stripe.books.dispute(intent), 1_000],
  [
    'disputed, and the dispute was won',
    ({ before, intent }) => {
      const { id } = before.stripe.books.dispute(intent)
      before.stripe.books.closeDispute(id, 'won')
    },
    3_000,
  ],
] as const satisfies readonly (readonly [string, (lost: Lost) => void, number])[]) {
  test(`a top-up that was paid after the backup and ${what} leaves ${posted} cents`, async (context) => {
    const since = await lost(context)
    change(since)
    const scene = await since.restore()
    assert.equal(await scene.posted(since.account), usd(posted))
    assert.deepEqual(new Set(await deliverAll(scene)), new Set([200]))
    assert.equal(await scene.posted(since.account), usd(posted))
    const entries = await creditsOf(scene, since.account)
    if (posted === 1_000) assert.equal(entries.length, 1, 'there is no moment in which it could be spent')
    assert.deepEqual(await unmatched(scene), [])
    assert.deepEqual(await scene.drift(), [])
  })
}

test('a dispute that ends in our favor after the restore credits what it was about', async (context) => {
  const { before, intent, account, restore } = await lost(context)
  const { books } = before.stripe
  const { id } = books.dispute(intent)
  const scene = await restore()
  assert.equal(await scene.posted(account), usd(1_000))
  books.closeDispute(id, 'won')
  await scene.stripe.settled()
  assert.equal(await scene.posted(account), usd(3_000))
  assert.deepEqual(await scene.drift(), [])
})

test('a payment of an account that is not in the backup waits for an administrator until it is refunded', async (context) => {
  const { intent, restore } = await lost(context, (scene) => scene.account())
  const scene = await restore()
  assert.deepEqual(new Set(await deliverAll(scene)), new Set([200]))
  const [waiting, ...more] = await scene.open.payments.unmatched()
  assert.deepEqual([waiting?.payment, more], [intent, []])
  assert.match(waiting?.reason ?? '', /^of 20\.00 USD was not credited: there is no account acct_/)
  scene.stripe.books.refund(intent, 500)
  await scene.stripe.settled()
  assert.deepEqual(await unmatched(scene), [intent])
  scene.stripe.books.refund(intent, 1_500)
  await scene.stripe.settled()
  assert.deepEqual(await unmatched(scene), [])
})

test('a payment that an administrator has credited by hand waits no longer, and is not credited again', async (context) => {
  const { account, topUp, intent, restore } = await lost(context)
  const other = await lost(context, (scene) => scene.account())
  for (const { on, way } of [
    { on: await restore({ secretKey: null }), way: account },
    { on: await other.restore(), way: other.account },
  ]) {
    const reference = on.stripe === other.before.stripe ? other.intent : intent
    const credit = { entryId: on.on.nextId(), account: way, amount: usd(2_000), source: 'manual' } as const
    await on.on.ledger.credit({ ...credit, reference, note: null, nowMs: on.clock.wallMs() })
    await on.on.shut()
  }
  const again = await restore()
  assert.equal(await again.posted(account), usd(3_000))
  assert.deepEqual(await creditsOf(again, account).then(([latest]) => latest?.[0]), 'manual')
  assert.notEqual((await again.topUp(topUp)).state, 'paid')
  for (const scene of [again, await other.restore()]) {
    assert.deepEqual(await unmatched(scene), [])
    assert.deepEqual(await scene.drift(), [])
  }
})

test('a copy for a drill, without the key of the provider or with another, changes nothing', async (context) => {
  const { account, restore, before } = await lost(context)
  const asked = new Map(before.stripe.asked)
  const without = await restore({ secretKey: null })
  await without.pass(limitDefaults.missedEventsCheckMs)
  assert.deepEqual(before.stripe.asked, asked)
  assert.equal(await without.posted(account), usd(1_000))
  await without.on.shut()
  const other = await restore({ secretKey: ['sk', 'test', 'drill'].join('_') })
  await other.pass(limitDefaults.missedEventsCheckMs)
  assert.equal(await other.posted(account), usd(1_000))
  assert.deepEqual(await unmatched(other), [])
})

test('an automatic top-up after the backup is credited before another card payment is asked for', async (context) => {
  const before = await workingScene(context)
  const { stripe, clock } = before
  const account = await before.account()
  await pay(before, account, 1_000, true)
  await before.open.payments.change(account, { autoTopUp: { below: usd(1_500), amount: usd(2_000) } })
  const dataDirectory = join(temporaryDirectory(context), 'backup')
  assert.equal(backUp(before.on.dataDirectory, dataDirectory, 10).kind, 'done')
  await before.pass(limitDefaults.automaticTopUpsMs)
  before.stop()
  const scene = await workingScene(context, { restored: { stripe, clock, dataDirectory } })
  for (let looks = 0; looks < 3; looks += 1) await scene.pass(limitDefaults.automaticTopUpsMs)
  assert.equal(stripe.asked.get('POST /v1/payment_intents'), 1)
  assert.equal(await scene.posted(account), usd(3_000))
})

test('a provider that is away at the start is asked again within seconds, and no card before', async (context) => {
  const { account, restore, before } = await lost(context)
  before.stripe.trouble('down')
  const scene = await restore({ limits: { stripeRetriesMax: 0 } })
  assert.equal(await scene.posted(account), usd(1_000))
  before.stripe.trouble('none')
  await scene.pass(limitDefaults.automaticTopUpsMs)
  assert.equal(await scene.posted(account), usd(3_000))
})

test('an unknown top-up that is not paid, or is another mode’s, is rejected as before', async (context) => {
  const { account, restore, before } = await lost(context)
  const { id } = await before.begin(account, 700)
  const session = before.stripe.books.session(await before.session(id))
  const scene = await restore()
  const event = before.stripe.books.event('checkout.session.expired', session)
  assert.deepEqual(await scene.stripe.deliver(event), { status: 400, body: 'no such top-up here\n' })
  const { payment_intent: intent } = before.stripe.books.pay(session.id, 'card')
  before.stripe.books.intent(intent ?? '').livemode = true
  for (const { status } of await scene.stripe.settled()) assert.equal(status, 400)
  assert.equal(await scene.open.payments.topUp(id), undefined)
  assert.equal(formatId('top', id), session.metadata.tollgate_top_up)
})
