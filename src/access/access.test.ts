/** Keys against a real store: found, judged, revoked, and never reported as invalid because the store is unavailable. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { manualClock } from '../../test/support/manual-clock.ts'
import { openTestLedger } from '../../test/support/open-ledger.ts'
import { TollgateError } from '../base/errors.ts'
import { idSource, systemRandom } from '../base/ids.ts'
import { limitDefaults } from '../config/config.ts'
import type { RateLimits } from '../limits/types.ts'
import type { Store } from '../store/store.ts'
import { openAccess } from './access.ts'
import { makeKey } from './key-form.ts'
import { policyDefaults } from './policy.ts'
import type { KeyPolicy, NewKey } from './types.ts'

const policy: KeyPolicy = {
  ...policyDefaults,
  rates: { requestsPerMinute: 5, tokensPerMinute: null, concurrent: 2 },
  budget: { amount: 12_345_678_901_234_567n, window: 'month' },
  models: ['sandbox-echo'],
  onShortBalance: 'reject',
  showBalance: false,
  showCost: true,
}
const accountRates: RateLimits = { requestsPerMinute: 600, tokensPerMinute: null, concurrent: 100 }

interface Prepared {
  readonly store: Store
  readonly clock: ReturnType<typeof manualClock>
  readonly newKey: NewKey
  /** Another process's view of the same keys: nothing in memory. */
  readonly open: (changed?: {
    hashKey?: Uint8Array
    keysCachedMax?: number
    database?: Store['database']
  }) => ReturnType<typeof openAccess>
  readonly shut: () => Promise<void>
}

async function prepare(context: TestContext): Promise<Prepared> {
  const clock = manualClock()
  const ledger = await openTestLedger(context, { clock })
  const nextId = idSource(clock, 7)
  const account = nextId()
  await ledger.ledger.createAccount({
    id: account,
    kind: 'personal',
    email: null,
    name: 'Payer',
    nowMs: clock.wallMs(),
  })
  const hashKey = systemRandom(32)
  return {
    store: ledger.store,
    clock,
    newKey: { account, name: 'laptop', expiresMs: null, policy },
    open: (changed = {}) =>
      openAccess({
        store: { database: changed.database ?? ledger.store.database },
        clock,
        nextId,
        random: systemRandom,
        hashKey: changed.hashKey ?? hashKey,
        accountRates: () => accountRates,
        limits: { ...limitDefaults, keysCachedMax: changed.keysCachedMax ?? limitDefaults.keysCachedMax },
      }),
    shut: ledger.shut,
  }
}

/** The same database, with every query counted. */
function counted(database: Store['database']): {
  readonly database: Store['database']
  readonly queries: () => number
} {
  let queries = 0
  const counting = database.withPlugin({
    transformQuery(query) {
      queries += 1
      return query.node
    },
    transformResult: async ({ result }) => result,
  })
  return { database: counting, queries: () => queries }
}

test('a new key identifies its caller immediately, and after a restart', async (context) => {
  const { open, newKey } = await prepare(context)
  const access = open()
  const { id, secret, label } = await access.create(newKey)
  const caller = { account: newKey.account, key: id, label, policy, accountRates, person: null }
  assert.deepEqual(await access.identify(secret), { kind: 'caller', caller })
  assert.deepEqual(await open().identify(secret), { kind: 'caller', caller })
})

test('the store has neither the key nor its secret', async (context) => {
  const { open, newKey, store } = await prepare(context)
  const { secret, label } = await open().create(newKey)
  const [row] = await store.database.selectFrom('api_key').selectAll().execute()
  const stored = JSON.stringify(row, (_name, value) => (typeof value === 'bigint' ? `${value}` : value))
  assert.ok(stored.includes(label))
  assert.ok(!stored.includes(secret.slice(label.length + 1)))
  assert.equal(row?.hash.length, 32)
})

