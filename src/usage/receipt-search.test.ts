/** A search finds what a scan of all receipts finds, however small its steps are, and stays within its bounds. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { plainAsk, plainDraft } from '../../test/support/ledger-values.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { openTestLedger, type TestLedger } from '../../test/support/open-ledger.ts'
import { firstIdAt } from '../base/ids.ts'
import { limitDefaults } from '../config/config.ts'
import type { ReceiptRow } from '../ledger/types.ts'
import type { ReceiptSearch } from './types.ts'
import { openUsage } from './usage.ts'

const startMs = Date.UTC(2026, 3, 1, 23, 10)
const afterAll = (1n << 63n) - 1n
const clock = manualClock(startMs)
/** Opened outside of `before`, whose own end would close it. */
const opened = openTestLedger({ after }, { clock })
let on: TestLedger
let usage: ReturnType<typeof openUsage>
let keys: readonly bigint[]
let account: bigint
let receipts: readonly ReceiptRow[]

before(async () => {
  on = await opened
  usage = openUsage(on.store, { clock, limits: limitDefaults })
  const { ledger, nextId } = on
  account = nextId()
  const other = nextId()
  for (const id of [account, other]) {
    await ledger.createAccount({ id, kind: 'personal', email: null, name: 'n', nowMs: 1 })
  }
  keys = [nextId(), nextId(), nextId()]
  const foreign = nextId()
  for (let number = 0; number < 300; number += 1) {
    if (number % 10 === 0) clock.advance((number % 70) * 60_000)
    const id = nextId()
    const isForeign = number % 15 === 0
    const key = isForeign ? foreign : (keys[number % 3] ?? 0n)
    await ledger.admit({
      ...plainAsk,
      id,
      account: isForeign ? other : account,
      key,
      model: `model-${number % 4}`,
    })
    const receipt = { ...plainDraft, endReason: number % 13 === 0 ? 'timeout' : 'complete' } as const
    const nowMs = clock.wallMs()
    await ledger.settle({
      id,
      nowMs,
      cost: 0n,
      writtenOff: 0n,
      writeOffEntryId: nextId(),
      receipt,
    })
  }
  receipts = await ledger.receipts(account, 1_000, null)
})

/** Rows of an hour: three keys by four models. */
const rowsPerHour = 12

async function found(ask: ReceiptSearch): Promise<readonly bigint[]> {
  const ids: bigint[] = []
  let before: bigint | null = ask.beforeId
  while (before !== null && ids.length < ask.limit) {
    const step = await usage.searchReceipts({ ...ask, beforeId: before, limit: ask.limit - ids.length })
    assert.ok(step.scanned <= 2 * ask.scannedMax + rowsPerHour)
    assert.ok(step.next === null || step.next < before, 'each step comes further')
    ids.push(...step.receipts.map(({ id }) => id))
    before = step.next
  }
  return ids
}

test('a search finds what is there, the latest first', async () => {
  const edges = fc.integer({ min: -60, max: 24 * 60 }).map((minutes) => firstIdAt(startMs + minutes * 60_000))
  const asks = fc.record({
    account: fc.constant(account),
    fromId: fc.oneof(fc.constant(0n), edges),
    beforeId: fc.oneof(fc.constant(afterAll), edges),
    key: fc.constantFrom(null, ...keys),
    model: fc.constantFrom(null, 'model-1', 'model-9'),
    outcome: fc.constantFrom<ReceiptSearch['outcome']>(null, 'succeeded', 'failed'),
    limit: fc.constantFrom(1, 20, 1_000),
    scannedMax: fc.constantFrom(2, 17, 10_000),
  })
  await fc.assert(
    fc.asyncProperty(asks, async (ask) => {
      const due = receipts.filter(
        ({ id, key, model, endReason }) =>
          id >= ask.fromId &&
          id < ask.beforeId &&
          (ask.key === null || key === ask.key) &&
          (ask.model === null || model === ask.model) &&
          (ask.outcome === null || (endReason === 'complete') === (ask.outcome === 'succeeded')),
      )
      assert.deepEqual(
        await found(ask),
        due.slice(0, ask.limit).map(({ id }) => id),
      )
    }),
    { numRuns: 150 },
  )
})

test('hours without anything to find are not looked through', async () => {
  const ask = {
    account,
    fromId: 0n,
    beforeId: afterAll,
    key: null,
    outcome: null,
    limit: 10,
    scannedMax: 1_000,
  }
  const { receipts: none, scanned, next } = await usage.searchReceipts({ ...ask, model: 'model-9' })
  assert.deepEqual([none, next], [[], null])
  assert.ok(scanned < 200, `${scanned} rows, those of the hours alone`)
})
