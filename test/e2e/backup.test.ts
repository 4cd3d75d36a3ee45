/**
 * `tollgate backup` as an operator uses it: while requests are served and while no server runs, with a restore by starting a
 * server on the copy.
 */
// embedded-database: its files are what is copied
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { type GatewayProcess, type Installation, makeInstallation } from '../support/gateway-process.ts'

const clients = 8
const requestsEach = 40
const metricsToken = 'scrape-this-server'

let installation: Installation
let server: GatewayProcess
let key = ''
const places = mkdtempSync(join(tmpdir(), 'tollgate-backup-'))

before(async () => {
  installation = makeInstallation()
  server = await installation.start({ environment: { TOLLGATE_METRICS_TOKEN: metricsToken } })
  const created = await installation.ask('account.create', { email: 'ada@example.org', credit: '5' })
  key = created.key
})
after(async () => {
  await installation.remove()
  rmSync(places, { recursive: true, force: true })
})

async function echo(origin: string): Promise<Response> {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-echo', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await response.arrayBuffer()
  return response
}

/** Of a metric without labels. */
async function metric(name: string): Promise<number> {
  const headers = { authorization: `Bearer ${metricsToken}` }
  const text = await (await fetch(`${server.origin}/metrics`, { headers })).text()
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
}

test('while requests are served, it copies one moment of the ledger, and a server starts on the copy', async () => {
  const folder = join(places, 'served')
  const alerting = {
    ...{ tollgate_ready: 1, tollgate_last_backup_timestamp_seconds: 0, tollgate_ledger_contradictions: 0 },
    ...{ tollgate_database_operations_waiting: 0, tollgate_requests_waiting: 0 },
  }
  for (const [name, value] of Object.entries(alerting)) assert.equal(await metric(name), value, name)
  const load = Array.from({ length: clients }, async () => {
    for (let sent = 0; sent < requestsEach; sent += 1) assert.equal((await echo(server.origin)).status, 200)
  })
  const begunSeconds = Math.floor(systemClock.wallMs() / 1_000)
  const backup = await installation.command('backup', folder)
  await Promise.all(load)
  assert.equal(backup.code, 0, backup.stderr)
  assert.match(
    backup.stdout,
    /^Backed up to .*served\nok: 2 accounts, \d+ entries, \d+ open reservations?\n$/,
  )
  assert.ok((await metric('tollgate_last_backup_timestamp_seconds')) >= begunSeconds)
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  for (const name of ['tollgate.db', 'secret']) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600)

  const restored = makeInstallation()
  try {
    const copy = await restored.start({ environment: { TOLLGATE_DATA: folder } })
    assert.equal((await echo(copy.origin)).status, 200, 'the key works')
    copy.signal('SIGTERM')
    assert.deepEqual(await copy.ended, { code: 0, signal: null })
  } finally {
    await restored.remove()
  }
})

test('it rejects a folder that is not empty, and leaves nothing where it fails', async () => {
  const full = join(places, 'full')
  mkdirSync(full)
  writeFileSync(join(full, 'note.txt'), 'mine')
  const rejected = await installation.command('backup', full)
  assert.equal(rejected.code, 1)
  assert.match(rejected.stderr, /full is not empty\. Choose a new folder/)
  assert.deepEqual(readdirSync(full), ['note.txt'])

  const impossible = await installation.command('backup', join(full, 'note.txt', 'below'))
  assert.equal(impossible.code, 1)
  assert.deepEqual(readdirSync(full), ['note.txt'])

  const unnamed = await installation.command('backup')
  assert.equal(unnamed.code, 2)
  assert.match(unnamed.stderr, /FOLDER/)
})

test('without a server it copies what a killed one left', async () => {
  server.signal('SIGKILL')
  await server.ended
  const folder = join(places, 'killed')
  const backup = await installation.command('backup', folder, '--json')
  assert.equal(backup.code, 0, backup.stderr)
  const { report, hasSecret } = JSON.parse(backup.stdout) as { report: { ok: boolean }; hasSecret: boolean }
  assert.deepEqual([report.ok, hasSecret], [true, true])
  assert.deepEqual(readdirSync(places).sort(), ['full', 'killed', 'served'])
  assert.ok(!existsSync(join(folder, 'tollgate.db-wal')))
})
