/**
 * The operations on money as users and operators use them: their responses, checked against the contract, their
 * errors, and that another account's objects look missing. Real parts, a fake payment provider.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ControlErrorBody,
  type OperationName,
  type OperationOutput,
  operations,
} from '../../contract/operations.ts'
import { plainAsk, plainDraft } from '../../test/support/ledger-values.ts'
import { type ManualClock, manualClock } from '../../test/support/manual-clock.ts'
import { type Lifetime, temporaryDirectory } from '../../test/support/open-ledger.ts'
import { type StripeServer, startStripeServer } from '../../test/support/stripe-server.ts'
import { formatId, systemRandom } from '../base/ids.ts'
import { createLog } from '../base/log.ts'
import { readConfig } from '../config/config.ts'
import { noHint } from '../payments/reconcile.ts'
import { offlineStatus } from '../server/server-status.ts'
import { openServices, type Services } from '../server/services.ts'
import type { Actor } from './actor.ts'
import { dispatch } from './dispatch.ts'

const dayMs = 86_400_000
const address = 'http://127.0.0.1:8080'

interface Scene {
  readonly services: Services
  readonly clock: ManualClock
  readonly stripe: StripeServer | null
}

interface Payer {
  readonly id: bigint
  /** The id as text. */
  readonly account: string
  readonly actor: Extract<Actor, { kind: 'person' }>
}

async function scene(context: Lifetime, kind: 'stripe' | 'operator'): Promise<Scene> {
  const clock = manualClock()
  const folder = temporaryDirectory(context)
  const keys = { secretKey: ['sk', 'test', 'x'].join('_'), webhookSecret: ['whsec', 'x'].join('_') }
  const stripe = kind === 'stripe' ? await startStripeServer({ ...keys, nowMs: clock.wallMs }) : null
  if (stripe !== null) context.after(stripe.close)
  const config = readConfig(
    {
      TOLLGATE_DATA: folder,
      ...(stripe === null
        ? {}
        : {
            STRIPE_API_URL: stripe.origin,
            STRIPE_SECRET_KEY: keys.secretKey,
            STRIPE_WEBHOOK_SECRET: keys.webhookSecret,
          }),
    },
    folder,
  )
  assert.ok(config.kind === 'config')
  const opened = await openServices(
    { ...config.config, operator: { name: 'Gate & Co', contact: 'Write to the office' } },
    {
      clock,
      random: systemRandom,
      log: createLog({ level: 'silent' }),
      sandboxOrigin: null,
      onLost: (error) => assert.fail(error),
    },
  )
  assert.ok(opened.kind === 'open')
  context.after(opened.services.close)
  return { services: opened.services, clock, stripe }
}

let people = 0

async function payer({ services, clock }: Scene, isOperator = false): Promise<Payer> {
  people += 1
  const [id, nowMs, person] = [services.nextId(), clock.wallMs(), `person-${people}`]
  const email = `${person}@example.org`
  await services.ledger.createAccount({
    id,
    kind: 'personal',
    email,
    owner: `person:${person}`,
    name: 'Ann',
    nowMs,
  })
  const facts = { verified: true, confirmed: true, operator: isOperator, twoFactor: false, lastSeenMs: null }
  return {
    id,
    account: formatId('acct', id),
    actor: {
      kind: 'person',
      person: { id: person, name: 'Ann', email, createdMs: nowMs, ...facts },
      loginMs: nowMs,
      address: '192.0.2.7',
    },
  }
}

const ask = ({ services, clock }: Scene, actor: Actor, name: string, input: unknown) =>
  dispatch(services.control(address, offlineStatus(clock)), actor, name, input)

async function done<Name extends OperationName>(
  on: Scene,
  { actor }: Pick<Payer, 'actor'>,
  name: Name,
  input: unknown = {},
): Promise<OperationOutput<Name>> {
  const { status, body } = await ask(on, { ...actor, loginMs: on.clock.wallMs() }, name, input)
  assert.equal(status, 200, JSON.stringify(body))
  return operations[name].output.parse(body) as OperationOutput<Name>
}

