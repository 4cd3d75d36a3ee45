/** Where the rows of an account are: its primary keys and its hot statements never leave its partition. No database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TableName } from '../machine/rows.ts'
import { schemaStatements } from './schema.ts'
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
