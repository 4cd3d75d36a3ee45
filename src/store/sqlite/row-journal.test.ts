/** The journal of changed rows: what is committed is valid wherever it is, and what was rolled back is nowhere. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { temporaryDirectory } from '../../../test/support/open-ledger.ts'
import { migrate } from '../migrate.ts'
import { type Input, openForReading, openForWriting, prepare } from './connection.ts'
import { RecordWriter, readRecord } from './journal-codec.ts'
import { overlayJournal } from './journal-overlay.ts'
import { journalTable } from './journaled-tables.ts'
import { openRowJournal } from './row-journal.ts'

const columns = ['id', 'posted', 'rates', 'suspended_ms'] as const
const rates = new Uint8Array([1, 2, 3])
const row = (id: bigint, posted: bigint): Input[] => [id, posted, rates, null]

function open(context: TestContext, limits = { gatheredRows: 100, sliceForRows: 1 }) {
  const path = join(temporaryDirectory(context), 'tollgate.db')
  const database = openForWriting(path)
  context.after(() => database.close())
  migrate(database, 0)
  for (const id of [1, 2, 3]) database.exec(`INSERT INTO account (id) VALUES (${id})`)
  const journal = openRowJournal(database, limits)
  const accounts = journal.rowsOf('account', columns)
  const reading = openForReading(path)
  context.after(() => reading.close())
  const overlay = overlayJournal(reading)
  const all = 'SELECT id, posted FROM account ORDER BY id'
  const select = prepare(reading, all)
  return {
    database,
    journal,
    accounts,
    /** Commits what `work` has changed. */
    commit(work: () => void) {
      database.exec('BEGIN')
      work()
      journal.flush()
      database.exec('COMMIT')
      journal.committed()
    },
    rollBack(work: () => void) {
      database.exec('BEGIN')
      work()
      journal.flush()
      database.exec('ROLLBACK')
      journal.forget()
    },
    /** In one transaction of another connection. */
    seen() {
      reading.exec('BEGIN')
      overlay.refresh()
      const rows = select.rows()
      reading.exec('COMMIT')
      return rows.map(([, posted]) => posted)
    },
    stored: () =>
      prepare(database, all)
        .rows()
        .map(([, posted]) => posted),
    records: () => Number(prepare(database, `SELECT count(*) FROM ${journalTable}`).row()?.[0]),
  }
}

test('once enough rows have gathered, later commits write them in slices', (context) => {
  const on = open(context, { gatheredRows: 3, sliceForRows: 1 })
  for (const id of [1n, 2n, 3n]) on.commit(() => on.accounts.put(id, row(id, id * 10n)))
  assert.deepEqual([on.stored(), on.records()], [[0n, 0n, 0n], 3])
  on.commit(() => on.accounts.put(2n, row(2n, 21n)))
  assert.deepEqual([on.stored(), on.records()], [[10n, 0n, 0n], 4], 'a newer record has the second')
  on.rollBack(() => on.accounts.put(1n, row(1n, 11n)))
  on.commit(() => on.accounts.put(1n, row(1n, 12n)))
  assert.deepEqual([on.stored(), on.records()], [[10n, 0n, 30n], 2], 'the three older ones are removed')
  assert.deepEqual(on.seen(), [12n, 21n, 30n])
})

const value = fc.oneof(
  fc.constant(null),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.maxSafeInteger(),
  fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
  fc.uint8Array({ maxLength: 5_000 }),
  fc
    .array(fc.oneof(fc.nat(2), fc.nat(300), fc.nat(70_000), fc.integer({ min: 2 ** 31, max: 2 ** 32 - 1 })), {
      maxLength: 400,
    })
    .map((words) => new Uint8Array(Uint32Array.from(words).buffer)),
)
const tables = fc.array(
  fc.record({
    table: fc.constantFrom('account', 'usage_hour'),
    columns: fc.constant(['id', 'posted', 'rates']),
    rows: fc.array(fc.tuple(value, value, value), { maxLength: 50 }),
  }),
  { maxLength: 4 },
)

test('a record is read as it was written', () => {
  const writer = new RecordWriter()
  fc.assert(
    fc.property(tables, (given) => {
      const read = readRecord(writer.write(given))
      const expected = given.map((of) => ({
        ...of,
        rows: of.rows.map((values) => values.map((each) => (typeof each === 'number' ? BigInt(each) : each))),
      }))
      assert.deepEqual(read, expected)
    }),
  )
})

test('reads through the journal use the keys and indexes of the tables', (context) => {
  const { database } = open(context)
  const reading = openForReading(String(database.location()))
  context.after(() => reading.close())
  overlayJournal(reading)
  for (const sql of [
    'SELECT posted FROM account_profile p JOIN account ON account.id = p.id WHERE p.id > 1 ORDER BY p.id LIMIT 5',
    'SELECT spent FROM key_usage WHERE key = coalesce((SELECT shared FROM key_usage WHERE key = 1), 1)',
    'SELECT sum(spent) FROM key_usage WHERE account = 1',
    'SELECT hour, key, model, requests FROM usage_hour WHERE account = 1 AND hour > 2 ORDER BY hour, key, model LIMIT 5',
    'SELECT requests FROM usage_hour WHERE key = 1',
    'SELECT id, model FROM receipt_by_account WHERE account = 1 AND id < 9 ORDER BY id DESC LIMIT 5',
    "SELECT r.id, e.amount FROM receipt_by_account r JOIN entry e ON e.id = r.id AND e.kind = 'usage' WHERE r.account = 1 ORDER BY r.id DESC LIMIT 5",
    'SELECT written_off FROM usage_hour WHERE write_offs > 0 AND hour >= 1 AND hour < 5',
  ]) {
    const plan = prepare(reading, `EXPLAIN QUERY PLAN ${sql}`)
      .rows()
      .map(([, , , step]) => String(step))
    assert.doesNotMatch(plan.join('\n'), /SCAN|MATERIALIZE|CO-ROUTINE|TEMP B-TREE/, sql)
  }
})