async function rejected(on: Scene, { actor }: Payer, name: string, input: unknown) {
  const { status, body } = await ask(on, { ...actor, loginMs: on.clock.wallMs() }, name, input)
  const { error } = body as ControlErrorBody
  return { status, code: error.code, message: error.message, param: error.param }
}

test('without a provider billing says how credit comes', async (context) => {
  const on = await scene(context, 'operator')
  const ann = await payer(on)
  const billing = await done(on, ann, 'billing.show')
  assert.deepEqual(billing, {
    posted: '0.00',
    held: '0.00',
    available: '0.00',
    daysLeft: null,
    runsLow: false,
    payments: { kind: 'operator', contact: 'Write to the office' },
    autoTopUp: null,
    autoTopUpProblem: null,
    autoTopUpWaits: null,
    savedMethod: null,
    alertDays: null,
    invoiceTo: '',
    frozen: null,
  })
  const off = await rejected(on, ann, 'top-up.create', { amount: '10' })
  assert.deepEqual([off.status, off.code], [409, 'payments_off'])
  const auto = await rejected(on, ann, 'billing.update', { autoTopUp: { below: '5', amount: '10' } })
  assert.equal(auto.code, 'payments_off')
})

test('updated fields are stored, omitted ones stay', async (context) => {
  const on = await scene(context, 'stripe')
  const ann = await payer(on)
  const first = await done(on, ann, 'billing.update', { alertDays: 7, invoiceTo: '  Ann\nSome Street 1 ' })
  assert.deepEqual([first.alertDays, first.invoiceTo], [7, 'Ann\nSome Street 1'])
  const second = await done(on, ann, 'billing.update', { alertDays: null })
  assert.deepEqual([second.alertDays, second.invoiceTo], [null, 'Ann\nSome Street 1'])
  const never = await done(on, ann, 'billing.update', { alertDays: 0 })
  assert.deepEqual([never.alertDays, never.invoiceTo], [0, 'Ann\nSome Street 1'])
  assert.equal((await done(on, ann, 'billing.show', {})).alertDays, 0)
  assert.equal((await done(on, ann, 'billing.update', { alertDays: 7 })).alertDays, 7)
  assert.deepEqual(second.payments, { kind: 'stripe', minimum: '5.00', maximum: '1000.00', test: true })
  const auto = await rejected(on, ann, 'billing.update', { autoTopUp: { below: '5', amount: '10' } })
  assert.deepEqual([auto.status, auto.code], [409, 'conflict'])
})

test('a top-up from its page to its receipt', async (context) => {
  const on = await scene(context, 'stripe')
  const ann = await payer(on)
  const begun = await done(on, ann, 'top-up.create', { amount: '25.50', saveMethod: true })
  assert.deepEqual([begun.state, begun.amount, begun.automatic], ['open', '25.50', false])
  const session = begun.payUrl?.split('/').at(-1) ?? ''
  const { books } = on.stripe ?? assert.fail('there is a provider')
  assert.equal((await done(on, ann, 'top-up.show', { topUp: begun.id })).state, 'open')
  const { payment_intent: intent } = books.pay(session, 'card')
  const paid = await done(on, ann, 'top-up.show', { topUp: begun.id })
  assert.deepEqual([paid.state, paid.payUrl, paid.paid], ['paid', null, '2026-01-01T00:00:00.000Z'])
  const billing = await done(on, ann, 'billing.show')
  assert.deepEqual([billing.posted, billing.savedMethod], ['25.50', 'Visa ending in 4242'])
  const auto = { below: '5.00', amount: '10.00' }
  assert.deepEqual((await done(on, ann, 'billing.update', { autoTopUp: auto })).autoTopUp, auto)
  const forgotten = await done(on, ann, 'method.forget')
  assert.deepEqual([forgotten.savedMethod, forgotten.autoTopUp], [null, null])

  const receipt = await done(on, ann, 'invoice.show', { invoice: begun.id })
  assert.deepEqual(
    [receipt.seller, receipt.buyer, receipt.total],
    ['Gate & Co', `Ann\n${ann.actor.person.email}`, '25.50'],
  )
  books.refund(intent ?? '', 550)
  const [row] = await on.services.payments.topUps({ account: ann.id, limit: 1, before: null })
  await on.services.openPayments.paying?.reconcile(row?.id ?? 0n, noHint)
  const refunded = await done(on, ann, 'invoice.show', { invoice: begun.id })
  assert.deepEqual(
    [refunded.lines.map(({ text, amount }) => `${text} ${amount}`), refunded.total],
    [['Balance top-up 25.50', 'Refunded -5.50'], '20.00'],
  )
})

