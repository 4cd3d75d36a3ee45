/** The guards of the entries are in the schema itself, whatever code writes them. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../test/support/open-ledger.ts'
import { migrate } from '../migrate.ts'
import { openForWriting, prepare } from '../sqlite/connection.ts'

test('entries are never changed, and obey their constraints', (context) => {
  const database = openForWriting(join(temporaryDirectory(context), 'tollgate.db'))
  context.after(() => database.close())
  assert.equal(migrate(database, 1).kind, 'migrated')
  database.exec('INSERT INTO account (id) VALUES (1)')
  const insert = prepare(
    database,
    `INSERT INTO entry (id, account, position, counter, kind, amount, balance_after, source, reference, request, note,
      created_ms) VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, 5)`,
  )
  insert.run(10n, 1n, 'promo', 'credit', 900n, 900n, 'manual', 'one', null, 'a note')
  insert.run(11n, 2n, 'revenue', 'usage', -400n, 500n, null, null, 11n, null)
  insert.run(12n, 3n, 'clearing', 'refund', -700n, -200n, 'dispute', 'du_1', null, null)
  for (const [sql, reason] of [
    ['UPDATE entry SET note = 1', /entry rows are never changed/],
    ['DELETE FROM entry', /entry rows are never changed/],
    [
      'INSERT INTO entry SELECT 13, account, 4, counter, kind, amount, 1, source, reference, request, note, 1 FROM entry WHERE id = 10',
      /UNIQUE/,
    ],
    ["INSERT INTO entry VALUES (13, 1, 4, 'revenue', 'usage', -1, -201, NULL, NULL, 13, NULL, 1)", /CHECK/],
    [
      "INSERT INTO entry VALUES (13, 2, 4, 'revenue', 'usage', -1, 1, NULL, NULL, 13, NULL, 1)",
      /FOREIGN KEY/,
    ],
  ] as const) {
    assert.throws(() => database.exec(sql), reason, sql)
  }
  // Usage that another entry covered may leave a balance below zero.
  database.exec("INSERT INTO entry VALUES (13, 1, 4, 'revenue', 'usage', -1, -201, NULL, '12', 13, NULL, 1)")
})
