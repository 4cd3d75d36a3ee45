/**
 * A process that is killed before or after any of its steps, and how the next one continues: every payment is
 * credited once, every refund taken once, no card charged twice, no failure left unreported. Real ledger, official library.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Stripe from 'stripe'
import { address, nanoPerCent, type PaymentScene, paymentScene } from '../../test/support/open-payments.ts'
import type { Intent, StripeEvent } from '../../test/support/stripe-objects.ts'
import { formatId } from '../base/ids.ts'
import { limitDefaults } from '../config/config.ts'
import type { Ledger } from '../ledger/types.ts'
import { topUpAutomatically } from './automatic.ts'
import { searchMissedEvents } from './missed.ts'
import { type OpenPayments, openPayments, type PaymentOptions } from './payments.ts'
import type { EmailMessage } from './types.ts'

const usd = (cents: number): bigint => BigInt(cents) * nanoPerCent
const limits = { ...limitDefaults, automaticTopUpsPerDayMax: 2 }

interface Process {
  readonly open: OpenPayments
  /** false: it lives. */
  isDead(): boolean
}

type Moment = 'before' | 'after'

/** A process that dies at step number `at`: it runs no later step and sends no further answer. */
function mortal(scene: PaymentScene, at: number, moment: Moment): Process {
  const state = { steps: 0, isDead: false }
  const step = (now: Moment): void => {
    if (!state.isDead && now === moment) state.steps += 1
    if (state.steps === at) state.isDead = true
    if (state.isDead) throw new Error('dead')
  }
  const { store, ledger } = scene.on
  const database = store.database.withPlugin({
    transformQuery({ node }) {
      step('before')
      return node
    },
    async transformResult({ result }) {
      step('after')
      return result
    },
  })
  const dying = new Proxy(ledger, {
    get: (target, name: keyof Ledger) => async (value: never) => {
      step('before')
      const answer: unknown = await (target[name] as (value: never) => Promise<unknown>)(value)
      step('after')
      return answer
    },
  })
  const options: PaymentOptions = { ...scene.options, store: { database }, ledger: dying }
  return { open: openPayments(options), isDead: () => state.isDead }
}

/** An account of a scene, and the calls that both processes get. */
interface Case {
  readonly scene: PaymentScene
  readonly account: bigint
  readonly letters: EmailMessage[]
  /** The id of the prepared payment or code. */
  readonly thing: string
  /** Delivers the provider's events about the account to a process: the `latest` ones, left out: all. */
  deliver(open: OpenPayments, latest?: number): Promise<void>
  look(open: OpenPayments): Promise<void>
}

interface Story {
  readonly text: string
  /** Leads to what the process is to do. */
  readonly prepare: (scene: PaymentScene, account: bigint) => Promise<string>
  readonly act: (open: OpenPayments, on: Case) => Promise<unknown>
  /** The work that the next process does on its own, and the call that a caller without a response repeats. */
  readonly heal: (open: OpenPayments, on: Case) => Promise<unknown>
  readonly assert: (on: Case) => Promise<void>
}

/** Delivers events as the provider sends them. */
async function deliver(
  scene: PaymentScene,
  open: OpenPayments,
  events: readonly StripeEvent[],
): Promise<void> {
  for (const event of events) {
    const payload = JSON.stringify(event)
    const secret = scene.options.stripe?.webhookSecret ?? ''
    const timestamp = Math.floor(scene.clock.wallMs() / 1_000)
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
    await open.payments.handleWebhook?.(Buffer.from(payload), signature)
  }
}

function caseOf(scene: PaymentScene, account: bigint, thing: string): Case {
  const letters: EmailMessage[] = []
  const { stripe, clock, on } = scene
  const isOurs = ({ metadata }: Intent): boolean => metadata.tollgate_account === formatId('acct', account)
  return {
    scene,
    account,
    letters,
    thing,
    deliver(open, latest = 0) {
      const ours = [...stripe.books.intents.values()].filter(isOurs)
      const events = stripe.books.events.filter(({ data }) => {
        const message = JSON.stringify(data)
        return ours.some(({ id }) => message.includes(id))
      })
      return deliver(scene, open, events.slice(-latest))
    },
    async look(open) {
      clock.setWallMs(clock.wallMs() + limits.topUpCheckMs)
      await topUpAutomatically({
        ...(open.paying ?? assert.fail('there is a provider')),
        letters: {
          async send(_account, letter) {
            letters.push(letter)
            return true
          },
        },
        account: on.ledger.account,
        address,
        limits,
      })
    },
  }
}

