/** A database whose receipts had an index by account gets their list. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../test/support/open-ledger.ts'
import { migrate } from '../migrate.ts'
import { openForWriting, prepare } from '../sqlite/connection.ts'
import { migrations, receiptList } from './index.ts'

test('the list has the receipts from before, and loses one with its receipt', (context) => {
  const database = openForWriting(join(temporaryDirectory(context), 'tollgate.db'))
  context.after(() => database.close())
  migrate(database, 0, migrations.slice(0, receiptList.number - 1))
  database.exec('INSERT INTO account (id) VALUES (1), (2)')
  const texts = ['model', 'dialect', 'provider', 'upstream', 'upstream_model', 'end_reason', 'usage_source']
  const columns = prepare(database, 'SELECT name FROM pragma_table_info(\'receipt\') WHERE "notnull" = 1')
    .rows()
    .map(([name]) => String(name))
    .filter((name) => name !== 'id' && name !== 'account')
  const given = columns.map((name) => (texts.includes(name) || isJson(name) ? "'[]'" : '0'))
  for (const [id, account] of [
    [10, 2],
    [11, 1],
    [12, 2],
  ])
    database.exec(
      `INSERT INTO receipt (id, account, ${columns.join(', ')}) VALUES (${id}, ${account}, ${given.join(', ')})`,
    )
  migrate(database, 0)
  const listed = prepare(database, 'SELECT account, id, model FROM receipt_by_account ORDER BY account, id')
  assert.deepEqual(listed.rows(), [
    [1n, 11n, '[]'],
    [2n, 10n, '[]'],
    [2n, 12n, '[]'],
  ])
  database.exec(
    'INSERT INTO receipt_retention (one, before_id) VALUES (1, 11); DELETE FROM receipt WHERE id = 10',
  )
  assert.deepEqual(prepare(database, 'SELECT id FROM receipt_list ORDER BY id').rows().flat(), [11n, 12n])
})

const isJson = (name: string): boolean => ['fees', 'ran_at', 'attempts'].includes(name)
