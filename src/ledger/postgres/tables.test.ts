/** Where the rows of an account are: its primary keys and its hot statements never leave its partition. No database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TableName } from '../machine/rows.ts'
import { postgresMigrations, schemaStatements } from './migrations.ts'
import { statements, storedTables, tableNames } from './tables.ts'

/** Found by a text over all accounts: two accounts must not get the same credit or have the same owner. */
const overAllAccounts: readonly TableName[] = ['accountName', 'creditReference']
const hot = tableNames.filter((name) => !overAllAccounts.includes(name))

for (const name of hot) {
  const { table, key } = storedTables[name]
  const account = key[0] ?? ''

  test(`the primary key of ${table} begins with the account`, () => {
    assert.ok(account === 'account' || (account === 'id' && table.startsWith('account')), key.join())
    const created = schemaStatements.find((statement) => statement.startsWith(`CREATE TABLE ${table} (`))
    assert.match(created ?? '', new RegExp(`PRIMARY KEY \\(${account}\\b`))
  })

  test(`statements on ${table} find a row by its account, and no row of another account by it`, () => {
    const { find, insert, update, remove } = statements[name]
    for (const { text } of [find, update, remove]) {
      assert.match(text, new RegExp(`\\bstored\\.${account} = given\\.${account}\\b`), text)
      assert.equal(text.match(/\b(?:FROM|JOIN|USING|(?<!FOR )UPDATE) (?!unnest|stored)\w+/g)?.length, 1, text)
    }
    assert.match(insert.text, new RegExp(`^INSERT INTO ${table} \\([^)]*\\) SELECT \\* FROM unnest\\(`))
  })
}

/**
 * Tables whose rows belong to an account and whose key does not begin with it: they are found by another ID before the account is
 * known, or unique over all accounts. `docs/operate/scale.md` has them.
 */
const keyedOtherwise = [
  ...[
    'account_name',
    'api_key',
    'audit',
    'background_response',
    'code_use',
    'credit_reference',
    'management_key',
  ],
  // The first name of `rejection` is `refusal`.
  ...['provider_file', 'provider_object', 'refusal', 'signup_credit', 'top_up'],
]

test('of tables with an account, those whose key begins otherwise are known', () => {
  const found = postgresMigrations
    .flatMap(({ statements: all }) => all)
    .flatMap((text) => {
      const [, table, body = ''] = /^\s*CREATE TABLE (\w+) \(([\s\S]*)\)/.exec(text) ?? []
      if (table === undefined || !/\baccount bigint\b/.test(body)) return []
      return /PRIMARY KEY \(account\b|\baccount bigint PRIMARY KEY/.test(body) ? [] : [table]
    })
  assert.deepEqual(found.sort(), keyedOtherwise)
})
