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
import { openRowJournal, recoverJournal } from './row-journal.ts'

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

test('a committed row is seen by every reader, and its table gets it later', (context) => {
  const on = open(context)
  on.commit(() => on.accounts.put(1n, row(1n, 10n)))
  on.commit(() => on.accounts.put(2n, row(2n, 20n)))
  assert.deepEqual(
    [on.seen(), on.stored()],
    [
      [10n, 20n, 0n],
      [0n, 0n, 0n],
    ],
  )
  assert.equal(on.accounts.find(1n)?.[1], 10n)
  on.commit(() => on.accounts.put(1n, row(1n, 11n)))
  assert.deepEqual(on.seen(), [11n, 20n, 0n])
  on.commit(on.journal.writeAll)
  assert.deepEqual([on.seen(), on.stored(), on.records()], [[11n, 20n, 0n], [11n, 20n, 0n], 0])
  assert.equal(on.accounts.find(1n), undefined)
  on.database.exec('UPDATE account SET posted = 50 WHERE id = 1')
  assert.deepEqual(on.seen(), [50n, 20n, 0n], 'the journal has nothing any more')
})

test('what is rolled back is forgotten, and what was committed before is not', (context) => {
  const on = open(context)
  on.commit(() => on.accounts.put(1n, row(1n, 10n)))
  on.rollBack(() => on.accounts.put(1n, row(1n, 99n)))
  assert.deepEqual([on.accounts.find(1n)?.[1], on.seen()], [10n, [10n, 0n, 0n]])
  on.rollBack(on.journal.writeAll)
  assert.deepEqual([on.accounts.find(1n)?.[1], on.seen(), on.stored()], [10n, [10n, 0n, 0n], [0n, 0n, 0n]])
  on.commit(() => {
    on.journal.writeAll()
    assert.equal(on.accounts.find(1n), undefined, 'within the transaction the table is right')
    on.database.exec('UPDATE account SET posted = 12 WHERE id = 1')
    on.accounts.put(3n, row(3n, 30n))
  })
  assert.deepEqual([on.seen(), on.stored(), on.records()], [[12n, 0n, 30n], [12n, 0n, 0n], 1])
})

test('a transaction may write several records, and then everything', (context) => {
  const on = open(context)
  const list = on.journal.listOf('receipt_list', ['account', 'id'])
  on.commit(() => {
    on.accounts.put(1n, row(1n, 10n))
    list.add([1n, 7n])
    on.journal.flush()
    on.accounts.put(2n, row(2n, 20n))
    list.add([1n, 8n])
  })
  assert.deepEqual([on.seen(), on.records()], [[10n, 20n, 0n], 2])
  on.commit(() => {
    on.accounts.put(1n, row(1n, 11n))
    list.add([1n, 9n])
    on.journal.flush()
    assert.equal(on.accounts.find(1n)?.[1], 11n)
    on.journal.writeAll()
  })
  assert.deepEqual([on.stored(), on.seen(), on.records()], [[11n, 20n, 0n], [11n, 20n, 0n], 0])
  const listed = prepare(on.database, 'SELECT id FROM receipt_list').rows().flat()
  assert.deepEqual(listed, [7n, 8n, 9n])
})

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

test('the next start gives the tables what a killed process has left, once', (context) => {
  const on = open(context)
  on.commit(() => on.accounts.put(1n, row(1n, 10n)))
  on.commit(() => on.accounts.put(1n, row(1n, 11n)))
  on.commit(() => on.accounts.putNow(2n, [2n, 20n, rates, 7]))
  assert.deepEqual(on.stored(), [0n, 20n, 0n])
  recoverJournal(on.database)
  assert.deepEqual([on.stored(), on.seen(), on.records()], [[11n, 20n, 0n], [11n, 20n, 0n], 0])
  recoverJournal(on.database)
  assert.deepEqual(on.stored(), [11n, 20n, 0n])
  assert.deepEqual(prepare(on.database, 'SELECT rates, suspended_ms FROM account WHERE id = 2').row(), [
    rates,
    7n,
  ])
})

test('a reader that was rolled back sees everything again', (context) => {
  const on = open(context)
  on.commit(() => on.accounts.put(1n, row(1n, 10n)))
  const reading = openForReading(String(on.database.location()))
  context.after(() => reading.close())
  const overlay = overlayJournal(reading)
  const select = prepare(reading, 'SELECT posted FROM account WHERE id = 1')
  for (const end of ['ROLLBACK', 'COMMIT', 'COMMIT']) {
    reading.exec('BEGIN')
    overlay.refresh()
    assert.equal(select.row()?.[0], 10n)
    reading.exec(end)
    if (end === 'ROLLBACK') overlay.reset()
  }
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
