/**
 * A payment from the rejected request to the next one that is served: over the server's own URL, with the payment
 * provider's page clicked through; and what a process leaves that dies between credit and response.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { formatId } from '../../src/base/ids.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { makeInstallation } from '../support/gateway-process.ts'
import { asking, controlOf, personActor } from '../support/operators.ts'
import type { StripeEvent } from '../support/stripe-objects.ts'
import { type StripeServer, startStripeServer } from '../support/stripe-server.ts'

const keys = { secretKey: ['sk', 'test', 'e2e'].join('_'), webhookSecret: ['whsec', 'e2e'].join('_') }
const tenUsd = 10_000_000_000n
let stripe: StripeServer

before(async () => {
  stripe = await startStripeServer(keys)
})
after(() => stripe.close())

const variables = () => ({
  STRIPE_API_URL: stripe.origin,
  STRIPE_SECRET_KEY: keys.secretKey,
  STRIPE_WEBHOOK_SECRET: keys.webhookSecret,
})

const webhookOf = (origin: string): string => `${origin}/api/stripe/webhook`

async function ask(origin: string, key: string): Promise<number> {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-echo', messages: [{ role: 'user', content: 'hello' }] }),
  })
  await response.arrayBuffer()
  return response.status
}

function begin({ gateway }: TestGateway, account: bigint) {
  return gateway.services.payments.beginTopUp({
    account,
    email: null,
    amount: tenUsd,
    saveMethod: false,
    address: gateway.endpoints.address,
  })
}

test('402, paid at the page, and the very next request is served', async (context) => {
  const on = await testGateway({ environment: variables() })
  context.after(on.close)
  stripe.sendTo(webhookOf(on.origin))
  const { id, key } = await on.account('0')
  assert.equal(await ask(on.origin, key), 402)
  const topUp = await begin(on, id)
  const received = Promise.withResolvers<readonly string[]>()
  on.gateway.services.changes.watch(
    id,
    ({ topics }) => topics.includes('balance') && received.resolve(topics),
  )

  const page = await fetch(topUp.payUrl ?? '')
  assert.match(await page.text(), /10\.00 USD/)
  const paid = await fetch(`${topUp.payUrl}/card`, { method: 'POST', redirect: 'manual' })
  assert.match(paid.headers.get('location') ?? '', new RegExp(`top-up=${formatId('top', topUp.id)}$`))
  for (const { status } of await stripe.settled()) assert.equal(status, 200)

  assert.equal(await ask(on.origin, key), 200)
  const { posted } = await on.balance(id)
  assert.ok(posted > 0n && posted < tenUsd)
  assert.deepEqual((await on.gateway.services.ledger.verify()).drift, [])
  assert.ok((await received.promise).includes('billing'))
})

test('without a provider the webhook URL does not exist', async (context) => {
  const on = await testGateway()
  context.after(on.close)
  stripe.sendTo(webhookOf(on.origin))
  const event = stripe.books.event('checkout.session.completed', { id: 'cs_test_1' })
  assert.equal((await stripe.deliver(event)).status, 404)
})

test('a message that is not from the provider is rejected immediately', async (context) => {
  const on = await testGateway({ environment: variables() })
  context.after(on.close)
  const url = webhookOf(on.origin)
  const headers = { 'content-type': 'application/json' }
  assert.equal((await fetch(url, { method: 'POST', headers, body: '{}' })).status, 400)
  const huge = 'x'.repeat(on.gateway.deps.limits.webhookBodyBytesMax + 1)
  assert.equal((await fetch(url, { method: 'POST', headers, body: huge })).status, 413)
})

test('a process that dies between the credit and its response has credited once (E7)', async (context) => {
  const installation = makeInstallation()
  context.after(installation.remove)
  const on = await testGateway({ dataFolder: installation.dataFolder, environment: variables() })
  const { id } = await on.account('0')
  const topUp = await begin(on, id)
  await on.close()
  const account = formatId('acct', id)

  const dying = await installation.start({
    failpoint: 'after-commit-payTopUp:kill',
    environment: variables(),
  })
  stripe.sendTo(webhookOf(dying.origin))
  const session = (topUp.payUrl ?? '').split('/').at(-1) ?? ''
  stripe.books.pay(session, 'card')
  for (const { status } of await stripe.settled()) assert.equal(status, 0)
  assert.equal((await dying.ended).signal, 'SIGKILL')

  const started = await installation.start({ environment: variables() })
  stripe.sendTo(webhookOf(started.origin))
  assert.equal((await installation.ask('account.show', { account })).posted, '10.00')
  const events = stripe.books.events.filter(({ data }) =>
    JSON.stringify(data).includes(session),
  ) as StripeEvent[]
  assert.equal(events.length, 1)
  for (const event of [...events, ...events]) {
    assert.deepEqual(await stripe.deliver(event), { status: 200, body: 'done\n' })
  }
  assert.equal((await installation.ask('account.show', { account })).posted, '10.00')
  assert.deepEqual((await installation.ask('ledger.verify', {})).drift, [])
})

test('a paid top-up that is not in the restored data is credited, or an administrator is notified', async (context) => {
  const on = await testGateway({ environment: variables() })
  context.after(on.close)
  stripe.sendTo(webhookOf(on.origin))
  const { id, key } = await on.account('0')
  const newId = () => on.gateway.services.nextId()
  const pay = (account: bigint) => {
    const metadata = {
      tollgate_top_up: formatId('top', newId()),
      tollgate_account: formatId('acct', account),
    }
    const money = { amount: 1_000, currency: 'usd', customer: null, method: 'pm_none' }
    return stripe.books.charge({ ...money, metadata })
  }
  pay(id)
  const unknown = pay(newId())
  for (const { status, body } of await stripe.settled()) assert.equal(status, 200, body)
  assert.equal(await ask(on.origin, key), 200)
  assert.deepEqual((await on.gateway.services.ledger.verify()).drift, [])
  const operator = asking(controlOf(on), personActor('op', { operator: true }))
  const { warnings } = await operator.done('system.show', {})
  const told = warnings.filter((warning) => warning.startsWith(`Payment ${unknown.id} `))
  assert.equal(told.length, 1)
  assert.match(told[0] ?? '', /of 10\.00 USD was not credited: there is no account acct_/)
})
