/**
 * The first start of an installation: it prints once where the key is and a command that works as
 * printed, prints nothing the next time, and an interrupted first start is continued.
 */
import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { type GatewayProcess, type Installation, makeInstallation } from '../support/gateway-process.ts'
import { repeated } from '../support/sampled.ts'

let installation: Installation
beforeEach(() => {
  installation = makeInstallation()
})
afterEach(() => installation.remove())

const keyForm = /sk-tg-[0-9A-Za-z]+-[0-9A-Za-z]+/

const tellingPath = () => join(installation.dataFolder, 'first-run.txt')
const telling = () => readFileSync(tellingPath(), 'utf8')

/** Runs the curl command of the text as a shell would. */
async function tryAsTold(text: string): Promise<string> {
  const url = /curl (\S+)/.exec(text)?.[1]
  const headers = [...text.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [name!, value!])
  const body = /-d '([^']+)'/.exec(text)?.[1]
  assert(url !== undefined && body !== undefined, text)
  const response = await fetch(url, { method: 'POST', headers: Object.fromEntries(headers), body })
  return response.text()
}

async function end(server: GatewayProcess): Promise<void> {
  server.signal('SIGTERM')
  assert.deepEqual(await server.ended, { code: 0, signal: null })
}

suite('the first start', { concurrency: 1 }, () => {
  test('without a terminal writes the key to a file of its owner, prints only its path, and nothing later', async () => {
    const first = await installation.start()
    assert.doesNotMatch(first.stdout() + first.stderr(), keyForm)
    assert(first.stdout().includes(tellingPath()), first.stdout())
    assert.equal(statSync(tellingPath()).mode & 0o777, 0o600)
    assert.match(await tryAsTold(telling()), /"content":"Hello"/)
    const link = /http:\S+\/console\/setup\S+/.exec(telling())?.[0]
    assert.equal((await fetch(link!)).status, 200)
    const printed = telling()
    await end(first)

    const second = await installation.start()
    assert.match(second.stdout(), /^Tollgate is ready at (\S+)\nConsole: \1\/console\n$/)
    assert.equal(telling(), printed)
    const local = await installation.ask('account.show', { account: 'local' })
    assert.equal(Number(local.posted) < 5 && Number(local.posted) > 4.99, true, local.posted)
  })

  test('when killed at any of its steps is completed by the next start, and grants its credit once', async () => {
    let deaths = 0
    for (const moment of ['before', 'after']) {
      await assertKilled(`${moment}-commit-createAccount:kill`)
      deaths += 1
    }
    const step = repeated(2, 1)
    for (let statement = 1; await isKilled(`after-commit-statement:kill=${statement}`); statement += step) {
      deaths += 1
    }
    assert(deaths >= 4, `${deaths} deaths`)
    const server = await installation.start()
    assert.match(
      await tryAsTold(telling().replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, server.origin)),
      /"content":"Hello"/,
    )
    const accounts = await installation.ask('account.list', {})
    assert.equal(accounts.length, 1)
    const keys = await installation.ask('key.list', { account: 'local' })
    assert.equal(keys.filter(({ revoked }) => revoked === null).length, 1, 'one key, which was told')
    const verified = await installation.ask('ledger.verify', {})
    assert.deepEqual([verified.drift, verified.entries], [[], 2])
  })

  test('is not repeated when the log of a young installation is lost', async () => {
    const young = await installation.start()
    young.signal('SIGKILL')
    await young.ended
    rmSync(join(installation.dataFolder, 'tollgate.db-wal'))
    const again = await installation.attempt()
    assert.notEqual(again.code, 0)
    assert.match(
      again.stderr,
      /tollgate\.db cannot be used: it is missing or empty.* still has secret, server\.json\. .*backup/,
    )
    rmSync(join(installation.dataFolder, 'tollgate.db'))
    assert.equal((await installation.attempt()).stderr, again.stderr)
  })

  test('uses the next free port if the usual one is taken, and the next start uses the same', async () => {
    const squatter = createServer()
    await new Promise<void>((resolve) => {
      // Another program may have taken it already, which is fine.
      squatter.once('error', () => resolve())
      squatter.listen(8080, '127.0.0.1', () => resolve())
    })
    try {
      const usual = { environment: { TOLLGATE_PORT: '' } }
      const first = await installation.start(usual)
      assert.notEqual(new URL(first.origin).port, '8080')
      await end(first)
      const second = await installation.start(usual)
      assert.equal(second.origin, first.origin)
    } finally {
      squatter.close()
    }
  })
})

/** Whether a start dies there; one that does not is stopped. */
async function isKilled(failpoint: string): Promise<boolean> {
  const server = await installation.start({ failpoint }).catch((error: unknown) => {
    assert.match(String(error), /ended \(SIGKILL\)/)
  })
  if (server === undefined) return true
  server.signal('SIGTERM')
  const { code, signal } = await server.ended
  assert(signal === 'SIGKILL' || code === 0, `${code} ${signal} ${server.stderr()}`)
  return signal === 'SIGKILL'
}

async function assertKilled(failpoint: string): Promise<void> {
  assert.equal(await isKilled(failpoint), true, failpoint)
}
