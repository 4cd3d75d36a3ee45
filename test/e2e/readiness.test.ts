/**
 * `/readyz` over the real program: 200 only after a completed start and while commits work, without any traffic that
 * would try one; and `ledger verify` on a full disk, with a server and without.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import {
  type GatewayProcess,
  type Installation,
  makeInstallation,
  program,
} from '../support/gateway-process.ts'
import { eventually } from '../support/metered-gateway.ts'
import { embeddedOnly } from '../support/test-database.ts'

const isLinux = process.platform === 'linux'

let installation: Installation
beforeEach(() => {
  installation = makeInstallation('', { fixed: { commitMsMax: 100, commitProbeMs: 200 } })
})
afterEach(() => installation.remove())

const statusOf = async (origin: string, path: string): Promise<number> =>
  (await fetch(`${origin}${path}`, { headers: { connection: 'close' } })).status

const untilReadyIs = (server: GatewayProcess, wanted: number): Promise<number> =>
  eventually(
    `/readyz is ${wanted}`,
    () => statusOf(server.origin, '/readyz'),
    (status) => status === wanted,
  )

function setDisk({ pid }: GatewayProcess, state: 'full' | 'roomy'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${state === 'full' ? '0:' : 'unlimited:'}`])
}

/** Runs the verification as a process that cannot write to any file. */
function verifyOnFullDisk() {
  const words = ['--fsize=0:', process.execPath, program, 'ledger', 'verify', '--json']
  const environment = { PATH: process.env.PATH, TOLLGATE_DATA: installation.dataFolder, TOLLGATE_PORT: '0' }
  return spawnSync('prlimit', words, { cwd: installation.folder, env: environment, encoding: 'utf8' })
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder).map((name) => {
    const { size, mtimeMs } = statSync(join(folder, name))
    return `${name} ${size} ${mtimeMs}`
  })
}

suite('readiness', { concurrency: 1 }, () => {
  test('a full disk: 503 from the first failed commit, 200 without traffic once there is space', {
    skip: !isLinux || embeddedOnly('the disk of the server is another machine’s'),
  }, async () => {
    const server = await installation.start()
    assert.equal(await statusOf(server.origin, '/readyz'), 200)
    setDisk(server, 'full')
    await assert.rejects(installation.ask('account.create', { email: 'a@b.org' }), /store_unavailable/)
    assert.equal(await statusOf(server.origin, '/readyz'), 503)
    assert.equal(await statusOf(server.origin, '/livez'), 200)
    const verified = await installation.call('ledger', 'verify', '--json')
    assert.deepEqual([verified.code, verified.stderr], [0, ''])
    assert.equal(JSON.parse(verified.stdout).ok, true)
    assert.equal(await statusOf(server.origin, '/readyz'), 503)

    setDisk(server, 'roomy')
    await untilReadyIs(server, 200)
    await installation.ask('account.create', { email: 'a@b.org' })
  })

  test('a commit that hangs: 503 while it does', async () => {
    const server = await installation.start({ failpoint: 'before-commit-credit:delay=3000' })
    const credited = installation.ask('credit', { account: 'local', amount: '1', reference: 'a' })
    await untilReadyIs(server, 503)
    assert.equal(await statusOf(server.origin, '/livez'), 200)
    await credited
    await untilReadyIs(server, 200)
  })

  test('a start: 503 until all of it is done, then its key works immediately', async () => {
    const origin = `http://127.0.0.1:${await freePort()}`
    const environment = { TOLLGATE_PORT: new URL(origin).port }
    const starting = installation.start({ environment, failpoint: 'before-commit-statement:delay=100' })
    const seen = new Set<number>()
    await eventually(
      'it is ready',
      async () => {
        const status = await statusOf(origin, '/readyz').catch(() => 0)
        seen.add(status)
        return status
      },
      (status) => status === 200,
    )
    const text = readFileSync(join(installation.dataFolder, 'first-run.txt'), 'utf8')
    const key = /sk-tg-[0-9A-Za-z]+-[0-9A-Za-z]+/.exec(text)?.[0]
    const models = await fetch(`${origin}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(models.status, 200)
    assert.equal(await statusOf(origin, '/console'), 200)
    assert(existsSync(join(installation.dataFolder, 'server.json')))
    assert(seen.has(503), `seen: ${[...seen]}`)
    await starting
  })

  test('a start that cannot write its key ends with one line', async () => {
    mkdirSync(join(installation.dataFolder, 'first-run.txt'), { recursive: true })
    const failed = await installation.attempt()
    assert.deepEqual([failed.code, failed.stdout], [1, ''])
    assert.match(failed.stderr, /tollgate: [^\n]*first-run\.txt[^\n]*\n$/)
    rmSync(join(installation.dataFolder, 'first-run.txt'), { recursive: true })
    await installation.start()
  })
})

const withoutServer = {
  concurrency: 1,
  skip: !isLinux || embeddedOnly('it is opened by the command line itself'),
}
suite('ledger verify without a server', withoutServer, () => {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    test(`works on a full disk after ${signal}, and writes nothing`, async () => {
      const server = await installation.start()
      await installation.ask('account.create', { email: 'a@b.org', credit: '9' })
      server.signal(signal)
      await server.ended
      const before = filesOf(installation.dataFolder)
      assert.equal(
        before.some((file) => file.startsWith('tollgate.db-wal')),
        signal === 'SIGKILL',
      )
      const { status, stdout, stderr } = verifyOnFullDisk()
      assert.deepEqual([status, stderr], [0, ''])
      const { ok, accounts, entries } = JSON.parse(stdout)
      assert.deepEqual([ok, accounts, entries], [true, 2, 2])
      assert.deepEqual(filesOf(installation.dataFolder), before)
    })
  }

  test('rejects a folder that a server uses and a folder without a database', async () => {
    const without = verifyOnFullDisk()
    assert.equal(without.status, 1)
    assert.match(without.stderr, /^tollgate: There is no installation in [^\n]+\n$/)
    const server = await installation.start()
    rmSync(join(installation.dataFolder, 'server.json'))
    const rejected = verifyOnFullDisk()
    assert.equal(rejected.status, 1)
    assert.match(rejected.stderr, /^tollgate: Another process of this program is using [^\n]+\n$/)
    assert.equal(await statusOf(server.origin, '/livez'), 200)
  })
})