test('what is another’s is not there', async (context) => {
  const on = await scene(context, 'stripe')
  const [ann, bob] = [await payer(on), await payer(on)]
  const { id } = await done(on, ann, 'top-up.create', { amount: '10' })
  const made = formatId('top', on.services.nextId())
  for (const [name, input, other] of [
    ['top-up.show', { topUp: id }, { topUp: made }],
    ['invoice.show', { invoice: id }, { invoice: made }],
    ['billing.show', { account: ann.account }, { account: formatId('acct', on.services.nextId()) }],
    ['entries.list', { account: ann.account }, { account: formatId('acct', on.services.nextId()) }],
    [
      'code.redeem',
      { account: ann.account, code: 'x' },
      { account: formatId('acct', on.services.nextId()), code: 'x' },
    ],
  ] as const) {
    const [theirs, nobodys] = [await rejected(on, bob, name, input), await rejected(on, bob, name, other)]
    assert.equal(theirs.status, 404)
    const words = ({ message, ...rest }: typeof theirs) => ({
      ...rest,
      message: message.replace(/\w+_[0-9a-z]{13}/, '…'),
    })
    assert.deepEqual(words(theirs), words(nobodys))
  }
  for (const name of ['code.list', 'payments.list', 'code.create'] as const) {
    assert.equal(
      (await rejected(on, bob, name, name === 'code.create' ? { amount: '1' } : {})).code,
      'not_allowed',
    )
  }
})

test('codes from the operator to the account', async (context) => {
  const on = await scene(context, 'operator')
  const [ann, operator] = [await payer(on), await payer(on, true)]
  const made = await done(on, operator, 'code.create', { amount: '7.50', usesMax: 2, note: 'a fair' })
  assert.deepEqual(await done(on, ann, 'code.redeem', { code: made.code }), {
    amount: '7.50',
    balance: '7.50',
  })
  const again = await rejected(on, ann, 'code.redeem', { code: made.code })
  assert.deepEqual([again.status, again.code], [404, 'code_not_valid'])
  const [listed] = await done(on, operator, 'code.list')
  assert.deepEqual(
    [listed?.id, listed?.label, listed?.uses, listed?.usesMax, listed?.note, listed?.revoked],
    [made.id, made.code.slice(0, 4), 1, 2, 'a fair', null],
  )
  assert.notEqual((await done(on, operator, 'code.revoke', { code: made.id })).revoked, null)
  assert.equal((await rejected(on, operator, 'code.redeem', { code: made.code })).code, 'code_not_valid')
  const none = await rejected(on, operator, 'code.revoke', { code: formatId('code', on.services.nextId()) })
  assert.deepEqual([none.status, none.param], [404, 'code'])
})

test('an old login makes no codes', async (context) => {
  const on = await scene(context, 'operator')
  const operator = await payer(on, true)
  on.clock.setWallMs(on.clock.wallMs() + dayMs)
  const { body } = await ask(on, operator.actor, 'code.create', { amount: '1' })
  assert.equal((body as ControlErrorBody).error.code, 'login_too_old')
})

