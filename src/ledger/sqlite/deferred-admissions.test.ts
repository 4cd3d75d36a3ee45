/** Admissions are answered before their commit: what of them is where, and when. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { plainAsk, plainDraft } from '../../../test/support/ledger-values.ts'
import { manualClock } from '../../../test/support/manual-clock.ts'
import { openTestLedger, type TestLedgerOptions } from '../../../test/support/open-ledger.ts'
import { databasePath } from '../../store/store.ts'

const account = 7n

async function open(context: TestContext, options: TestLedgerOptions = {}) {
  const on = await openTestLedger(context, options)
  const { ledger } = on
  await ledger.createAccount({ id: account, kind: 'personal', email: null, name: 'one', nowMs: 1 })
  const credit = { entryId: 1n, account, amount: 1_000_000n, source: 'manual', reference: '1' } as const
  await ledger.credit({ ...credit, nowMs: 1, note: null })
  const database = new DatabaseSync(databasePath(on.dataDirectory), { readOnly: true })
  context.after(() => database.close())
  const count = database.prepare('SELECT count(*) AS count FROM hold')
  return {
    ...on,
    /** The number of holds that another process sees. */
    storedHolds: () => count.get()?.count,
    admit: (id: bigint) => ledger.admit({ ...plainAsk, id, account, key: 3n, inputAmount: 5n }),
  }
}

test('a hold is stored before anything of its response may be delivered', async (context) => {
  const { ledger, admit, storedHolds } = await open(context)
  assert.equal((await admit(100n)).kind, 'held')
  assert.equal(storedHolds(), 0)
  assert.equal(await ledger.confirm(100n), true)
  assert.equal(storedHolds(), 1)
})

test('a hold that is settled immediately is never stored, and its receipt is', async (context) => {
  const { ledger, admit, storedHolds } = await open(context)
  await admit(100n)
  const settlement = {
    id: 100n,
    nowMs: 2,
    cost: 3n,
    writtenOff: 0n,
    writeOffEntryId: 200n,
    receipt: plainDraft,
  }
  assert.equal((await ledger.settle(settlement)).kind, 'settled')
  assert.equal(storedHolds(), 0)
  assert.equal((await ledger.receipt(100n))?.charged, 3n)
  assert.deepEqual((await ledger.verify()).drift, [])
})

test('every read sees what was admitted before it', async (context) => {
  const { ledger, admit, storedHolds } = await open(context)
  await admit(100n)
  assert.equal((await ledger.account(account))?.openHolds, 1)
  assert.equal(storedHolds(), 1)
  await admit(101n)
  assert.equal((await ledger.verify()).openHolds, 2)
})

test('a statement of the control plane sees it, and closing stores it', async (context) => {
  const { admit, store, storedHolds, shut, dataDirectory } = await open(context)
  await admit(100n)
  await store.database.transaction().execute(async (change) => {
    const row = await change
      .selectFrom('account')
      .select('open_holds')
      .where('id', '=', account)
      .executeTakeFirst()
    assert.equal(row?.open_holds, 1n)
  })
  assert.equal(storedHolds(), 1)
  await admit(101n)
  await shut()
  const { recovered } = await openTestLedger(context, { dataDirectory })
  assert.equal(recovered, 2, 'the next start finds both')
})

test('it is stored within admissionRecordMs when nothing else commits', async (context) => {
  const clock = manualClock()
  const { admit, store, storedHolds } = await open(context, { clock, limits: { admissionRecordMs: 40 } })
  await admit(100n)
  clock.advance(39)
  assert.equal(storedHolds(), 0)
  clock.advance(1)
  // Runs behind the operation that the clock has started.
  await store.run(['probe'])
  assert.equal(storedHolds(), 1)
})
