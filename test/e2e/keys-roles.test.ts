/**
 * Who may create, see, change and rotate the keys of an account: by role, by scope of a management key, as a stranger.
 * Another account's objects look like missing ones.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Role, Scope } from '../../contract/operation.ts'
import { parseUsd } from '../../contract/usd.ts'
import { systemClock } from '../../src/base/clock.ts'
import { formatId, parseId } from '../../src/base/ids.ts'
import type { Actor } from '../../src/control/actor.ts'
import { organizationOwner } from '../../src/control/authorize.ts'
import type { ControlDeps } from '../../src/control/control-deps.ts'
import { defaultPolicy } from '../../src/control/key-policy.ts'
import { testGateway } from '../support/gateway.ts'
import { plainAsk } from '../support/ledger-values.ts'
import { type Asking, asking, controlOf, personActor } from '../support/operators.ts'

const gate = await testGateway({ limits: { keysPerAccountMax: 8 } })
after(() => gate.close())
const { services } = gate.gateway
const { ledger, access, managementKeys, builtInKeys } = services

/** Each user's role in each account; accounts, keys and all decisions are the real ones. */
const members = new Map<string, { readonly organization: string; readonly role: Role }>()
const real = controlOf(gate)
const control: ControlDeps = {
  ...real,
  identity: {
    ...real.identity,
    async listMemberships(person) {
      const member = members.get(person)
      return member === undefined ? [] : [{ ...member, name: member.organization, sinceMs: 0 }]
    },
  },
}

interface Organization {
  readonly account: string
  readonly id: bigint
  readonly as: (role: Role, person?: string) => Asking
}

let made = 0

async function organization(): Promise<Organization> {
  made += 1
  const name = `house${made}`
  const { id } = await gate.account('1')
  const assigned = await ledger.assign(id, { owner: organizationOwner(name), email: null, name })
  assert.equal(assigned, 'assigned')
  return {
    id,
    account: formatId('acct', id),
    as(role, person = `${role}-of-${name}`) {
      members.set(person, { organization: name, role })
      return asking(control, personActor(person))
    },
  }
}

async function withScopes(account: bigint, scopes: readonly Scope[]): Promise<Asking> {
  const { secret } = await managementKeys.create({ account, name: 'robot', scopes, expiresMs: null })
  const row = await managementKeys.identify(secret)
  assert.ok(row !== undefined)
  const actor: Actor = { kind: 'management_key', address: null, ...row }
  return asking(control, actor)
}

const changes = ['key.update', 'key.rotate', 'key.revoke'] as const

test('owners and admins change every key, developers those that they created, others none', async () => {
  const { as, account } = await organization()
  const { id: key } = await as('developer').done('key.create', { account, name: 'mine' })
  const { id: others } = await as('owner').done('key.create', { account, name: 'theirs' })
  const seen = await as('developer').done('key.list', { account })
  assert.deepEqual(
    seen.slice(1).map(({ name, createdBy }) => [name, createdBy]),
    [
      ['mine', 'developer-of-house1'],
      ['theirs', 'owner-of-house1'],
    ],
  )
  for (const change of changes) {
    for (const rejected of [
      await as('developer').rejected(change, { key: others }),
      await as('developer', 'another').rejected(change, { key }),
      await as('billing').rejected(change, { key }),
    ]) {
      assert.deepEqual([rejected.status, rejected.code], [403, 'not_allowed'], change)
    }
  }
  assert.equal((await as('billing').rejected('key.create', { account, name: 'x' })).code, 'not_allowed')
  assert.equal((await as('developer').done('key.update', { key, name: 'renamed' })).name, 'renamed')
  assert.equal((await as('admin').done('key.update', { key: others, disabled: true })).disabled, true)
  const next = await as('developer').done('key.rotate', { key })
  assert.equal((await as('developer').done('key.revoke', { key: next.id })).already, false)
  assert.equal((await as('owner').done('key.revoke', { key: others })).revoked, true)
})

test('a limit that an owner or admin sets on a key cannot be changed by the developer who created it', async () => {
  const { as, account } = await organization()
  const { id: key } = await as('developer').done('key.create', {
    account,
    name: 'mine',
    budget: { amount: '1', window: 'day' },
  })
  const budget = (amount: string) => ({ key, budget: { amount, window: 'day' as const } })
  await as('developer').done('key.update', budget('2'))
  assert.deepEqual((await as('admin').done('key.update', budget('3'))).managed, ['budget'])
  for (const change of [budget('4'), budget('2'), { key, budget: null }]) {
    const rejected = await as('developer').rejected('key.update', change)
    assert.deepEqual([rejected.status, rejected.code], [403, 'not_allowed'])
  }
  assert.equal((await as('developer').done('key.update', { key, name: 'renamed' })).budget?.amount, '3.00')
  await as('owner').done('key.update', { key, disabled: true, models: ['sandbox-echo'] })
  for (const change of [{ disabled: false }, { models: null }]) {
    assert.equal((await as('developer').rejected('key.update', { key, ...change })).code, 'not_allowed')
  }
  const open = await as('owner').done('key.update', { key, disabled: false, models: null, budget: null })
  assert.deepEqual(open.managed, [])
  assert.equal((await as('developer').done('key.update', budget('9'))).budget?.amount, '9.00')
  await as('admin').done('key.update', budget('3'))
  const { id: next } = await as('developer').done('key.rotate', { key })
  const handedOn = await as('developer').rejected('key.update', { key: next, budget: null })
  assert.equal(handedOn.code, 'not_allowed', 'rotation hands the limit on')
})