test('operators see the top-ups of all, with whose they are', async (context) => {
  const on = await scene(context, 'stripe')
  const [ann, bob, operator] = [await payer(on), await payer(on), await payer(on, true)]
  const first = await done(on, ann, 'top-up.create', { amount: '10' })
  const second = await done(on, bob, 'top-up.create', { amount: '11' })
  const all = await done(on, operator, 'payments.list')
  assert.deepEqual(
    all.map(({ id, email }) => [id, email]),
    [
      [second.id, bob.actor.person.email],
      [first.id, ann.actor.person.email],
    ],
  )
  const rest = await done(on, operator, 'payments.list', { limit: 1, before: second.id })
  assert.deepEqual(
    rest.map(({ id }) => id),
    [first.id],
  )
  const own = await done(on, ann, 'top-up.list')
  assert.deepEqual(
    own.map(({ id }) => id),
    [first.id],
  )
})

/** A credit and a request that costs `cost`, at the present moment. */
async function credit(
  { services, clock }: Scene,
  { id }: Payer,
  amount: bigint,
  note: string,
): Promise<void> {
  const entryId = services.nextId()
  const nowMs = clock.wallMs()
  const given = { entryId, account: id, amount, source: 'manual' as const, reference: String(entryId) }
  await services.ledger.credit({ ...given, nowMs, note })
}

async function use({ services, clock }: Scene, { id: account }: Payer, cost: bigint): Promise<string> {
  const id = services.nextId()
  const nowMs = clock.wallMs()
  const key = account + 1n
  await services.ledger.admit({ ...plainAsk, id, account, key, nowMs, inputAmount: cost })
  const receipt = { ...plainDraft, startedMs: nowMs }
  const closing = { id, nowMs, cost, writtenOff: 0n, receipt }
  await services.ledger.settle({ ...closing, writeOffEntryId: services.nextId() })
  return formatId('req', id)
}

test('entries are listed page by page, and written so that no cell is a formula', async (context) => {
  const on = await scene(context, 'operator')
  const ann = await payer(on)
  await credit(on, ann, 5_000_000_000n, '=HYPERLINK("x")')
  const requests: string[] = []
  for (let index = 0; index < 3; index += 1) {
    on.clock.advance(1_000)
    requests.push(await use(on, ann, 1_000_000n))
  }
  const all = await done(on, ann, 'entries.list')
  assert.deepEqual(
    all.map(({ kind, amount, balanceAfter }) => `${kind} ${amount} ${balanceAfter}`),
    ['usage -0.001 4.997', 'usage -0.001 4.998', 'usage -0.001 4.999', 'credit 5.00 5.00'],
  )
  assert.deepEqual(
    all.map(({ request }) => request),
    [...requests.toReversed(), null],
  )
  const pages: string[] = []
  for (let before: string | undefined; ; ) {
    const page = await done(on, ann, 'entries.list', {
      limit: 1,
      ...(before === undefined ? {} : { before }),
    })
    if (page[0] === undefined) break
    pages.push(page[0].id)
    before = page[0].id
  }
  assert.deepEqual(
    pages,
    all.map(({ id }) => id),
  )
  const kinds = async (input: object) => (await done(on, ann, 'entries.list', input)).map(({ kind }) => kind)
  assert.deepEqual(await kinds({ kind: 'credit' }), ['credit'])
  assert.deepEqual(await kinds({ kind: 'refund' }), [])
  assert.deepEqual(await kinds({ to: '2026-01-01T00:00:01.000Z' }), ['credit'])
  assert.deepEqual(await kinds({ from: '2026-01-01T00:00:03.000Z' }), ['usage'])

  const { name, text } = await done(on, ann, 'entries.csv')
  assert.equal(name, `entries-${ann.account}.csv`)
  const lines = text.split('\r\n')
  assert.equal(lines[0], 'id,time,kind,amount_usd,balance_after_usd,source,reference,note,request')
  assert.ok(lines[1]?.includes(',usage,-0.001,4.997,,,,req_'))
  assert.ok(lines[4]?.endsWith(`"'=HYPERLINK(""x"")",`))
})

