/** Long lists and searches in bounded steps find what a single scan would find. Real database. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { plainAsk, plainDraft } from '../../../test/support/ledger-values.ts'
import { manualClock } from '../../../test/support/manual-clock.ts'
import { openTestLedger } from '../../../test/support/open-ledger.ts'
import { openForReading } from '../../store/sqlite/connection.ts'
import { ledgerReads } from './reads.ts'

test('a search for accounts in steps of any size finds each once, in their order', async (context) => {
  const { ledger, dataDirectory } = await openTestLedger(context)
  const names = ['Ada', 'Bob', 'adam', 'x', 'Nevada', 'y', 'z', 'ADA%']
  for (const [place, name] of names.entries()) {
    const id = BigInt(place + 1) * 10n
    await ledger.createAccount({ id, kind: 'personal', email: null, name, nowMs: 1 })
  }
  const database = openForReading(join(dataDirectory, 'tollgate.db'))
  context.after(() => database.close())
  const { searchAccounts } = ledgerReads(database)
  for (let scannedMax = 1; scannedMax <= names.length + 1; scannedMax += 1) {
    const found: string[] = []
    let steps = 0
    for (let after: bigint | null = 0n; after !== null; steps += 1) {
      const step = searchAccounts.run({ search: 'ada', afterId: after, limit: 10, scannedMax })
      found.push(...step.found.map(({ name }) => name))
      after = step.next
    }
    assert.deepEqual(found, ['Ada', 'adam', 'Nevada', 'ADA%'])
    assert.equal(steps, Math.floor(names.length / scannedMax) + 1)
  }
  assert.deepEqual(
    (await ledger.accounts(2, 10n, 'ada')).map(({ name }) => name),
    ['adam', 'Nevada'],
  )
  assert.equal((await ledger.accounts(10, 0n, 'ada%')).length, 1)
})

test('entries of a range of time are those of the requests that began in it, however late they were settled', async (context) => {
  const clock = manualClock()
  const { ledger, nextId } = await openTestLedger(context, { clock })
  const account = nextId()
  const nowMs = clock.wallMs()
  await ledger.createAccount({ id: account, kind: 'personal', email: null, name: 'n', nowMs })
  const credit = { source: 'manual', reference: 'r', note: null, nowMs } as const
  await ledger.credit({ ...credit, entryId: nextId(), account, amount: 1_000n })
  clock.advance(1_000)
  const [early, late] = [nextId(), nextId()]
  const key = nextId()
  const ask = { ...plainAsk, account, key, inputAmount: 10n }
  for (const id of [early, late]) await ledger.admit({ ...ask, id, nowMs: clock.wallMs() })
  const settled = { cost: 5n, writtenOff: 0n, receipt: plainDraft }
  await ledger.settle({ ...settled, id: early, nowMs: clock.wallMs(), writeOffEntryId: nextId() })
  clock.advance(3 * 86_400_000)
  await ledger.settle({ ...settled, id: late, nowMs: clock.wallMs(), writeOffEntryId: nextId() })
  const kinds = async (fromMs: number | null, toMs: number | null) => {
    const filter = { account, kind: null, limit: 10, before: null } as const
    return (await ledger.entries({ ...filter, fromMs, toMs })).map(({ kind }) => kind)
  }
  assert.deepEqual(await kinds(null, null), ['usage', 'usage', 'credit'])
  assert.deepEqual(await kinds(nowMs + 1_000, nowMs + 2_000), ['usage', 'usage'])
  assert.deepEqual(await kinds(null, nowMs + 1_000), ['credit'])
  assert.deepEqual(await kinds(nowMs + 2_000, null), [])
})
