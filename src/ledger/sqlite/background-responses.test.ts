/** Holds of background responses: they outlive processes and the age limit of holds, and end when they are settled. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainAsk, plainDraft } from '../../../test/support/ledger-values.ts'
import { manualClock } from '../../../test/support/manual-clock.ts'
import { openTestLedger, type TestLedger, temporaryDirectory } from '../../../test/support/open-ledger.ts'
import { limitDefaults } from '../../config/config.ts'

const account = 11n

async function withAccount(opened: TestLedger): Promise<TestLedger> {
  await opened.ledger.createAccount({ id: account, kind: 'personal', email: null, name: 'n', nowMs: 1 })
  const credit = { entryId: 12n, account, amount: 1_000n, source: 'signup' as const, reference: 'x' }
  await opened.ledger.credit({ ...credit, nowMs: 1, note: null })
  return opened
}

const admit = ({ ledger }: TestLedger, id: bigint) =>
  ledger.admit({ ...plainAsk, id, account, key: 21n, inputAmount: 100n })

async function begin(opened: TestLedger, id: bigint): Promise<void> {
  await admit(opened, id)
  assert.equal(await opened.ledger.reserveResponse(id, account), 'reserved')
  const started = { id, upstream: 'one', responseId: `resp_${id}`, facts: '{}' }
  assert.equal(await opened.ledger.recordResponse(started), true)
}

const settled = (id: bigint) => ({
  id,
  nowMs: 2,
  cost: 40n,
  writtenOff: 0n,
  writeOffEntryId: id + 1_000n,
  receipt: { ...plainDraft, background: true },
  providerObjects: [{ id: `resp_${id}`, referencedScope: 'window' as const }],
})

test('a recorded response outlives its process and the age of holds; an unrecorded one does not', async (context) => {
  const dataDirectory = temporaryDirectory(context)
  const first = await withAccount(await openTestLedger(context, { dataDirectory }))
  await begin(first, 1_001n)
  await admit(first, 1_002n)
  await first.ledger.reserveResponse(1_002n, account)
  await first.shut()

  const clock = manualClock()
  const second = await openTestLedger(context, { dataDirectory, clock })
  assert.equal(second.recovered, 1)
  assert.deepEqual(second.unrecorded, [{ id: 1_002n, account }])
  assert.deepEqual(await second.ledger.openResponses(0n, 10), [{ id: 1_001n, account }])
  const own = second.nextId()
  await begin(second, own)
  clock.advance(limitDefaults.holdMsMax + 600_000)
  await second.close()
  assert.deepEqual(
    (await second.ledger.openResponses(0n, 10)).map(({ id }) => id),
    [1_001n, own],
  )
  const row = await second.ledger.account(account)
  assert.deepEqual([row?.held, row?.openHolds], [200n, 2])
  assert.deepEqual((await second.ledger.verify()).drift, [])
})

test('settling ends it once; then it is a provider object, until it is forgotten', async (context) => {
  const opened = await withAccount(await openTestLedger(context))
  const { ledger } = opened
  await begin(opened, 1_001n)
  const open = await ledger.openResponse(account, 'resp_1001')
  assert.deepEqual([open?.id, open?.upstream, open?.isSuspended], [1_001n, 'one', false])
  assert.equal(await ledger.openResponse(12n, 'resp_1001'), undefined)
  const results = await Promise.all([ledger.settle(settled(1_001n)), ledger.settle(settled(1_001n))])
  assert.deepEqual(
    results.map(({ kind }) => kind),
    ['settled', 'already_settled'],
  )
  assert.equal(await ledger.openResponse(account, 'resp_1001'), undefined)
  assert.equal((await ledger.providerObjects(account, ['resp_1001'], 2)).length, 1)
  assert.equal((await ledger.receipt(1_001n))?.background, true)
  await ledger.forgetResponse(account, 'resp_1001')
  assert.deepEqual(await ledger.providerObjects(account, ['resp_1001'], 2), [])
  assert.deepEqual((await ledger.verify()).drift, [])
})

test('it counts among the background responses of its account and not among the concurrent requests', async (context) => {
  const opened = await withAccount(
    await openTestLedger(context, { limits: { backgroundResponsesPerAccountMax: 2 } }),
  )
  const { ledger } = opened
  const alone = { requestsPerMinute: null, tokensPerMinute: null, concurrent: 1 }
  const ask = (id: bigint) =>
    ledger.admit({ ...plainAsk, id, account, key: 21n, inputAmount: 1n, accountLimits: alone })
  await begin(opened, 1_001n)
  assert.equal((await ask(1_002n)).kind, 'held')
  assert.equal((await ask(1_003n)).kind, 'rate')
  await ledger.release(1_002n)
  await begin(opened, 1_004n)
  await admit(opened, 1_005n)
  assert.equal(await ledger.reserveResponse(1_005n, account), 'full')
  await ledger.settle(settled(1_001n))
  assert.equal(await ledger.reserveResponse(1_005n, account), 'reserved')
  // A hold that was released in the meantime has no owner.
  await ledger.release(1_005n)
  const late = { id: 1_005n, upstream: 'one', responseId: 'resp_late', facts: '{}' }
  assert.equal(await ledger.recordResponse(late), false)
  assert.deepEqual((await ledger.verify()).drift, [])
})

test('what is settled after a suspension does not hide it', async (context) => {
  const opened = await withAccount(await openTestLedger(context))
  const { ledger } = opened
  await begin(opened, 1_001n)
  await ledger.suspend(account, 5)
  assert.equal((await ledger.openResponseById(1_001n))?.isSuspended, true)
  await ledger.settle(settled(1_001n))
  const ask = { account, key: 21n, keyBudget: null, nowMs: 6 }
  assert.deepEqual(await ledger.blockedReason(ask), { kind: 'suspended' })
  await ledger.suspend(account, null)
  assert.equal(await ledger.blockedReason(ask), null)
})