async function paid(
  scene: PaymentScene,
  account: bigint,
  cents: number,
  saveMethod = false,
): Promise<string> {
  const { id } = await scene.begin(account, cents, saveMethod)
  const { payment_intent: intent } = scene.stripe.books.pay(await scene.session(id), 'card')
  await scene.open.paying?.reconcile(id, { checkout: null, payment: intent })
  return intent ?? ''
}

const automatic = async ({ scene, account }: Case) =>
  (await scene.open.payments.topUps({ account, limit: 50, before: null })).filter((topUp) => topUp.automatic)

async function wanting(scene: PaymentScene, account: bigint, below: number): Promise<string> {
  const intent = await paid(scene, account, 1_000, true)
  await scene.open.payments.change(account, { autoTopUp: { below: usd(below), amount: usd(2_000) } })
  return intent
}

const stories: readonly Story[] = [
  {
    text: 'an event of a payment',
    async prepare(scene, account) {
      const { id } = await scene.begin(account, 1_000, true)
      return scene.stripe.books.pay(await scene.session(id), 'card').payment_intent ?? ''
    },
    act: (open, on) => on.deliver(open),
    heal: (open, on) => on.deliver(open),
    async assert({ scene, account }) {
      assert.equal(await scene.posted(account), usd(1_000))
      assert.equal((await scene.open.payments.setting(account)).savedMethod, 'Visa ending in 4242')
    },
  },
  {
    text: 'a top-up is begun',
    prepare: async () => '',
    act: (open, { account }) =>
      open.payments.beginTopUp({ account, email: null, amount: usd(700), saveMethod: false, address }),
    async heal(open, on) {
      const { scene, account } = on
      // Anyone with the page's URL can pay there.
      const topUps = await scene.open.payments.topUps({ account, limit: 9, before: null })
      const { sessions } = scene.stripe.books
      const pages = [...sessions.values()].filter(({ metadata }) =>
        topUps.some(({ id }) => metadata.tollgate_top_up === formatId('top', id)),
      )
      for (const { id } of pages) scene.stripe.books.pay(id, 'card')
      await on.deliver(open)
      for (const { id } of topUps) await open.paying?.reconcile(id, { checkout: null, payment: null })
      const paidOnes = pages.length
      assert.equal(await scene.posted(account), usd(700) * BigInt(paidOnes))
    },
    assert: async () => {},
  },
  {
    text: 'events of a refund, and of a dispute that is won',
    prepare: (scene, account) => paid(scene, account, 1_000),
    async act(open, on) {
      const { books } = on.scene.stripe
      books.refund(on.thing, 300)
      await on.deliver(open, 1)
      const { id } = books.dispute(on.thing)
      await on.deliver(open, 1)
      books.closeDispute(id, 'won')
      await on.deliver(open, 1)
    },
    async heal(open, on) {
      const { books } = on.scene.stripe
      for (const { id, status, payment_intent: intent } of books.disputes.values()) {
        if (intent === on.thing && status !== 'won') books.closeDispute(id, 'won')
      }
      await on.deliver(open)
    },
    async assert({ scene, account }) {
      assert.equal(await scene.posted(account), usd(700))
      assert.equal((await scene.open.payments.setting(account)).frozen, null)
      assert.equal((await scene.on.ledger.account(account))?.suspendedMs, null)
    },
  },
  {
    text: 'missed events are looked for',
    async prepare(scene, account) {
      // Earlier events of the accounts are too old to be read.
      scene.clock.setWallMs(scene.clock.wallMs() + 2 * limits.missedEventsMs)
      const intent = await paid(scene, account, 1_000)
      scene.stripe.books.refund(intent, 300)
      scene.stripe.books.refund(intent, 200)
      return intent
    },
    act: (open) => lookForMissed(open),
    heal: (open) => lookForMissed(open),
    async assert({ scene, account }) {
      assert.equal(await scene.posted(account), usd(500))
    },
  },
  {
    text: 'a balance is filled automatically',
    prepare: (scene, account) => wanting(scene, account, 1_500),
    act: (open, on) => on.look(open),
    async heal(open, on) {
      for (let looks = 0; looks < 3; looks += 1) await on.look(open)
      await on.deliver(open)
    },
    async assert(on) {
      assert.equal(await on.scene.posted(on.account), usd(3_000))
      assert.deepEqual(
        (await automatic(on)).map(({ state }) => state),
        ['paid'],
      )
    },
  },
  {
    text: 'a bank declines an automatic top-up',
    async prepare(scene, account) {
      const intent = await wanting(scene, account, 1_500)
      scene.stripe.books.bank = 'declines'
      return intent
    },
    act: (open, on) => on.look(open),
    async heal(open, on) {
      for (let looks = 0; looks < 4; looks += 1) await on.look(open)
    },
    async assert(on) {
      const [failed, ...more] = await automatic(on)
      assert.deepEqual([failed?.state, more.length], ['failed', 0])
      assert.ok(failed?.payUrl !== null, 'it can be paid by hand')
      assert.notEqual((await on.scene.open.payments.setting(on.account)).autoTopUpProblem, null)
      assert.ok(on.letters.length > 0, 'its owner was written to')
    },
  },
  {
    text: 'automatic top-ups come to the end of their day',
    async prepare(scene, account) {
      const intent = await wanting(scene, account, 1_000_000)
      const { open } = scene
      for (let looks = 0; looks < 2; looks += 1) await caseOf(scene, account, intent).look(open)
      return intent
    },
    act: (open, on) => on.look(open),
    heal: (open, on) => on.look(open),
    async assert(on) {
      assert.equal((await automatic(on)).length, 2)
      assert.notEqual((await on.scene.open.payments.setting(on.account)).autoTopUpWaitsMs, null)
      assert.ok(on.letters.length > 0, 'its owner was written to')
    },
  },
  {
    text: 'a code is redeemed',
    prepare: async (scene) =>
      (await scene.open.payments.createCode({ amount: usd(500), usesMax: 1, expiresMs: null, note: null }))
        .code,
    act: (open, { account, thing: code }) => open.payments.redeem({ account, code, address: null }),
    heal: (open, { account, thing: code }) =>
      open.payments.redeem({ account, code, address: null }).catch(() => 'it was redeemed'),
    async assert({ scene, account }) {
      assert.equal(await scene.posted(account), usd(500))
    },
  },
  {
    text: 'a method is forgotten',
    prepare: (scene, account) => wanting(scene, account, 100),
    act: (open, { account }) => open.payments.forgetMethod(account),
    heal: (open, { account }) => open.payments.forgetMethod(account),
    async assert({ scene, account, thing }) {
      const { savedMethod, autoTopUp } = await scene.open.payments.setting(account)
      assert.deepEqual([savedMethod, autoTopUp], [null, null])
      const { payment_method: method } = scene.stripe.books.intent(thing)
      assert.equal(scene.stripe.books.methods.get(method?.id ?? '')?.customer, null, 'there as well')
    },
  },
]

