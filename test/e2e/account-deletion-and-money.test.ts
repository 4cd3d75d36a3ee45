/** Saved cards and suspended accounts when users delete themselves, or are not allowed to. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseId } from '../../src/base/ids.ts'
import { ControlClient } from '../support/control-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { insertTopUp } from '../support/top-up-rows.ts'
import { joined, type Member, password, signedIn } from '../support/two-tenants.ts'

let gateway: TestGateway
let operator: Member

before(async () => {
  gateway = await testGateway({ limits: { uniformAnswerMs: 1 } })
  const { start } = gateway.gateway
  assert.ok(start.kind === 'first')
  const client = new ControlClient(gateway.origin)
  const token = new URL(start.setupLink).searchParams.get('token') ?? ''
  const email = 'operator@example.org'
  await client.done('setup.claim', { token, name: 'operator', email, password })
  operator = await signedIn(client, email)
})
after(() => gateway.close())

const idOf = ({ account }: Pick<Member, 'account'>): bigint =>
  parseId('acct', account) ?? assert.fail('an account')

/** An account with a card and automatic top-ups. */
async function saveCard(account: bigint): Promise<void> {
  const { database } = gateway.gateway.services.store
  const card = { customer: 'cus_1', method: 'pm_1', words: 'Visa ending in 4242' }
  await database
    .insertInto('payment_method')
    .values({ account, mode: 'test', ...card })
    .execute()
  const none = { auto_problem: null, alert_days: null, alert_sent_ms: null, frozen: null, frozen_ms: null }
  await database
    .insertInto('billing_setting')
    .values({ account, ...none, auto_below: 5n, auto_amount: 10n })
    .execute()
}

const setting = async (account: bigint) => {
  const { autoTopUp, savedMethod } = await gateway.gateway.services.payments.setting(account)
  return { autoTopUp, savedMethod }
}

test('deleting a person removes the saved cards of their accounts', async () => {
  const person = await joined(gateway.origin, 'gone')
  const made = await person.client.post('/api/auth/organization/create', { name: 'Alone', slug: 'alone' })
  assert.equal(made.status, 200, made.text)
  const { accounts } = await person.client.done('me.show', {})
  const owned = accounts.map(idOf)
  assert.equal(owned.length, 2)
  for (const account of owned) await saveCard(account)
  await person.client.done('me.delete', { email: person.email })
  for (const account of owned) {
    assert.deepEqual(await setting(account), { autoTopUp: null, savedMethod: null })
  }
})

test('a user who cannot be deleted stays suspended, and is resumed when the dispute ends', async () => {
  const { store, ledger, nextId } = gateway.gateway.services
  const account = idOf(operator)
  const topUp = nextId()
  const nowMs = 5
  await insertTopUp(store, { id: topUp, account, amount: 100n })
  await ledger.payTopUp({ entryId: nextId(), topUp, paymentIntent: 'pi_1', nowMs })
  const dispute = { source: 'dispute', reference: 'du_1', nowMs } as const
  const taken = { ...dispute, topUp, amount: 100n, note: null, freeze: 'disputed' }
  const suspendedMs = async () => (await ledger.account(account))?.suspendedMs
  const rejected = async () => {
    const answer = await operator.client.ask('me.delete', { email: operator.email })
    assert.equal(answer.status, 409, answer.text)
  }
  await ledger.returnTopUp({ ...taken, entryId: nextId() })
  await rejected()
  assert.equal(await suspendedMs(), nowMs)
  await ledger.restoreTopUp({ ...dispute, entryId: nextId() })
  assert.equal(await suspendedMs(), null)
  await rejected()
  assert.equal(await suspendedMs(), null)
})