test('a key is found only under the hash key that it was made with', async (context) => {
  const { open, newKey } = await prepare(context)
  const { secret } = await open().create(newKey)
  assert.deepEqual(await open({ hashKey: systemRandom(32) }).identify(secret), { kind: 'invalid' })
})

test('a foreign key is recognized without a store lookup', async (context) => {
  const { open, newKey, store } = await prepare(context)
  const { database, queries } = counted(store.database)
  const access = open({ database })
  const { secret } = await access.create(newKey)
  const before = queries()
  assert.deepEqual(await access.identify(['sk', 'ant', 'api03', 'x'].join('-')), {
    kind: 'foreign',
    provider: 'Anthropic',
  })
  assert.deepEqual(await access.identify('nonsense'), { kind: 'invalid' })
  assert.deepEqual(await access.identify(`${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`), {
    kind: 'invalid',
  })
  assert.equal(queries(), before)
})

test('an unknown key causes one lookup, and a known one too with many concurrent requests', async (context) => {
  const { open, newKey, store, clock } = await prepare(context)
  const { secret } = await open().create(newKey)
  const { database, queries } = counted(store.database)
  const access = open({ database })
  const made = makeKey(newKey.account, idSource(clock, 9)(), systemRandom).key
  for (const key of [made, secret]) {
    const before = queries()
    const found = await Promise.all(Array.from({ length: 50 }, () => access.identify(key)))
    assert.equal(new Set(found.map(({ kind }) => kind)).size, 1)
    assert.equal(found[0]?.kind, key === made ? 'invalid' : 'caller')
    await access.identify(key)
    assert.equal(queries() - before, 1)
  }
})

test('unknown keys never push a known one out of memory', async (context) => {
  const { open, newKey, store } = await prepare(context)
  const { database, queries } = counted(store.database)
  const access = open({ database, keysCachedMax: 2 })
  const { secret } = await access.create(newKey)
  for (let count = 0n; count < 20n; count += 1n) await access.identify(makeKey(1n, count, systemRandom).key)
  const before = queries()
  assert.equal((await access.identify(secret)).kind, 'caller')
  assert.equal(queries(), before)
  await access.create(newKey)
  await access.create(newKey)
  assert.equal((await access.identify(secret)).kind, 'caller')
  assert.equal(queries() - before, 3, 'one to make each other key, one to find the first again')
})

test('a key ends at its time by the clock, also while it is in memory', async (context) => {
  const { open, newKey, clock } = await prepare(context)
  const access = open()
  const { secret } = await access.create({ ...newKey, expiresMs: clock.wallMs() + 1_000 })
  clock.advance(999)
  assert.equal((await access.identify(secret)).kind, 'caller')
  clock.advance(1)
  assert.equal((await access.identify(secret)).kind, 'expired')
})

test('a revoked key ends immediately, the owner of a cached copy is notified, and it stays revoked', async (context) => {
  const { open, newKey, clock } = await prepare(context)
  const access = open()
  const { id, secret } = await access.create(newKey)
  const notified: bigint[] = []
  const stop = access.onStopped((key) => notified.push(key))
  assert.equal(await access.revoke(id), 'revoked')
  assert.equal((await access.identify(secret)).kind, 'revoked')
  assert.equal(await access.revoke(id), 'already_revoked')
  assert.equal(await access.revoke(id + 1n), 'not_found')
  assert.deepEqual(notified, [id])
  assert.equal((await open().identify(secret)).kind, 'revoked')
  assert.equal((await access.key(id))?.revokedMs, clock.wallMs())
  stop()
  const second = await access.create(newKey)
  await access.revoke(second.id)
  assert.deepEqual(notified, [id])
})

test('a lookup concurrent with a revocation does not restore the key', async (context) => {
  const { open, newKey } = await prepare(context)
  for (let round = 0; round < 20; round += 1) {
    const { id, secret } = await open().create(newKey)
    const access = open()
    await Promise.all([access.identify(secret), access.revoke(id), access.identify(secret)])
    assert.equal((await access.identify(secret)).kind, 'revoked')
  }
})

