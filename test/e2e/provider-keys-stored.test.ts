/**
 * Provider keys as accounts store them: tested at their provider before they are saved, write-only, for one address, and
 * neither in the database nor in the audit nor in a message as they are.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { formatId } from '../../src/base/ids.ts'
import { createLog } from '../../src/base/log.ts'
import { limitDefaults } from '../../src/config/config.ts'
import { commandStatus } from '../../src/server/server-status.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { keyHost } from '../support/key-host.ts'
import { asking, personActor } from '../support/operators.ts'
import { storedIn } from '../support/test-database.ts'

/** Assembled here, so that nothing like a secret is in the repository. */
const canary = (what: string): string => ['canary', what, '7'.repeat(24), 'tail'].join('')
const [right, wrong, other] = [canary('right'), canary('wrong'), canary('other')]

const host = await keyHost('at the provider', [right, other])
const folder = mkdtempSync(join(tmpdir(), 'tollgate-provider-keys-'))
const logged: string[] = []
const log = createLog({ level: 'trace', destination: { write: (line: string) => void logged.push(line) } })
const limits = { providerKeyTestsPerMinute: 1_000, providerKeysPerAccountMax: 2 }

after(async () => {
  await host.close()
  rmSync(folder, { recursive: true })
})

/** A gateway whose keys for two providers go to the same host on loopback. */
function opened(accounts: string, more: object = {}, urls = { openai: host.origin, groq: host.origin }) {
  const lines = Object.entries(urls).map(([provider, url]) => `    ${provider}: ${url}`)
  const file = ['providerKeys:', `  accounts: ${accounts}`, '  urls:', ...lines, '']
  writeFileSync(join(folder, 'tollgate.yaml'), file.join('\n'))
  return testGateway({
    dataFolder: folder,
    openai: host.origin,
    log,
    limits: { ...limits, ...more },
  })
}

function operations(gate: TestGateway, more: object = {}) {
  const status = commandStatus(systemClock, { ...limitDefaults, ...limits, ...more })
  const control = gate.gateway.services.control(gate.origin, status)
  return asking(control, { kind: 'local' })
}

test('a key is tested, stored, listed by its end, changed and removed; the rest of it is in no text', async () => {
  const gate = await opened('all')
  try {
    const local = operations(gate)
    const account = formatId('acct', (await gate.account('0')).id)
    const rejected = await local.rejected('provider-keys.put', {
      account,
      provider: 'openai',
      credential: wrong,
    })
    assert.deepEqual(
      [rejected.status, rejected.code, rejected.param],
      [409, 'upstream_test_failed', 'credential'],
    )
    assert.match(
      rejected.message,
      /rejected the API key \(HTTP 401\)\. It says: Key … failed with 401\. Nothing/,
    )
    assert.deepEqual((await local.done('provider-keys.list', { account })).keys, [])

    const put = await local.done('provider-keys.put', { account, provider: 'openai', credential: right })
    assert.deepEqual(
      [put.name, put.url, put.use, put.credentialEnd, put.state],
      ['OpenAI', host.origin, 'first', 'tail', 'usable'],
    )
    assert.ok(put.models > 0)
    const changed = await local.done('provider-keys.put', { account, provider: 'openai', use: 'only' })
    assert.deepEqual([changed.use, changed.credentialEnd], ['only', 'tail'])
    const tested = await local.done('provider-keys.test', { account, provider: 'openai' })
    assert.equal(tested.state, 'accepted')
    const { keys, providers, fee, allowed } = await local.done('provider-keys.list', { account })
    assert.deepEqual([keys.length, fee, allowed], [1, '0%', true])
    assert.deepEqual(
      providers.map(({ provider }) => provider),
      ['openai'],
    )
    const audit = await local.done('audit.list', { limit: 20 })
    assert.ok(audit.some(({ operation }) => operation === 'provider-keys.put'))

    const stored = (await storedIn(folder)).map(([, text]) => text)
    for (const text of [JSON.stringify([keys, audit, rejected]), logged.join(''), ...stored])
      for (const secret of [right, wrong]) assert.ok(!text.includes(secret))
    assert.deepEqual(await local.done('provider-keys.remove', { account, provider: 'openai' }), {
      provider: 'openai',
      removed: true,
    })
    const missing = await local.rejected('provider-keys.test', { account, provider: 'openai' })
    assert.deepEqual([missing.status, missing.code], [404, 'provider_key_not_found'])
  } finally {
    await gate.close()
  }
})

