/**
 * How a process with two threads starts and ends, as its operator sees it: a port that is taken, draining with streams in
 * both threads, and a thread that ends on its own.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { parseUsd } from '../../contract/usd.ts'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { type GatewayProcess, type Installation, makeInstallation } from '../support/gateway-process.ts'
import { eventually } from '../support/metered-gateway.ts'
import { movableClock } from '../support/movable-clock.ts'
import { Sent } from '../support/paying-client.ts'

const twoThreads = { TOLLGATE_THREADS: '2' }
/** So many new connections reach both threads. */
const manyTimes = 16

/** Its streams take longer than any machine needs, until a test advances it. */
const sandboxTime = movableClock()
let sandbox: Sandbox
let installation: Installation
let account: string
let key: string

before(async () => {
  sandbox = await startSandbox({ clock: sandboxTime })
})
after(() => sandbox.close())
beforeEach(() => {
  installation = makeInstallation()
})
afterEach(() => installation.remove())

async function start(options: Parameters<Installation['start']>[0] = {}): Promise<GatewayProcess> {
  installation.configure(`
sandbox: off
upstreams:
  - { name: trial, provider: sandbox, url: '${sandbox.origin}', credential: any, models: all }
models:
  - { id: sandbox-stream, provider: sandbox, context: 1000000, maxOutput: 200000, prices: [{ input: 3, output: 15 }] }
limits: { closeMs: 100 }
`)
  const server = await installation.start({ environment: twoThreads, ...options })
  const made = await installation.ask('account.create', { email: 'ada@example.org', credit: '10' })
  account = made.account
  key = made.key
  return server
}

const ask = (server: GatewayProcess, flow: string): Sent =>
  new Sent(server.origin, {
    key,
    format: 'chat',
    body: {
      model: 'sandbox-stream',
      stream: true,
      max_tokens: 5_000,
      messages: [{ role: 'user', content: flow }],
    },
  })

async function receipts() {
  const restarted = await installation.start({ environment: twoThreads })
  const listed = await installation.ask('requests.list', { account, limit: 100 })
  restarted.signal('SIGTERM')
  await restarted.ended
  const verified = await installation.call('ledger', 'verify', '--json')
  assert.equal(verified.code, 0, verified.stdout)
  assert.equal(JSON.parse(verified.stdout).openHolds, 0)
  return listed
}

suite('a process with two threads', { concurrency: 1 }, () => {
  test('on SIGTERM lets streams in both finish, and accepts no new connection', async () => {
    const server = await start()
    const running = Array.from({ length: manyTimes }, () => ask(server, 'tokens=150 rate=5'))
    await Promise.all(running.map((sent) => sent.contents(2)))
    server.signal('SIGTERM')
    await eventually(
      'new connections are refused',
      () =>
        fetch(`${server.origin}/livez`, { headers: { connection: 'close' } }).then(
          () => false,
          () => true,
        ),
      (isRejected) => isRejected,
    )
    sandboxTime.advance(60_000)
    for (const sent of running) {
      const { text, broken } = await sent.whole()
      assert.equal(broken, null)
      assert.match(text, /\[DONE\]/)
    }
    assert.deepEqual(await server.ended, { code: 0, signal: null })
    assert.equal(server.stderr(), '')
    assert.equal(existsSync(join(installation.dataFolder, 'threads')), false)
    const ends = (await receipts()).map(({ endReason, settled }) => `${endReason} ${settled}`)
    assert.deepEqual(ends, Array(manyTimes).fill('complete in_time'))
  })

  test('a thread that ends on its own ends the process, and each of its requests is settled once', async () => {
    const server = await start({ failpoint: `thread-request:exit=4` })
    const running: Sent[] = []
    // Whichever thread the kernel chooses: a few of them have a stream in each when the failure comes.
    const hasEnded = server.ended.then(() => true)
    for (let isOver = false; !isOver; ) {
      const sent = ask(server, 'tokens=150 rate=5')
      running.push(sent)
      const began = sent.contents(2).then(
        () => false,
        () => true,
      )
      isOver = await Promise.race([began, hasEnded])
    }
    assert.deepEqual(await server.ended, { code: 1, signal: null })
    assert.match(server.stdout() + server.stderr(), /a thread of the data plane ended/)
    const wholes = await Promise.allSettled(running.map((sent) => sent.whole()))
    for (const whole of wholes)
      if (whole.status === 'fulfilled') assert.doesNotMatch(whole.value.text, /\[DONE\]/)
    const listed = await receipts()
    assert.ok(listed.length >= 3 && listed.length <= running.length, `${listed.length} of ${running.length}`)
    assert.equal(new Set(listed.map(({ id }) => id)).size, listed.length)
    for (const { endReason, charged } of listed) {
      assert.equal(endReason, 'interrupted')
      assert.ok((parseUsd(charged) ?? 0n) < (parseUsd('0.01') ?? 0n), charged)
    }
  })

  test('does not start on a port that another program has, or another server with threads', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const address = other.address()
    assert.ok(typeof address === 'object' && address !== null)
    const port = { ...twoThreads, TOLLGATE_PORT: `${address.port}` }
    const taken = new RegExp(`The address 127.0.0.1:${address.port} is already in use by another program`)
    assert.match((await installation.attempt({ environment: port })).stderr, taken)
    await new Promise((resolve) => other.close(resolve))
    const first = await installation.start({ environment: port })
    const second = makeInstallation()
    const rejected = await second.attempt({ environment: port })
    assert.deepEqual([rejected.code, rejected.stdout], [1, ''])
    assert.match(rejected.stderr, taken)
    await second.remove()
    first.signal('SIGTERM')
    assert.deepEqual(await first.ended, { code: 0, signal: null })
  })

  test('`serve --threads` is the setting', async () => {
    const { code, stderr } = await installation.command('serve', '--threads', '0')
    assert.equal(code, 1)
    assert.match(stderr, /TOLLGATE_THREADS/)
  })
})
