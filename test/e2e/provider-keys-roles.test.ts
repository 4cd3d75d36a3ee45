/** Provider keys over HTTP: which roles of an organization may change them, and which kinds of accounts have them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Role } from '../../contract/operation.ts'
import { parseId } from '../../src/base/ids.ts'
import { type TwoTenants, twoTenants } from '../support/two-tenants.ts'

let world: TwoTenants

before(async () => {
  world = await twoTenants({}, { environment: { TOLLGATE_PROVIDER_KEYS: 'organizations' } })
})
after(() => world.close())

const changes = [
  ['provider-keys.put', { provider: 'openai', use: 'only' }, 'missing_field'],
  ['provider-keys.test', { provider: 'openai' }, 'provider_key_not_found'],
  ['provider-keys.remove', { provider: 'openai' }, 'provider_key_not_found'],
] as const

for (const role of ['owner', 'admin', 'developer', 'billing'] as const satisfies readonly Role[]) {
  const isManager = role === 'owner' || role === 'admin'
  test(`a member with the role ${role} lists provider keys${isManager ? ' and changes them' : ''}`, async () => {
    const { client } = world.members[role]
    const { account } = world
    const listed = await client.done('provider-keys.list', { account })
    assert.deepEqual([listed.allowed, listed.keys], [true, []])
    for (const [name, input, code] of changes) {
      const answer = await client.ask(name, { account, ...input })
      const { error } = answer.body as { readonly error: { readonly code: string } }
      assert.equal(error.code, isManager ? code : 'not_allowed', name)
    }
  })
}

test('a management key lists provider keys and changes none', async () => {
  const { managementKey, account } = world
  assert.equal((await managementKey.done('provider-keys.list', { account })).allowed, true)
  for (const [name, input] of changes) {
    const answer = await managementKey.ask(name, { account, ...input })
    assert.equal(answer.status, 403, name)
  }
})

test('the provider keys of a closed account are deleted', async () => {
  const { services } = world.gateway.gateway
  const person = await world.signUp('leaving')
  const account = parseId('acct', person.account) ?? assert.fail('an account')
  const credential = ['a', 'key', 'of', 'theirs'].join('-')
  await services.providerKeys.put({ account, provider: 'openai', use: 'first', credential })
  const { text } = await person.client.ask('me.export')
  const { providerKeys } = JSON.parse(text) as {
    readonly providerKeys: readonly { readonly provider: string }[]
  }
  assert.ok(!text.includes(credential))
  assert.deepEqual(
    providerKeys.map(({ provider }) => provider),
    ['openai'],
  )
  await person.client.done('me.delete', { email: person.email })
  assert.deepEqual(services.providerKeys.list(account), [])
  const rows = await services.store.database
    .selectFrom('provider_key')
    .select('account')
    .where('account', '=', account)
    .execute()
  assert.deepEqual(rows, [])
})
