/** Each complete response is delivered and charged, or withheld and written off: never both, whenever its commit ends. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { plainAsk, plainDraft } from '../../../../test/support/ledger-values.ts'
import { manualClock } from '../../../../test/support/manual-clock.ts'
import { openTestLedger } from '../../../../test/support/open-ledger.ts'
import { Background } from '../../../base/background.ts'
import { failpoints } from '../../../base/failpoint.ts'
import { createLog } from '../../../base/log.ts'
import type { Settlement } from '../../../ledger/types.ts'
import type { SettlementResult } from '../../request.ts'
import { settleDurably } from './settle-durably.ts'

/** Waits until the pending calls were sent, a few event-loop turns later. */
async function leaving(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await new Promise(setImmediate)
}

const log = createLog({ level: 'silent' })

interface Case {
  readonly what: string
  /** In the writing thread. */
  readonly fails: string
  readonly dueInMs: number
  /** The cost of the first settlement; a negative cost always fails. */
  readonly cost?: bigint
  readonly bill: 'settled' | 'late'
}

const cases: readonly Case[] = [
  { what: 'in time', fails: '', dueInMs: 1e12, bill: 'settled' },
  {
    what: 'under way when the time is up',
    fails: 'before-commit-settle:delay=150',
    dueInMs: 20,
    bill: 'settled',
  },
  {
    what: 'under way when the time is up, its reply lost',
    fails: 'before-commit-settle:delay=150,after-commit-settle:fail=1',
    dueInMs: 20,
    bill: 'settled',
  },
  {
    what: 'under way when the time is up, and failing then',
    fails: 'before-commit-settle:delay=150',
    dueInMs: 20,
    cost: -1n,
    bill: 'late',
  },
  { what: 'failing before the time is up', fails: '', dueInMs: 100, cost: -1n, bill: 'late' },
  { what: 'behind a batch that is slow', fails: 'before-commit-credit:delay=150', dueInMs: 20, bill: 'late' },
]

suite('a commit', { concurrency: 3 }, () => {
  for (const { what, fails, dueInMs, cost = 40n, bill } of cases) {
    const isBehind = fails.includes('credit')
    test(`${what}: ${bill}`, async (context) => {
      const { ledger, nextId } = await openTestLedger(context, { failpoints: fails })
      const [id, account] = [nextId(), nextId()]
      await ledger.createAccount({ id: account, kind: 'personal', email: null, name: 'n', nowMs: 1 })
      const credit = { account, source: 'manual', nowMs: 1, note: null } as const
      await ledger.credit({ ...credit, entryId: nextId(), amount: 99n, reference: 'one' })
      await ledger.admit({ ...plainAsk, id, account, key: 1n, inputAmount: 50n })
      const clock = manualClock()
      const background = new Background(clock, log)
      const busy = ledger.credit({ ...credit, entryId: nextId(), amount: 1n, reference: 'two' })
      await (isBehind ? leaving() : busy)

      const limits = { settleWaitMs: dueInMs, settleRetryMs: 20, settleRetriesMax: 100 }
      const settlement: Settlement = {
        ...{ id, nowMs: 1, cost, writtenOff: 0n, writeOffEntryId: nextId() },
        receipt: plainDraft,
      }
      const withheld: Settlement = {
        ...settlement,
        ...{ cost: 0n, writtenOff: 40n },
        receipt: { ...plainDraft, endReason: 'interrupted', status: 503, settledLate: true },
      }
      let settled = 0
      const resolving = settleDurably(
        { ledger, clock, background, failpoints: failpoints(undefined), log, limits },
        {
          settlement,
          dueMonoMs: clock.monoMs() + dueInMs,
          withheld: async () => withheld,
          onSettled: () => {
            settled += 1
          },
        },
      )
      let result: SettlementResult | undefined
      void resolving.then((made) => {
        result = made
      })
      for (; result === undefined || background.count > 0; clock.advance(10)) await leaving()
      assert.equal(result.kind, bill)
      await busy
      const receipt = await ledger.receipt(id)
      assert.deepEqual(
        [receipt?.charged, receipt?.writtenOff, receipt?.status, receipt?.settledLate],
        bill === 'settled' ? [40n, 0n, 200, false] : [0n, 40n, 503, true],
      )
      assert.ok(settled <= 1)
      assert.equal((await ledger.account(account))?.posted, bill === 'settled' ? 60n : 100n)
      assert.deepEqual((await ledger.verify()).drift, [])
    })
  }
})

test('an answer whose hold another server closed is withheld, because its charge is not for this answer', async (context) => {
  const { ledger, nextId } = await openTestLedger(context)
  const [id, account] = [nextId(), nextId()]
  await ledger.createAccount({ id: account, kind: 'personal', email: null, name: 'n', nowMs: 1 })
  await ledger.admit({ ...plainAsk, id, account, key: 1n, inputAmount: 0n })
  const settlement: Settlement = {
    ...{ id, nowMs: 1, cost: 0n, writtenOff: 40n, writeOffEntryId: nextId() },
    receipt: plainDraft,
  }
  // A server that takes over the data folder closes open holds like this.
  const interrupted = { ...plainDraft, endReason: 'interrupted', settledLate: true } as const
  await ledger.settle({ ...settlement, writtenOff: 0n, writeOffEntryId: nextId(), receipt: interrupted })
  const clock = manualClock()
  const limits = { settleWaitMs: 1e12, settleRetryMs: 20, settleRetriesMax: 1 }
  const background = new Background(clock, log)
  const result = await settleDurably(
    { ledger, clock, background, failpoints: failpoints(undefined), log, limits },
    {
      ...{ settlement, dueMonoMs: 1e12, withheld: async () => settlement },
      onSettled: () => assert.fail('nothing was settled'),
    },
  )
  assert.deepEqual(result, { kind: 'late' })
  assert.deepEqual([(await ledger.receipt(id))?.endReason, clock.pending()], ['interrupted', 0])
})
