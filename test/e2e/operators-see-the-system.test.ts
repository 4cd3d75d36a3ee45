/**
 * What operators see of an installation: its state, write-offs, and a message for each problem that needs their
 * attention, for as long as it exists.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseUsd } from '../../contract/usd.ts'
import { formatId } from '../../src/base/ids.ts'
import type { ControlDeps } from '../../src/control/control-deps.ts'
import type { IdentitySummary } from '../../src/identity/types.ts'
import type { TestAccount } from '../support/gateway.ts'
import { plainAsk, plainDraft } from '../support/ledger-values.ts'
import { eventually, meteredGateway } from '../support/metered-gateway.ts'
import { noonClock } from '../support/noon-clock.ts'
import { type Asking, asking, controlOf, personActor } from '../support/operators.ts'
import { insertUnitPrice, pricedLedger } from '../support/priced-usage.ts'
import { isOnPostgres } from '../support/test-database.ts'

const clock = noonClock()
const gate = await meteredGateway({
  clock,
  limits: { writeOffNanoPerDayMax: parseUsd('0.01')!, writeOffNanoPerDayWarn: parseUsd('0.02')! },
})
after(() => gate.close().finally(() => gate.sandbox.close()))
const real = controlOf(gate)

const summary: IdentitySummary = { signup: 'open', mail: false, signInWith: [], passkeysUnavailable: null }

/** The same installation, reached at a URL and with or without email. */
function operator(address: string, mail: boolean): Asking {
  const identity = { ...real.identity, summary: { ...summary, mail } }
  const control: ControlDeps = { ...real, address, identity }
  return asking(control, personActor('ada', { operator: true }))
}

const local = operator(gate.origin, false)
const publicly = operator('https://gate.example', true)

async function warnings(of: Asking): Promise<readonly string[]> {
  return (await of.done('system.show', {})).warnings
}

test('a healthy local installation has no warning, and reports its state', async () => {
  const account = await gate.account('5')
  const shown = await local.done('system.show', {})
  assert.deepEqual(shown.warnings, [])
  assert.deepEqual(
    [shown.address, shown.mail, shown.signup, shown.payments],
    [gate.origin, false, 'open', 'none'],
  )
  assert.deepEqual(
    [shown.node, shown.database.kind],
    [process.version, isOnPostgres ? 'postgresql' : 'sqlite'],
  )
  assert.ok(isOnPostgres || (shown.database.bytes ?? 0) > 0)
  assert.equal(shown.platform.promo, '-10.00', 'that of the local account, and that of the new one')
  await gate.account('0')
  assert.equal((await local.done('system.show', {})).accounts, shown.accounts + 1)
  assert.ok(account.id > 0n)
})

test('findings of the background ledger check are reported, and when it last completed', async () => {
  const server = { ...real.server, ledgerReport: () => ({ checkedMs: 5, contradictions: 2 }) }
  const of = asking({ ...real, server }, personActor('ada', { operator: true }))
  const { ledger, warnings: shown } = await of.done('system.show', {})
  assert.deepEqual([ledger.checked, ledger.contradictions], ['1970-01-01T00:00:00.005Z', 2])
  assert.match(shown.join('\n'), /background check of the ledger found 2 contradictions/)
})

test('a public URL without email, or with the sandbox, is reported; a local one is not', async () => {
  assert.match(
    (await warnings(operator('https://gate.example', false))).join('\n'),
    /Email is not configured/,
  )
  assert.doesNotMatch((await warnings(publicly)).join('\n'), /No mail/)
  assert.match((await warnings(publicly)).join('\n'), /The sandbox is enabled/)
  for (const address of ['http://localhost:8080', 'http://127.0.0.1:1', 'http://[::1]:80']) {
    assert.deepEqual(await warnings(operator(address, false)), [])
  }
})

test('write-offs of today are reported above a threshold, and listed by account, the largest first', async () => {
  /** An account whose request cost this much more than its hold. */
  const lossy = async (usd: string): Promise<TestAccount> => {
    const account = await gate.account('0.05')
    const { nextId } = gate.gateway.services
    const [id, nowMs] = [nextId(), clock.wallMs()]
    const asked = { ...plainAsk, id, account: account.id, key: account.keyId, nowMs, inputAmount: 1_000n }
    await gate.ledger.admit({ ...asked, needsUnrestrictedAccount: true })
    await insertUnitPrice(gate.gateway.services.store)
    await pricedLedger(gate.ledger).settle({
      ...{ id, nowMs, cost: parseUsd(usd)! + 1_000n, excessCausedBy: 'account', writtenOff: 0n },
      ...{ writeOffEntryId: nextId(), providerObjects: [], receipt: plainDraft },
    })
    return account
  }
  const small = await lossy('0.002')
  assert.deepEqual(await warnings(local), [])
  const large = await lossy('0.30')
  const shown = await eventually(
    'a warning',
    () => warnings(local),
    (list) => list.length > 0,
  )
  assert.match(shown[0] ?? '', /^Today’s write-offs are 0\.\d+ USD\./)
  const { total, accounts } = await local.done('losses.list', {})
  assert.deepEqual(
    accounts.map(({ account }) => account),
    [large.id, small.id].map((id) => formatId('acct', id)),
  )
  assert.ok(accounts[0]?.restricted !== null && accounts[0]?.email?.includes('@'))
  const sum = accounts.reduce((all, { writtenOff }) => all + (parseUsd(writtenOff) ?? 0n), 0n)
  assert.equal(parseUsd(total), sum)
  const before = { to: new Date(clock.wallMs() - 7 * 86_400_000).toISOString() }
  assert.deepEqual(await local.done('losses.list', before), { total: '0.00', accounts: [] })
  assert.deepEqual((await local.done('losses.list', { limit: 1 })).accounts.length, 1)
})

test('an upstream that rejects our credential and a model without a price are reported by name', async () => {
  const quiet = await warnings(local)
  const { health, catalog } = gate.gateway.services
  await catalog.add({ id: 'gpt-without-price', context: 1_000, maxOutput: 100 })
  const rejection = {
    code: 'upstream_unavailable',
    retry: 'elsewhere',
    status: null,
    message: 'no',
    retryAfterMs: null,
    cooldownMs: 60_000,
    concerns: 'credential',
    otherModelMay: null,
    operator: true,
  } as const
  health.failed('openai', rejection)
  const shown = (await warnings(local)).filter((line) => !quiet.includes(line))
  assert.deepEqual(shown, [
    'Upstream openai: The provider rejected the API key.',
    'Not enabled, because a price, a limit or an upstream is missing: gpt-without-price. Run `tollgate models` for the reasons.',
  ])
  health.served('openai')
  await catalog.disable('gpt-without-price')
  assert.deepEqual(await warnings(local), quiet)
})

test('a ledger that failed verification is reported until it is consistent', async () => {
  const quiet = await warnings(local)
  const { store } = gate.gateway.services
  const { id } = await gate.account('1')
  const setPosted = (posted: bigint) =>
    store.database.updateTable('account').set({ posted }).where('id', '=', id).execute()
  await setPosted(parseUsd('2')!)
  assert.deepEqual(await warnings(local), quiet, 'nobody has looked yet')
  assert.equal((await local.done('ledger.verify', {})).ok, false)
  const shown = (await warnings(local)).filter((line) => !quiet.includes(line))
  assert.match(shown.join('\n'), /^The ledger verification at .* found 1 contradictions\./)
  await setPosted(parseUsd('1')!)
  assert.equal((await local.done('ledger.verify', {})).ok, true)
  assert.deepEqual(await warnings(local), quiet)
})
