/** A rotation does not reset a budget: keys that share one usage row spend, reserve and are limited as one. Real database. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { plainAsk, plainDraft } from '../../../test/support/ledger-values.ts'
import { manualClock } from '../../../test/support/manual-clock.ts'
import { openTestLedger } from '../../../test/support/open-ledger.ts'

async function prepare(context: TestContext) {
  const clock = manualClock()
  const { ledger, nextId, store } = await openTestLedger(context, { clock })
  const account = nextId()
  await ledger.createAccount({ id: account, kind: 'personal', email: null, name: 'x', nowMs: clock.wallMs() })
  await ledger.credit({
    entryId: nextId(),
    account,
    amount: 1_000n,
    source: 'manual',
    reference: 'one',
    nowMs: clock.wallMs(),
    note: null,
  })
  const common = { ...plainAsk, account, nowMs: clock.wallMs() }
  return {
    account,
    ledger,
    nextId,
    store,
    clock,
    admit: async (key: bigint, inputAmount: bigint, more: Partial<typeof plainAsk> = {}) => {
      const id = nextId()
      const keyBudget = { amount: 100n, window: 'month' } as const
      return { id, answer: await ledger.admit({ ...common, id, key, inputAmount, keyBudget, ...more }) }
    },
    settle: (id: bigint, cost: bigint) =>
      ledger.settle({
        id,
        nowMs: clock.wallMs(),
        cost,
        writtenOff: 0n,
        writeOffEntryId: nextId(),
        receipt: plainDraft,
      }),
    spent: async (key: bigint) => (await ledger.keySpend(key, 'month', clock.wallMs())).spent,
  }
}

test('what one key spent or holds is gone from the budget of the other, along a chain of rotations', async (context) => {
  const { admit, settle, ledger, account, nextId, spent } = await prepare(context)
  const [first, second, third] = [nextId(), nextId(), nextId()]
  const paid = await admit(first, 60n)
  assert.equal(paid.answer.kind, 'held')
  await settle(paid.id, 60n)
  await ledger.shareKeyUsage(second, first, account)
  await ledger.shareKeyUsage(third, second, account)
  for (const key of [first, second, third]) assert.equal(await spent(key), 60n)
  assert.equal((await admit(third, 41n)).answer.kind, 'insufficient_funds')
  const held = await admit(second, 30n)
  assert.equal(held.answer.kind, 'held')
  assert.equal((await admit(third, 11n)).answer.kind, 'insufficient_funds')
  const other = await admit(first, 10n)
  assert.equal(other.answer.kind, 'held')
  await settle(held.id, 30n)
  await ledger.release(other.id)
  for (const key of [first, second, third]) assert.equal(await spent(key), 90n)
  assert.deepEqual((await ledger.verify()).drift, [])
})

test('operations of both keys in one batch change one usage row', async (context) => {
  const { admit, settle, ledger, account, nextId, spent } = await prepare(context)
  const [old, fresh] = [nextId(), nextId()]
  await ledger.shareKeyUsage(fresh, old, account)
  const asks = await Promise.all(
    Array.from({ length: 20 }, (_, index) => admit(index % 2 ? old : fresh, 10n)),
  )
  const admitted = asks.filter(({ answer }) => answer.kind === 'held')
  assert.equal(admitted.length, 10, 'as many as the budget pays, by whichever key')
  await Promise.all(admitted.map(({ id }) => settle(id, 10n)))
  assert.equal(await spent(fresh), 100n)
  assert.equal(await spent(old), 100n)
  assert.deepEqual((await ledger.verify()).drift, [])
})

test('usage of a key that spent more than its receipts say is found, also where it is shared', async (context) => {
  const { admit, settle, ledger, account, nextId, store } = await prepare(context)
  const [old, fresh] = [nextId(), nextId()]
  await ledger.shareKeyUsage(fresh, old, account)
  const paid = await admit(fresh, 5n)
  await settle(paid.id, 5n)
  assert.deepEqual((await ledger.verify()).drift, [])
  await store.database
    .updateTable('key_usage' as never)
    .set({ spent: 6n } as never)
    .where('key' as never, '=', old as never)
    .execute()
  assert.equal((await ledger.verify()).drift.length, 1)
})
