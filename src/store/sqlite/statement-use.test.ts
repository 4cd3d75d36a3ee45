/** Which statements need what is written behind in its tables: those that read it or change it, and no others. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../test/support/open-ledger.ts'
import { migrate } from '../migrate.ts'
import { openForWriting } from './connection.ts'
import { statementUse } from './statement-use.ts'
import { statementsOn } from './statements.ts'

/** By statement: whether it does. */
const cases: Readonly<Record<string, boolean>> = {
  'SELECT posted FROM account WHERE id = ?': true,
  'SELECT id, suspended_ms FROM account': false,
  'SELECT count(*) FROM account': false,
  'SELECT p.name FROM account_profile p JOIN account a ON a.id = p.id': false,
  'SELECT p.name FROM account_profile p WHERE (SELECT held FROM account a WHERE a.id = p.id) > 0': true,
  'SELECT write_offs FROM usage_hour WHERE hour = 1': false,
  'SELECT requests FROM usage_hour WHERE hour = 1': true,
  'SELECT count(*) FROM receipt_list': true,
  'SELECT model FROM receipt_by_account': true,
  'SELECT model FROM receipt WHERE id = ?': false,
  'UPDATE account SET suspended_ms = 1': true,
  'UPDATE key_usage SET shared = 1': true,
  'UPDATE hold SET account = 1': true,
  'INSERT INTO account (id) VALUES (1)': true,
  'INSERT INTO billing_setting SELECT * FROM billing_setting': false,
  'INSERT INTO setting (name, value) VALUES (1, 2) ON CONFLICT DO UPDATE SET value = 3': false,
  'DELETE FROM api_key WHERE account = 1': false,
  'DELETE FROM receipt WHERE id = 1': true,
  'PRAGMA user_version': true,
}

test('a statement needs the tables if it reads or changes what is written behind', (context) => {
  const database = openForWriting(join(temporaryDirectory(context), 'tollgate.db'))
  context.after(() => database.close())
  migrate(database, 0)
  const { needsTables } = statementsOn(database, 'bigint', statementUse(database, ['hold']))
  for (const [sql, expected] of Object.entries(cases)) {
    assert.equal(needsTables(sql), expected, sql)
    assert.equal(needsTables(sql), expected, `${sql}, again`)
  }
})
