/** The background check: its findings, its steps, and that its reading is bounded. Real database, manual clock. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { plainAsk, plainDraft } from '../../../test/support/ledger-values.ts'
import { manualClock } from '../../../test/support/manual-clock.ts'
import { type Lifetime, openTestLedger } from '../../../test/support/open-ledger.ts'
import { Background } from '../../base/background.ts'
import { createLog } from '../../base/log.ts'
import { type Limits, limitDefaults } from '../../config/config.ts'
import { openForWriting } from '../../store/sqlite/connection.ts'
import { recoverJournal } from '../../store/sqlite/row-journal.ts'
import { watchLedger } from './ledger-watch.ts'

/** Five accounts with credit and three settled requests each, an open hold, and the background check. */
async function scene(context: Lifetime, limits: Partial<Limits> = {}) {
  const clock = manualClock()
  const on = await openTestLedger(context, { clock })
  const { ledger, nextId, dataDirectory } = on
  for (let number = 0; number < 5; number += 1) {
    const account = BigInt(number + 1)
    const [nowMs, key] = [clock.wallMs(), nextId()]
    await ledger.createAccount({ id: account, kind: 'personal', email: null, name: 'n', nowMs })
    const credit = { source: 'manual', reference: `${number}`, note: null, nowMs } as const
    await ledger.credit({ ...credit, entryId: nextId(), account, amount: 1_000n })
    for (let request = 0; request < 4; request += 1) {
      const id = nextId()
      await ledger.admit({ ...plainAsk, id, account, key, inputAmount: 50n, nowMs })
      const settled = {
        id,
        nowMs,
        cost: request === 1 ? 0n : 20n,
        writtenOff: 0n,
        receipt: plainDraft,
      }
      if (request < 3) await ledger.settle({ ...settled, writeOffEntryId: nextId() })
    }
  }
  const logged: string[] = []
  const log = createLog({ level: 'error', destination: { write: (line: string) => void logged.push(line) } })
  const background = new Background(clock, log)
  const watch = watchLedger({ ledger, background, clock, log, limits: { ...limitDefaults, ...limits } })
  return {
    ledger,
    watch,
    clock,
    drift: () => logged.map((line) => (JSON.parse(line) as { drift?: string }).drift),
    async pass(ms: number) {
      clock.advance(ms)
      await background.drained()
    },
    /** Behind the ledger's back. */
    tamper(sql: string) {
      const database = openForWriting(join(dataDirectory, 'tollgate.db'))
      // Rows that are still in the journal would be taken from there.
      recoverJournal(database)
      database.exec(
        `PRAGMA ignore_check_constraints = ON; DROP TRIGGER IF EXISTS receipt_no_update; DROP TRIGGER IF EXISTS entry_no_update; ${sql}`,
      )
      database.close()
    },
  }
}

const { ledgerCheckMs, ledgerCheckRoundMs } = limitDefaults

test('a sound ledger is found sound, again and again, in as many steps as it takes', async (context) => {
  const on = await scene(context, { ledgerCheckAccountsMax: 2, ledgerCheckReceiptsMax: 4 })
  assert.deepEqual(on.watch.report(), { checkedMs: null, contradictions: 0 })
  // Fifteen receipts, four at a time.
  for (let steps = 0; steps < 3; steps += 1) await on.pass(ledgerCheckMs)
  assert.equal(on.watch.report().checkedMs, null)
  await on.pass(ledgerCheckMs)
  assert.equal(on.watch.report().checkedMs, on.clock.wallMs())
  const first = on.watch.report().checkedMs
  await on.pass(ledgerCheckRoundMs)
  for (let steps = 0; steps < 3; steps += 1) await on.pass(ledgerCheckMs)
  assert.ok((on.watch.report().checkedMs ?? 0) > (first ?? 0))
  assert.deepEqual([on.watch.report().contradictions, on.drift()], [0, []])
})

for (const [text, sql, found] of [
  ['money that appears', 'UPDATE account SET posted = posted + 5 WHERE id = 3', /^account 3: posted is 965/],
  [
    'a charge that was not made',
    'UPDATE key_usage SET spent = spent - 1 WHERE account = 2',
    /^account 2: posted/,
  ],
  [
    'a credit that grew',
    "UPDATE entry SET amount = amount + 1 WHERE account = 4 AND kind = 'credit'",
    /^account 4: posted/,
  ],
  ['a hold of nothing', 'UPDATE account SET held = held + 7 WHERE id = 5', /^account 5: held is 57/],
  ['a hold that is not counted', 'UPDATE account SET open_holds = 0 WHERE id = 5', /^account 5: held/],
  [
    'a receipt that states another amount',
    'UPDATE receipt SET charged = 21 WHERE account = 1 AND charged = 20 AND id = (SELECT min(id) FROM receipt)',
    /^receipt \d+: states 21 to account 1/,
  ],
  [
    'usage that was moved',
    "UPDATE entry SET account = 2 WHERE account = 1 AND kind = 'usage' AND id = (SELECT min(id) FROM receipt)",
    /^receipt \d+: states 20 to account 1, its usage entry moved 0/,
  ],
] as const) {
  test(`${text} is found by the background check, and reported until it is corrected`, async (context) => {
    const on = await scene(context)
    await on.pass(ledgerCheckMs)
    assert.equal(on.watch.report().contradictions, 0)
    on.tamper(sql)
    await on.pass(ledgerCheckRoundMs)
    assert.equal(on.watch.report().contradictions, 1)
    assert.match(on.drift().join('\n'), found)
    await on.pass(ledgerCheckRoundMs)
    assert.equal(on.watch.report().contradictions, 1)
  })
}

test('a watch that was stopped reads no more', async (context) => {
  const on = await scene(context)
  on.watch.stop()
  await on.pass(ledgerCheckRoundMs)
  assert.equal(on.watch.report().checkedMs, null)
})
