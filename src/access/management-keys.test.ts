/** Management keys against a real store: found, judged, revoked, and never taken for API keys. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { manualClock } from '../../test/support/manual-clock.ts'
import { openTestLedger } from '../../test/support/open-ledger.ts'
import { idSource, systemRandom } from '../base/ids.ts'
import { limitDefaults } from '../config/config.ts'
import { openAccess } from './access.ts'
import { openManagementKeys } from './management-keys.ts'
import { policyDefaults } from './policy.ts'

async function prepare(context: TestContext) {
  const clock = manualClock()
  const { ledger, store } = await openTestLedger(context, { clock })
  const nextId = idSource(clock, 7)
  const account = nextId()
  await ledger.createAccount({
    id: account,
    kind: 'personal',
    email: null,
    name: 'Payer',
    nowMs: clock.wallMs(),
  })
  const troubles: unknown[] = []
  let queries = 0
  const database = store.database.withPlugin({
    transformQuery({ node }) {
      queries += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const hashKey = systemRandom(32)
  const common = { store: { database }, clock, nextId, random: systemRandom, limits: limitDefaults }
  return {
    clock,
    store,
    account,
    troubles,
    queries: () => queries,
    open: () => openManagementKeys({ ...common, hashKey, onTrouble: (error) => troubles.push(error) }),
    access: openAccess({ ...common, hashKey, accountRates: () => limitDefaults }),
  }
}

const asked = { name: 'reports', scopes: ['usage:read', 'keys:read'], expiresMs: null } as const

test('a key is found immediately and after a restart, and its text is stored nowhere', async (context) => {
  const { open, account, store } = await prepare(context)
  const keys = open()
  const { id, secret } = await keys.create({ ...asked, account })
  for (const view of [keys, open()]) {
    const row = await view.identify(secret)
    assert.deepEqual([row?.id, row?.account, row?.scopes], [id, account, asked.scopes])
    assert.ok(row !== undefined && secret.startsWith(`${row.label}-`))
  }
  const [stored] = await store.database.selectFrom('management_key').selectAll().execute()
  const text = JSON.stringify(stored, (_name, value) => (typeof value === 'bigint' ? `${value}` : value))
  assert.ok(!text.includes(secret.slice((stored?.label.length ?? 0) + 1)))
})

test('it is not an API key, and an API key is not a management key', async (context) => {
  const { open, account, access } = await prepare(context)
  const { secret } = await open().create({ ...asked, account })
  assert.deepEqual(await access.identify(secret), { kind: 'management' })
  const made = await access.create({ account, name: 'app', expiresMs: null, policy: policyDefaults })
  assert.equal(await open().identify(made.secret), undefined)
})

test('a key ends at its expiry, and immediately when it is revoked, also during a lookup', async (context) => {
  const { open, account, clock } = await prepare(context)
  const keys = open()
  const short = await keys.create({ ...asked, account, expiresMs: clock.wallMs() + 1_000 })
  assert.equal((await keys.identify(short.secret))?.id, short.id)
  clock.advance(1_000)
  assert.equal(await keys.identify(short.secret), undefined)
  for (let round = 0; round < 20; round += 1) {
    const { id, secret } = await keys.create({ ...asked, account })
    const view = open()
    await Promise.all([view.identify(secret), view.revoke(id), view.identify(secret)])
    assert.equal(await view.identify(secret), undefined)
    assert.equal(await open().identify(secret), undefined)
  }
})

test('junk is rejected without a question, an unknown key with one', async (context) => {
  const { open, account, queries } = await prepare(context)
  const { secret } = await open().create({ ...asked, account })
  const keys = open()
  const before = queries()
  for (const junk of ['', 'x', secret.slice(0, -1), `${secret}0`, secret.replace('tgm', 'tg')]) {
    assert.equal(await keys.identify(junk), undefined)
  }
  assert.equal(queries(), before)
  await Promise.all(Array.from({ length: 50 }, () => keys.identify(secret)))
  assert.equal(queries() - before, 2, 'one to find it, one for its first use')
})

test('the last use is stored to the minute, with one write per minute', async (context) => {
  const { open, account, clock, queries, troubles } = await prepare(context)
  const keys = open()
  const { id, secret } = await keys.create({ ...asked, account })
  await keys.identify(secret)
  const firstMs = clock.wallMs()
  const before = queries()
  clock.advance(limitDefaults.lastUsedStepMs - 1)
  await keys.identify(secret)
  assert.equal(queries(), before)
  assert.equal(await written(() => keys.key(id), firstMs), firstMs)
  clock.advance(1)
  await keys.identify(secret)
  const laterMs = clock.wallMs()
  assert.equal(await written(async () => (await keys.list(account))[0], laterMs), laterMs)
  assert.deepEqual(troubles, [])
})

/** The write continues after the request that caused it. */
async function written(
  read: () => Promise<{ readonly lastUsedMs: number | null } | undefined>,
  expectedMs: number,
): Promise<number | null | undefined> {
  let found: number | null | undefined
  for (let tries = 0; tries < 1_000 && found !== expectedMs; tries += 1) found = (await read())?.lastUsedMs
  return found
}