test('a key that a developer adds has the limits that an owner set on theirs, on the same count', async () => {
  const { as, account, id } = await organization()
  const developer = as('developer')
  const { id: first } = await developer.done('key.create', { account, name: 'first' })
  const budget = { amount: '0.30', window: 'total' as const }
  await as('owner').done('key.update', { key: first, budget, models: ['sandbox-echo'] })
  const spend = async (key: bigint) => {
    const ask = { ...plainAsk, id: services.nextId(), account: id, key, inputAmount: parseUsd('0.2')! }
    const { policy } = (await access.key(key)) ?? assert.fail('it was made')
    const answer = await ledger.admit({ ...ask, keyBudget: policy.budget, nowMs: systemClock.wallMs() })
    return answer.kind === 'insufficient_funds' ? `${answer.scope} is short` : answer.kind
  }
  const second = await developer.done('key.create', { account, name: 'second' })
  const shown = async (key: string) =>
    (await developer.done('key.list', { account })).find((row) => row.id === key) ?? assert.fail(key)
  const { budget: inherited, models, managed } = await shown(second.id)
  assert.deepEqual([inherited?.amount, models, managed], ['0.30', ['sandbox-echo'], ['budget', 'models']])
  assert.equal(await spend(parseId('key', second.id) ?? 0n), 'held')
  assert.equal(await spend(parseId('key', first) ?? 0n), 'key is short', 'both count on one budget')
  for (const change of [{ budget: null }, { models: null }]) {
    const rejected = await developer.rejected('key.update', { key: second.id, ...change })
    assert.equal(rejected.code, 'not_allowed')
  }
  const asked = { account, name: 'more', budget: { amount: '50', window: 'day' as const } }
  assert.equal((await developer.rejected('key.create', asked)).code, 'not_allowed')
  for (const { id: key } of [{ id: first }, second]) await developer.done('key.revoke', { key })
  const third = await developer.done('key.create', { account, name: 'third' })
  assert.equal((await shown(third.id)).budget?.amount, '0.30', 'revoking the limited keys lifts nothing')
  assert.equal(await spend(parseId('key', third.id) ?? 0n), 'key is short')
  const another = await as('developer', 'another').done('key.create', { account, name: 'free' })
  assert.equal((await shown(another.id)).budget, null)
  await as('owner').done('key.update', { key: third.id, budget: null, models: null })
  assert.equal(
    (await shown((await developer.done('key.create', { account, name: 'fourth' })).id)).budget,
    null,
  )
})

test('when an admin removes one limit, the others stay under admin control', async () => {
  const { as, account } = await organization()
  const { id: key } = await as('developer').done('key.create', { account, name: 'mine' })
  await as('admin').done('key.update', { key, limits: { requestsPerMinute: 10, tokensPerMinute: 1_000 } })
  const one = await as('admin').done('key.update', { key, limits: { requestsPerMinute: null } })
  assert.deepEqual([one.limits.tokensPerMinute, one.managed], [1_000, ['limits']])
  const lifted = { key, limits: { tokensPerMinute: null } }
  assert.equal((await as('developer').rejected('key.update', lifted)).code, 'not_allowed')
  assert.deepEqual((await as('admin').done('key.update', lifted)).managed, [])
  assert.equal(
    (await as('developer').done('key.update', { key, limits: { concurrent: 3 } })).limits.concurrent,
    3,
  )
})

test('a limit that the CLI or a management key sets on a key cannot be changed by the developer who created it', async () => {
  const { as, account, id } = await organization()
  const local = asking(control, { kind: 'local' })
  for (const other of [local, await withScopes(id, ['keys:write'])]) {
    const { id: key } = await as('developer').done('key.create', { account, name: 'mine' })
    const limited = await other.done('key.update', { key, budget: { amount: '1', window: 'day' } })
    assert.deepEqual(limited.managed, ['budget'])
    assert.equal((await as('developer').rejected('key.update', { key, budget: null })).code, 'not_allowed')
    assert.deepEqual((await other.done('key.update', { key, budget: null })).managed, [])
  }
})