test('a change applies immediately, after a restart too, and running requests are notified when the key is disabled', async (context) => {
  const { open, newKey } = await prepare(context)
  const access = open()
  const { id, secret } = await access.create({ ...newKey, createdBy: 'ada' })
  const notified: unknown[] = []
  access.onStopped((key, by) => notified.push([key, by]))
  const changed = { ...policy, models: null, budget: null }
  const updated = await access.update(id, (row) => ({ name: `${row.name} 2`, policy: changed }))
  assert.ok(updated.kind === 'updated')
  assert.deepEqual([updated.row.name, updated.row.createdBy], ['laptop 2', 'ada'])
  for (const view of [access, open()]) {
    const identified = await view.identify(secret)
    assert.ok(identified.kind === 'caller')
    assert.deepEqual(identified.caller.policy, changed)
  }
  assert.deepEqual(notified, [])
  await access.update(id, () => ({ disabled: true }))
  assert.deepEqual(notified, [[id, 'disabled']])
  assert.equal((await access.identify(secret)).kind, 'disabled')
  await access.update(id, () => ({ disabled: false }))
  assert.equal((await access.identify(secret)).kind, 'caller')
  await access.revoke(id)
  assert.equal((await access.update(id, () => ({ name: 'back' }))).kind, 'revoked')
  assert.equal((await access.update(id + 1n, () => ({}))).kind, 'not_found')
})

test('a change that is rejected while it is made changes nothing', async (context) => {
  const { open, newKey } = await prepare(context)
  const access = open()
  const { id } = await access.create(newKey)
  const rejection = new TollgateError('not_allowed', { message: 'no' })
  await assert.rejects(
    access.update(id, () => {
      throw rejection
    }),
    rejection,
  )
  assert.equal((await access.key(id))?.name, 'laptop')
  assert.equal(
    (await access.update(id, () => ({ name: 'next' }))).kind,
    'updated',
    'the next one is not held up',
  )
})

test('a hundred concurrent changes and lookups leave the cache equal to the store', async (context) => {
  const { open, newKey } = await prepare(context)
  const access = open()
  const { id, secret } = await access.create(newKey)
  await Promise.all(
    Array.from({ length: 100 }, (_, index) => [
      access.update(id, () => ({ disabled: index % 3 === 0 })),
      access.identify(secret),
    ]).flat(),
  )
  const stored = await access.key(id)
  assert.equal((await access.identify(secret)).kind, stored?.disabled ? 'disabled' : 'caller')
})

test('what runs under a key hears when it expires, at the time that it has by then', async (context) => {
  const { open, newKey, clock } = await prepare(context)
  const access = open()
  const notified: unknown[] = []
  access.onStopped((key, by) => notified.push([key, by]))
  const { id, secret } = await access.create({ ...newKey, expiresMs: clock.wallMs() + 10_000 })
  await access.identify(secret)
  await access.update(id, () => ({ expiresMs: clock.wallMs() + 20_000 }))
  clock.advance(19_999)
  assert.deepEqual(notified, [])
  clock.advance(1)
  assert.deepEqual(notified, [[id, 'expired']])
  assert.equal((await access.identify(secret)).kind, 'expired')
})

