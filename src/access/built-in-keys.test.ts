/** The console's own key of an account: one under any concurrency, and judged like every other key. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../test/support/manual-clock.ts'
import { openTestLedger } from '../../test/support/open-ledger.ts'
import { idSource, systemRandom } from '../base/ids.ts'
import { limitDefaults } from '../config/config.ts'
import type { RateLimits } from '../limits/types.ts'
import { openAccess } from './access.ts'
import { openBuiltInKeys } from './built-in-keys.ts'
import { policyDefaults as policy } from './policy.ts'

const accountRates: RateLimits = { requestsPerMinute: 600, tokensPerMinute: null, concurrent: 100 }

test('concurrent requests create one built-in key per account, which ends when it is revoked', async (context) => {
  const clock = manualClock()
  const { store, ledger } = await openTestLedger(context, { clock })
  const nextId = idSource(clock, 7)
  const random = systemRandom
  const parts = { store, clock, nextId, random, accountRates: () => accountRates }
  const access = openAccess({ ...parts, hashKey: systemRandom(32), limits: limitDefaults })
  const keys = openBuiltInKeys({ ...parts, access })
  const account = nextId()
  const other = nextId()
  for (const id of [account, other]) {
    await ledger.createAccount({ id, kind: 'personal', email: null, name: 'Payer', nowMs: clock.wallMs() })
  }

  assert.equal(await keys.of(account), undefined)
  const asked = await Promise.all(Array.from({ length: 8 }, () => keys.identify(account, policy)))
  const [row, ...more] = await access.list(account)
  assert.ok(row !== undefined)
  assert.deepEqual(more, [])
  assert.equal(row.name, 'Playground')
  for (const identified of asked) {
    assert.deepEqual(identified, {
      kind: 'caller',
      caller: { account, key: row.id, label: 'built in', policy, accountRates, person: null },
    })
  }
  assert.equal(await keys.of(account), row.id)
  assert.equal(await keys.isBuiltIn(row.id), true)
  assert.equal(await keys.isBuiltIn(account), false)
  assert.equal(await keys.of(other), undefined)

  await access.revoke(row.id)
  assert.deepEqual(await keys.identify(account, policy), { kind: 'revoked', account, key: row.id })
})