test('no URL, field of a mapping, cloud or unknown provider is accepted', async () => {
  const gate = await opened('all')
  try {
    const local = operations(gate)
    const account = formatId('acct', (await gate.account('0')).id)
    const put = (more: object) =>
      local.rejected('provider-keys.put', { account, provider: 'openai', credential: right, ...more })
    const url = await put({ url: 'http://127.0.0.1:1/v1' })
    assert.deepEqual([url.code, url.param], ['invalid_value', 'url'])
    const file = await put({ credential: JSON.stringify({ credentialFile: '/etc/hostname' }) })
    assert.deepEqual([file.code, file.param], ['invalid_value', 'credential'])
    for (const provider of ['vertex', 'bedrock', 'azure', 'custom', 'vllm', 'sandbox', 'constructor']) {
      const rejected = await put({ provider })
      assert.deepEqual([rejected.code, rejected.param], ['invalid_value', 'provider'], provider)
    }
  } finally {
    await gate.close()
  }
})

test('keys per account and tests per minute are limited', async () => {
  const few = { providerKeysPerAccountMax: 1, providerKeyTestsPerMinute: 3 }
  const gate = await opened('all', few)
  try {
    const local = operations(gate, few)
    const account = formatId('acct', (await gate.account('0')).id)
    const second = formatId('acct', (await gate.account('0')).id)
    await local.done('provider-keys.put', { account, provider: 'openai', credential: right })
    const full = await local.rejected('provider-keys.put', { account, provider: 'groq', credential: other })
    assert.deepEqual([full.code, full.status], ['conflict', 409])
    const before = host.seen.size
    await local.done('provider-keys.test', { account, provider: 'openai' })
    const throttled = await local.rejected('provider-keys.put', {
      ...{ account, provider: 'openai' },
      credential: canary('scanned'),
    })
    assert.deepEqual([throttled.code, throttled.status], ['too_many_attempts', 429])
    assert.equal(host.seen.size, before, 'nothing was sent')
    await local.done('provider-keys.put', { account: second, provider: 'openai', credential: other })
  } finally {
    await gate.close()
  }
})

test('a key is stored for its address: with another one it must be entered again', async () => {
  const elsewhere = await keyHost('elsewhere', [right])
  const gate = await opened('all')
  const account = formatId('acct', (await gate.account('0')).id)
  try {
    await operations(gate).done('provider-keys.put', { account, provider: 'openai', credential: right })
  } finally {
    await gate.close()
  }
  const moved = await opened('all', {}, { openai: elsewhere.origin, groq: host.origin })
  try {
    const local = operations(moved)
    assert.equal((await local.done('provider-keys.list', { account })).keys[0]?.state, 'unreadable')
    const kept = await local.rejected('provider-keys.put', { account, provider: 'openai', use: 'only' })
    assert.deepEqual([kept.code, kept.param], ['missing_field', 'credential'])
    assert.ok(!elsewhere.seen.has(right))
  } finally {
    await moved.close()
    await elsewhere.close()
  }
})

test('by default no account stores one, and with organizations no personal account', async () => {
  for (const [accounts, allowed] of [
    ['none', false],
    ['organizations', false],
    ['all', true],
  ] as const) {
    const gate = await opened(accounts)
    try {
      const local = operations(gate)
      const account = formatId('acct', (await gate.account('0')).id)
      assert.equal((await local.done('provider-keys.list', { account })).allowed, allowed)
      const asked = { account, provider: 'openai', credential: right }
      if (allowed) await local.done('provider-keys.put', asked)
      else assert.equal((await local.rejected('provider-keys.put', asked)).code, 'not_allowed')
    } finally {
      await gate.close()
    }
  }
})

test('strangers cannot see or change the keys of an account, nor can its own person after a long session', async () => {
  const gate = await opened('all')
  try {
    const account = formatId('acct', (await gate.account('0')).id)
    const control = gate.gateway.services.control(gate.origin, commandStatus(systemClock, limitDefaults))
    const stranger = asking(control, personActor('stranger'))
    for (const [name, more] of [
      ['provider-keys.list', {}],
      ['provider-keys.put', { provider: 'openai', use: 'first' }],
      ['provider-keys.test', { provider: 'openai' }],
      ['provider-keys.remove', { provider: 'openai' }],
    ] as const) {
      assert.equal((await stranger.rejected(name, { account, ...more })).code, 'account_not_found', name)
    }
  } finally {
    await gate.close()
  }
})
