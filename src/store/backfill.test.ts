/** A database from before the hourly sums gets them from its receipts, and the same ones that settling would have written. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { plainAsk, plainDraft } from '../../test/support/ledger-values.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { openTestLedger, temporaryDirectory } from '../../test/support/open-ledger.ts'
import { migrate } from './migrate.ts'
import { usage } from './migrations/0004-usage.ts'
import { openForWriting, prepare } from './sqlite/connection.ts'

const hourMs = 3_600_000

test('the sums of old receipts are those that settling wrote', async () => {
  const clock = manualClock(Date.UTC(2026, 0, 31, 22))
  const { ledger, nextId, dataDirectory, shut } = await openTestLedger({ after }, { clock })
  const accounts = [nextId(), nextId()]
  const keys = accounts.map(() => [nextId(), nextId()])
  for (const id of accounts) {
    await ledger.createAccount({ id, kind: 'personal', email: null, name: 'n', nowMs: 1 })
    await ledger.credit({
      entryId: nextId(),
      account: id,
      amount: 10n ** 9n,
      source: 'manual',
      reference: String(id),
      nowMs: 1,
      note: null,
    })
  }
  const ends = ['complete', 'interrupted', 'timeout'] as const
  for (let number = 0; number < 90; number += 1) {
    if (number % 9 === 0) clock.advance(hourMs / 2)
    const place = number % 2
    const [id, nowMs] = [nextId(), clock.wallMs()]
    const asked = {
      id,
      account: accounts[place] ?? 0n,
      key: keys[place]?.[(number >> 1) % 2] ?? 0n,
      model: `model-${number % 3}`,
    }
    await ledger.admit({ ...plainAsk, ...asked, inputAmount: 50n, nowMs })
    await ledger.settle({
      id,
      nowMs: nowMs + number * 40,
      cost: BigInt(number),
      absorbed: BigInt(number % 4),
      absorbedEntryId: nextId(),
      receipt: {
        ...plainDraft,
        endReason: ends[number % 3] ?? 'complete',
        inputUncached: number,
        inputAudio: 1,
        cacheWrite5m: 2,
        output: 3,
        reasoning: 1,
        startedMs: nowMs,
        firstByteMs: number % 5 === 0 ? null : nowMs + number,
      },
    })
  }
  await shut()
  const database = openForWriting(join(dataDirectory, 'tollgate.db'))
  after(() => database.close())
  const all = () => prepare(database, 'SELECT * FROM usage_hour').rows()
  const settled = all()
  assert.ok(settled.length > 12)
  database.exec('DELETE FROM usage_hour')
  usage.fill?.(database)
  assert.deepEqual(all(), settled)
})

test('what fills a migration runs after its statements, in its transaction', () => {
  const database = openForWriting(join(temporaryDirectory({ after }), 'test.db'))
  after(() => database.close())
  const step = { number: 1, name: 'one', sqlite: ['CREATE TABLE filled (value INTEGER) STRICT'] }
  const fails = { ...step, fill: () => assert.fail('on purpose') }
  assert.throws(() => migrate(database, 1, [fails]), /on purpose/)
  const fill = () => database.exec('INSERT INTO filled VALUES (7)')
  assert.deepEqual(migrate(database, 1, [{ ...step, fill }]), { kind: 'migrated', applied: ['one'] })
  assert.deepEqual(prepare(database, 'SELECT value FROM filled').rows(), [[7n]])
})
