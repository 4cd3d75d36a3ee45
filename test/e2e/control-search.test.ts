/** Search terms are plain text without wildcards, and no list is unbounded. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { OperationName } from '../../contract/operations.ts'
import { type TwoTenants, twoTenants } from '../support/two-tenants.ts'

let world: TwoTenants
before(async () => {
  world = await twoTenants()
  await world.signUp('per_cent%sign')
})
after(() => world.close())

const nothing = [
  '*',
  '.*',
  '?',
  '[a-z]',
  '^o',
  '\\',
  '\\%',
  "' OR 1=1 --",
  '%%%',
  '__',
  '\0',
  'o%r',
  'op_rator',
  '{}',
]

for (const name of ['account.list', 'people.list'] as const) {
  test(`${name} finds letters, not patterns`, async () => {
    const { client } = world.operator
    assert.equal((await client.done(name, { search: 'OPERATOR' })).length, 1)
    assert.equal((await client.done(name, { search: 'per_cent%s' })).length, 1)
    assert.equal((await client.done(name, { search: '%' })).length, 1)
    for (const search of nothing) {
      const answer = await client.ask(name, { search })
      const found = answer.status === 200 ? (answer.body as readonly unknown[]) : []
      assert.deepEqual([found, answer.status < 500], [[], true], `${search}: ${answer.text}`)
    }
    assert.equal((await client.ask(name, { search: 'x'.repeat(201) })).status, 400)
  })
}

test('no list can be requested without a limit', async () => {
  const lists: readonly OperationName[] = [
    'account.list',
    'people.list',
    'requests.list',
    'entries.list',
    'top-up.list',
    'payments.list',
    'audit.list',
    'losses.list',
  ]
  for (const name of lists) {
    for (const limit of ['0', '-1', '1001', '1e9', '99999999999999999999', 'all', '']) {
      const { status, text } = await world.operator.client.ask(name, { limit })
      assert.equal(status, 400, `${name} ${limit}: ${text}`)
    }
  }
})