test('a key that another one replaces works until the overlap is over, or its own end', async (context) => {
  const { open, newKey, clock } = await prepare(context)
  const access = open()
  const nextId = idSource(clock, 11)
  for (const [overlapMs, ownMs, lastsMs] of [
    [3_600_000, null, 3_600_000],
    [3_600_000, 60_000, 60_000],
  ] as const) {
    const expiresMs = ownMs === null ? null : clock.wallMs() + ownMs
    const old = await access.create({ ...newKey, expiresMs })
    const newId = nextId()
    const rotated = await access.rotate(old.id, { newId, overlapMs, createdBy: 'bo' })
    assert.ok(rotated.kind === 'rotated')
    assert.equal(rotated.expiresMs, clock.wallMs() + lastsMs)
    const [was, is] = [await access.key(old.id), await access.key(newId)]
    assert.deepEqual([was?.replacedBy, is?.replacedBy, is?.createdBy], [newId, null, 'bo'])
    assert.deepEqual([is?.name, is?.policy, is?.expiresMs], ['laptop', policy, expiresMs])
    clock.advance(lastsMs - 1)
    assert.equal((await access.identify(old.secret)).kind, 'caller')
    assert.equal((await access.identify(rotated.secret)).kind, 'caller')
    clock.advance(1)
    assert.equal((await access.identify(old.secret)).kind, 'expired')
    const again = await access.rotate(old.id, { newId: nextId(), overlapMs, createdBy: null })
    assert.deepEqual(again, { kind: 'rejected', because: 'replaced' })
  }
})

test('a rotation without overlap revokes the old key immediately; an ended key is not rotated', async (context) => {
  const { open, newKey, clock } = await prepare(context)
  const access = open()
  const nextId = idSource(clock, 11)
  const rotate = (id: bigint) => access.rotate(id, { newId: nextId(), overlapMs: 0, createdBy: null })
  const notified: unknown[] = []
  access.onStopped((key, by) => notified.push([key, by]))
  const old = await access.create(newKey)
  assert.equal((await rotate(old.id)).kind, 'rotated')
  assert.equal((await access.identify(old.secret)).kind, 'revoked')
  assert.deepEqual(notified, [[old.id, 'revoked']])
  const revoked = await access.create(newKey)
  await access.revoke(revoked.id)
  assert.deepEqual(await rotate(revoked.id), { kind: 'rejected', because: 'revoked' })
  const disabled = await access.create(newKey)
  await access.update(disabled.id, () => ({ disabled: true }))
  assert.deepEqual(await rotate(disabled.id), { kind: 'rejected', because: 'disabled' })
  const expired = await access.create({ ...newKey, expiresMs: clock.wallMs() })
  assert.deepEqual(await rotate(expired.id), { kind: 'rejected', because: 'expired' })
  assert.deepEqual(await rotate(1n), { kind: 'not_found' })
})

test('a disabled key is reported as disabled', async (context) => {
  const { open, newKey, store } = await prepare(context)
  const { id, secret } = await open().create(newKey)
  await store.database.updateTable('api_key').set({ disabled: 1 }).where('id', '=', id).execute()
  assert.equal((await open().identify(secret)).kind, 'disabled')
})

test('a list has the keys of one account in the order they were made, whole but for the secret', async (context) => {
  const { open, newKey, clock } = await prepare(context)
  const access = open()
  const first = await access.create(newKey)
  const second = await access.create({
    ...newKey,
    name: 'server',
    expiresMs: 5,
    policy: { ...policy, budget: null, models: null },
  })
  const rows = await open().list(newKey.account)
  assert.deepEqual(rows[0], {
    id: first.id,
    account: newKey.account,
    name: 'laptop',
    label: first.label,
    createdMs: clock.wallMs(),
    expiresMs: null,
    revokedMs: null,
    disabled: false,
    policy,
    createdBy: null,
    replacedBy: null,
  })
  assert.equal(rows[1]?.id, second.id)
  assert.deepEqual(rows[1]?.policy.budget, null)
  assert.deepEqual(await access.list(newKey.account + 1n), [])
  assert.equal(await access.key(first.id + 99n), undefined)
})

test('a store in trouble is said to be in trouble: no key becomes invalid by it', async (context) => {
  const { open, newKey, shut } = await prepare(context)
  const access = open()
  const { secret } = await access.create(newKey)
  const fresh = open()
  await shut()
  await assert.rejects(
    async () => fresh.identify(secret),
    (error) => error instanceof TollgateError && error.code === 'store_unavailable',
  )
  assert.equal((await access.identify(secret)).kind, 'caller', 'what is in memory needs no store')
})