const lookForMissed = (open: OpenPayments): Promise<void> =>
  searchMissedEvents(
    { ...(open.paying ?? assert.fail('there is a provider')), events: open.events },
    limits,
  ).look()

/** More steps than any of these takes. */
const stepsMax = 100

for (const { text, prepare, act, heal, assert: hold } of stories) {
  test(`${text}: what a process leaves that is killed at any step is repaired by the next`, async (context) => {
    const scene = await paymentScene(context, { limits })
    scene.stripe.sendTo(null)
    let deaths = 0
    for (const moment of ['before', 'after'] as const) {
      for (let at = 1; at <= stepsMax; at += 1) {
        scene.stripe.books.bank = 'succeeds'
        const account = await scene.account()
        const on = caseOf(scene, account, await prepare(scene, account))
        const dying = mortal(scene, at, moment)
        await act(dying.open, on).catch(() => {})
        if (!dying.isDead()) break
        deaths += 1
        await heal(openPayments(scene.options), on)
        await hold(on).catch((error: unknown) => {
          throw new Error(`${moment} step ${at}: ${String(error)}`, { cause: error })
        })
        // Nothing more is wanted of it while the next one has its turn.
        await scene.open.payments.change(account, { autoTopUp: null })
      }
    }
    assert.ok(deaths > 1, `${deaths} deaths`)
    assert.deepEqual(await scene.drift(), [])
  })
}
