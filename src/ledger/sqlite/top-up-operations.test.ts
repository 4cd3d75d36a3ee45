/** Top-ups in the ledger: paid, returned and restored only once, and the inputs that each rejects. Real database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Lifetime, openTestLedger, type TestLedger } from '../../../test/support/open-ledger.ts'
import { insertTopUp } from '../../../test/support/top-up-rows.ts'
import type { PayInput, RestoreInput, ReturnInput } from '../payment-types.ts'

const account = 11n
const nowMs = 5

async function scene(context: Lifetime): Promise<TestLedger> {
  const on = await openTestLedger(context)
  await on.ledger.createAccount({ id: account, kind: 'personal', email: null, name: 'n', nowMs })
  await insertTopUp(on.store, { id: 1n, account, amount: 100n })
  await insertTopUp(on.store, { id: 2n, account, amount: 100n })
  return on
}

const pay = ({ ledger, nextId }: TestLedger, ask: Partial<PayInput> = {}) =>
  ledger.payTopUp({ entryId: nextId(), topUp: 1n, paymentIntent: 'pi_1', nowMs, ...ask })
const take = ({ ledger, nextId }: TestLedger, ask: Partial<ReturnInput> = {}) =>
  ledger.returnTopUp({
    entryId: nextId(),
    topUp: 1n,
    source: 'refund',
    reference: 're_1',
    amount: 40n,
    nowMs,
    note: null,
    freeze: null,
    ...ask,
  })
const give = ({ ledger, nextId }: TestLedger, ask: Partial<RestoreInput> = {}) =>
  ledger.restoreTopUp({ entryId: nextId(), source: 'refund', reference: 're_1', nowMs, ...ask })
const posted = async ({ ledger }: TestLedger) => (await ledger.account(account))?.posted
const drift = async ({ ledger }: TestLedger) => (await ledger.verify()).drift

test('two hundred who say that it was paid credit it once', async (context) => {
  const on = await scene(context)
  const results = await Promise.all(Array.from({ length: 200 }, () => pay(on)))
  assert.equal(results.filter((result) => result.kind === 'paid' && result.created).length, 1)
  assert.ok(results.every(({ kind }) => kind === 'paid'))
  assert.equal(await posted(on), 100n)
  assert.deepEqual(await drift(on), [])
})

test('a payment pays for one top-up, and a top-up is paid by one payment', async (context) => {
  const on = await scene(context)
  assert.equal((await pay(on)).kind, 'paid')
  assert.equal((await pay(on, { paymentIntent: 'pi_2' })).kind, 'conflict')
  assert.equal((await pay(on, { topUp: 2n })).kind, 'conflict')
  assert.equal((await pay(on, { topUp: 3n })).kind, 'no_top_up')
  assert.equal(await posted(on), 100n)
})

test('what was not paid is not taken back, and no more than was paid', async (context) => {
  const on = await scene(context)
  assert.equal((await take(on)).kind, 'not_paid')
  assert.equal((await take(on, { topUp: 9n })).kind, 'not_paid')
  await pay(on)
  assert.equal((await take(on, { amount: 101n })).kind, 'conflict')
  assert.equal((await take(on)).kind, 'returned')
  assert.equal((await take(on, { amount: 41n })).kind, 'conflict')
  assert.equal((await take(on, { reference: 're_2', amount: 61n })).kind, 'conflict')
  assert.equal(await posted(on), 60n)
  assert.deepEqual(await drift(on), [])
})

test('a bank that takes more than was paid takes it from the account, which owes it, and gives all of it back', async (context) => {
  const on = await scene(context)
  await pay(on)
  await take(on)
  const dispute = { source: 'dispute' as const, freeze: 'disputed' }
  const row = () =>
    on.store.database
      .selectFrom('top_up')
      .select(['state', 'refunded', 'disputed'])
      .where('id', '=', 1n)
      .executeTakeFirst()
  assert.equal((await take(on, { ...dispute, reference: 'du_1', amount: 130n })).kind, 'returned')
  assert.equal(await posted(on), -70n)
  assert.equal((await on.ledger.account(account))?.suspendedMs, nowMs)
  assert.deepEqual(await row(), { state: 'disputed', refunded: 40n, disputed: 100n })
  assert.deepEqual(await drift(on), [])
  assert.equal((await take(on, { ...dispute, reference: 'du_2', amount: 50n })).kind, 'returned')
  assert.equal(await posted(on), -120n)
  assert.equal((await on.ledger.platformBalances()).clearing, 120n)
  assert.deepEqual(await drift(on), [])
  await give(on, { source: 'dispute', reference: 'du_1' })
  assert.deepEqual(await row(), { state: 'disputed', refunded: 40n, disputed: 50n })
  assert.equal((await on.ledger.account(account))?.suspendedMs, nowMs)
  await give(on, { source: 'dispute', reference: 'du_2' })
  assert.deepEqual(await row(), { state: 'partly_refunded', refunded: 40n, disputed: 0n })
  assert.equal((await on.ledger.account(account))?.suspendedMs, null)
  assert.equal(await posted(on), 60n)
  assert.deepEqual(await drift(on), [])
})

test('a refund counts once, and comes back once', async (context) => {
  const on = await scene(context)
  await pay(on)
  assert.deepEqual(await give(on), { kind: 'nothing' })
  const taken = await Promise.all(Array.from({ length: 50 }, () => take(on)))
  assert.equal(taken.filter((result) => result.kind === 'returned' && result.created).length, 1)
  assert.equal(await posted(on), 60n)
  const given = await Promise.all(Array.from({ length: 50 }, () => give(on)))
  assert.equal(given.filter((result) => result.kind === 'restored' && result.created).length, 1)
  assert.equal(await posted(on), 100n)
  const again = await take(on)
  assert.ok(again.kind === 'returned' && !again.created)
  assert.equal(await posted(on), 100n)
  assert.deepEqual(await drift(on), [])
})

test('a dispute suspends the account once, and not again after an operator resumed it', async (context) => {
  const on = await scene(context)
  const stopped: bigint[] = []
  on.ledger.onSuspended((id) => stopped.push(id))
  await pay(on)
  const dispute = { source: 'dispute' as const, reference: 'du_1', freeze: 'disputed' }
  await take(on, dispute)
  assert.deepEqual(stopped, [account])
  assert.equal((await on.ledger.account(account))?.suspendedMs, nowMs)
  await on.ledger.suspend(account, null)
  await take(on, dispute)
  assert.deepEqual(stopped, [account])
  assert.equal((await on.ledger.account(account))?.suspendedMs, null)
})

test('an account stays frozen until its last dispute is over', async (context) => {
  const on = await scene(context)
  await pay(on)
  await pay(on, { topUp: 2n, paymentIntent: 'pi_2' })
  const dispute = { source: 'dispute' as const, freeze: 'disputed' }
  await take(on, { ...dispute, reference: 'du_1' })
  await take(on, { ...dispute, reference: 'du_2', topUp: 2n })
  const suspendedMs = async () => (await on.ledger.account(account))?.suspendedMs
  await give(on, { source: 'dispute', reference: 'du_1' })
  assert.equal(await suspendedMs(), nowMs)
  await give(on, { source: 'dispute', reference: 'du_2' })
  assert.equal(await suspendedMs(), null)
  assert.equal(await posted(on), 200n)
  assert.deepEqual(await drift(on), [])
})

test('a dispute that was won and is lost after all takes the money again, each turn once', async (context) => {
  const on = await scene(context)
  await pay(on)
  const dispute = { source: 'dispute' as const, reference: 'du_1' }
  for (let turn = 0; turn < 3; turn += 1) {
    const taken = await Promise.all(
      Array.from({ length: 5 }, () => take(on, { ...dispute, freeze: 'disputed' })),
    )
    assert.equal(taken.filter((result) => result.kind === 'returned' && result.created).length, 1)
    assert.equal(await posted(on), 60n)
    assert.equal((await on.ledger.account(account))?.suspendedMs, nowMs)
    assert.deepEqual(await drift(on), [])
    const given = await Promise.all(Array.from({ length: 5 }, () => give(on, dispute)))
    assert.equal(given.filter((result) => result.kind === 'restored' && result.created).length, 1)
    assert.equal(await posted(on), 100n)
    assert.equal((await on.ledger.account(account))?.suspendedMs, null)
    assert.deepEqual(await drift(on), [])
  }
})