test('the audit log is a file for operators, filtered as the list is', async (context) => {
  const on = await scene(context, 'operator')
  const [ann, operator] = [await payer(on), await payer(on, true)]
  await done(on, operator, 'code.create', { amount: '7.50', usesMax: 2, note: '=1+1' })
  const { text } = await done(on, operator, 'audit.csv', { operation: 'code.create' })
  const [header, row, ...more] = text.trim().split('\r\n')
  assert.equal(header, 'id,time,actor,operation,account,subject,outcome,address,input')
  assert.match(row ?? '', /^aud_\w+,2026-\S+Z,\S+@\S+,code\.create,,\$7\.50,done,.*,"\{.*""=1\+1"".*\}"$/)
  assert.deepEqual(more, [])
  const none = await done(on, operator, 'audit.csv', { operation: 'code.revoke' })
  assert.equal(none.text, `${header}\r\n`)
  assert.equal((await ask(on, ann.actor, 'audit.csv', {})).status, 403)
})

test('one file of entries is made for an account at a time, batch by batch', async (context) => {
  const on = await scene(context, 'operator')
  const ann = await payer(on)
  // More than one batch.
  for (let more = 0; more < 501; more += 1) await credit(on, ann, 1_000_000n, '')
  const file = () => ask(on, ann.actor, 'entries.csv', {})
  const both = await Promise.all([file(), file()])
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 503])
  const { text } = await done(on, ann, 'entries.csv')
  const ids = text.trim().split('\r\n').slice(1)
  assert.equal(new Set(ids.map((line) => line.split(',', 1)[0])).size, 501)
})

test('a month that is over has its statement, and each begins where the last one ended', async (context) => {
  const on = await scene(context, 'operator')
  const ann = await payer(on)
  await credit(on, ann, 5_000_000_000n, '')
  await use(on, ann, 1_000_000_000n)
  on.clock.setWallMs(Date.UTC(2026, 1, 15))
  await credit(on, ann, 2_000_000_000n, '')
  await use(on, ann, 500_000_000n)
  await use(on, ann, 250_000_000n)
  assert.equal((await rejected(on, ann, 'invoice.show', { invoice: '2026-02' })).code, 'invoice_not_found')
  on.clock.setWallMs(Date.UTC(2026, 3, 2))
  const listed = await done(on, ann, 'invoice.list')
  assert.deepEqual(
    listed.map(({ id, kind, total }) => `${kind === 'statement' ? id : kind} ${total}`),
    ['2026-02 1.25', 'credit 2.00', '2026-01 4.00', 'credit 5.00'],
  )
  const receipt = await done(on, ann, 'invoice.show', { invoice: listed[1]?.id ?? '' })
  assert.deepEqual([receipt.kind, receipt.total, receipt.issued], ['credit', '2.00', listed[1]?.issued])
  const bob = await payer(on)
  assert.equal(
    (await rejected(on, bob, 'invoice.show', { invoice: receipt.id })).code,
    'invoice_not_found',
    "another account's credit",
  )
  const january = await done(on, ann, 'invoice.show', { invoice: '2026-01' })
  const february = await done(on, ann, 'invoice.show', { invoice: '2026-02' })
  const march = await done(on, ann, 'invoice.show', { invoice: '2026-03' })
  const sums = ({ opening, total, closing }: typeof january) => [opening, total, closing]
  assert.deepEqual(
    [sums(january), sums(february), sums(march)],
    [
      ['0.00', '4.00', '4.00'],
      ['4.00', '1.25', '5.25'],
      ['5.25', '0.00', '5.25'],
    ],
  )
  assert.deepEqual(february.lines, [
    { text: 'Credit added by an administrator', quantity: 1, amount: '2.00' },
    { text: 'Usage: a-model', quantity: 2, amount: '-0.75' },
  ])
  assert.deepEqual([february.issued, february.from], ['2026-03-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'])
  const early = await rejected(on, ann, 'invoice.show', { invoice: '2025-12' })
  assert.deepEqual([early.status, early.code], [404, 'invoice_not_found'])
})