test('a management key does what its scopes name, for its account alone, and creates no other', async () => {
  const { account, id, as } = await organization()
  const reads = await withScopes(id, ['keys:read'])
  assert.ok((await reads.done('key.list', {})).length > 0)
  for (const [name, input] of [
    ['key.create', { name: 'x' }],
    ['account.show', {}],
    ['management-key.create', { name: 'x', scopes: ['keys:read'] }],
    ['management-key.list', {}],
    ['upstreams.list', {}],
    ['audit.own', {}],
  ] as const) {
    assert.equal((await reads.rejected(name, input)).code, 'not_allowed', name)
  }
  const writes = await withScopes(id, ['keys:write'])
  const { id: key } = await writes.done('key.create', { name: 'by robot' })
  const row = (await as('owner').done('key.list', { account })).find((one) => one.id === key)
  assert.equal(row?.createdBy, null)
  assert.equal((await writes.rejected('key.list', {})).code, 'not_allowed')
  const next = await writes.done('key.rotate', { key, overlapHours: 0 })
  assert.equal((await writes.done('key.revoke', { key: next.id })).already, false)
})

test('management keys are created by owners and admins with a recent sign-in, shown once, and revoked', async () => {
  const { as, account, id } = await organization()
  const asked = { account, name: 'reports', scopes: ['usage:read', 'usage:read', 'keys:read'] }
  for (const role of ['developer', 'billing'] as const) {
    assert.equal((await as(role).rejected('management-key.create', asked)).code, 'not_allowed')
    assert.equal((await as(role).rejected('management-key.list', { account })).code, 'not_allowed')
  }
  as('owner')
  const old = personActor(`owner-of-house${made}`, { loginMs: systemClock.wallMs() - 86_400_000 })
  assert.equal((await asking(control, old).rejected('management-key.create', asked)).code, 'login_too_old')
  assert.equal(
    (await as('owner').rejected('management-key.create', { ...asked, scopes: ['root'] })).code,
    'invalid_value',
  )
  const key = await as('admin').done('management-key.create', asked)
  assert.equal((await managementKeys.identify(key.key))?.account, id)
  const [listed, ...more] = await as('owner').done('management-key.list', { account })
  assert.deepEqual([listed?.id, listed?.scopes, more], [key.id, ['usage:read', 'keys:read'], []])
  assert.ok(!JSON.stringify(listed).includes(key.key.slice(-20)))
  await as('admin').done('management-key.revoke', { managementKey: key.id })
  assert.equal(await managementKeys.identify(key.key), undefined)
  assert.notEqual((await as('owner').done('management-key.list', { account }))[0]?.revoked, null)
})

test("the playground's key is limited and disabled like any other, and neither rotated nor revoked", async () => {
  const { as, account, id } = await organization()
  await builtInKeys.identify(id, defaultPolicy('organization'))
  const key = (await as('owner').done('key.list', { account })).find(({ builtIn }) => builtIn)?.id ?? ''
  for (const change of ['key.rotate', 'key.revoke'] as const) {
    assert.equal((await as('owner').rejected(change, { key })).code, 'conflict')
  }
  assert.equal((await as('owner').done('key.update', { key, disabled: true })).disabled, true)
  assert.equal((await builtInKeys.identify(id, defaultPolicy('organization'))).kind, 'disabled')
})

test('the number of keys per account is limited; revoked ones do not count', async () => {
  const { as, account } = await organization()
  const keys = []
  for (let count = 1; count < 8; count += 1) {
    keys.push(await as('owner').done('key.create', { account, name: `key ${count}` }))
  }
  assert.equal((await as('owner').rejected('key.create', { account, name: 'one more' })).code, 'conflict')
  await as('owner').done('key.revoke', { key: keys[0]?.id })
  await as('owner').done('key.create', { account, name: 'one more' })
})

const places = [
  // One of them is the key that the account was created with.
  { operation: 'key.create', more: {}, room: 7 },
  { operation: 'management-key.create', more: { scopes: ['keys:read'] }, room: 8 },
] as const

for (const { operation, more, room } of places) {
  test(`${operation}: of many concurrent requests one gets the last slot, and an ended key uses none`, async () => {
    const { as, account, id } = await organization()
    const ended = { account: id, name: 'ended', expiresMs: 1 }
    await access.create({ ...ended, policy: defaultPolicy('organization') })
    await managementKeys.create({ ...ended, scopes: ['keys:read'] })
    const names = Array.from({ length: 20 }, (_, index) => `key ${index}`)
    const asked = names.map((name) => as('owner').done(operation, { account, name, ...more }))
    const made = (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled')
    assert.equal(made.length, room)
  })
}
