/**
 * How a server stops on a signal: it immediately reports that it is not ready, accepts nothing new, lets running requests
 * finish, and after a deadline ends them with an error frame and a charge for what was delivered.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import type { OperationOutput } from '../../contract/operations.ts'
import { parseUsd } from '../../contract/usd.ts'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { type GatewayProcess, type Installation, makeInstallation } from '../support/gateway-process.ts'
import { eventually } from '../support/metered-gateway.ts'
import { movableClock } from '../support/movable-clock.ts'
import { type Format, formats, rejectionIn, Sent } from '../support/paying-client.ts'

const rate = { input: 3_000n, output: 15_000n }
const successMark = /\[DONE\]|"finish_reason":"|message_stop|"stop_reason":"/

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

async function start(limits: string, environment = {}): Promise<GatewayProcess> {
  installation.configure(`
sandbox: off
upstreams:
  - { name: trial, provider: sandbox, url: '${sandbox.origin}', credential: any, models: all }
models:
  - { id: sandbox-stream, provider: sandbox, context: 1000000, maxOutput: 200000, prices: [{ input: 3, output: 15 }] }
limits: { ${limits} }
`)
  const server = await installation.start({ environment })
  const made = await installation.ask('account.create', { email: 'ada@example.org', credit: '10' })
  account = made.account
  key = made.key
  return server
}

beforeEach(() => {
  installation = makeInstallation()
})
afterEach(() => installation.remove())

function ask(server: GatewayProcess, format: Format, flow: string, stream = true): Sent {
  const messages = [{ role: 'user', content: flow }]
  return new Sent(server.origin, {
    key,
    format,
    body: { model: 'sandbox-stream', stream, max_tokens: 5_000, messages },
  })
}

/** Streams of both formats that have begun to respond. */
async function streams(server: GatewayProcess, flow: string): Promise<readonly Sent[]> {
  const sent = [...formats, ...formats].map((format) => ask(server, format, flow))
  await Promise.all(sent.map((one) => one.contents(2)))
  return sent
}

async function statusOf(origin: string, path: string): Promise<number> {
  return (await responseOn(origin, path, false)).statusCode ?? 0
}

function responseOn(origin: string, path: string, agent: Agent | false): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest(`${origin}${path}`, { agent }, (response) => {
      response.resume()
      response.once('end', () => resolve(response))
    })
      .on('error', reject)
      .end()
  })
}

const untilNotReady = (server: GatewayProcess) =>
  eventually(
    'not ready',
    () => statusOf(server.origin, '/readyz'),
    (status) => status === 503,
  )

const untilClosed = (server: GatewayProcess) =>
  eventually(
    'the port is closed',
    () => statusOf(server.origin, '/livez').catch((error: NodeJS.ErrnoException) => error.code),
    (code) => code === 'ECONNREFUSED',
  )

/** Every request is closed, and charged at most its cost; returns how they ended. */
async function booksAfterwards(): Promise<readonly string[]> {
  const listed = await installation.call('requests', account, '--limit', '100', '--json')
  assert.equal(listed.code, 0, listed.stderr)
  const receipts = JSON.parse(listed.stdout) as OperationOutput<'requests.list'>
  for (const { id, charged, endReason, streamed, usage } of receipts) {
    const made = sandbox.logged(id)
    assert(made !== undefined)
    const worth = BigInt(made.inputTokens) * rate.input + BigInt(made.outputTokens) * rate.output
    if (endReason === 'complete') assert.equal(parseUsd(charged), worth)
    else if (!streamed) assert.equal(charged, '0.00', 'nobody pays for an answer that was not delivered')
    else
      assert(usage.output > 0 && usage.output <= made.outputTokens, `${usage.output} of ${made.outputTokens}`)
  }
  const verified = await installation.call('ledger', 'verify', '--json')
  assert.equal(verified.code, 0, verified.stdout)
  assert.equal(JSON.parse(verified.stdout).openHolds, 0)
  return receipts.map(({ endReason, settled }) => `${endReason} ${settled}`).sort()
}

suite('a server that is stopped', { concurrency: 1 }, () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`on ${signal} closes its port and lets connections and streams finish`, async () => {
      const server = await start('')
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      assert.equal((await responseOn(server.origin, '/readyz', agent)).statusCode, 200)
      const before = sandbox.requests()
      const running = await streams(server, 'tokens=150 rate=5')
      const whole = ask(server, 'messages', 'tokens=100 rate=5', false)
      await eventually(
        'all run',
        () => sandbox.requests() - before,
        (count) => count === 5,
      )
      server.signal(signal)
      await untilClosed(server)
      // What a terminal's Ctrl-C becomes on its way through npm and the launcher.
      server.signal(signal)
      // A connection that a client has kept gets one more answer, which says that it is the last one.
      const last = await responseOn(server.origin, '/readyz', agent)
      assert.deepEqual([last.statusCode, last.headers.connection], [503, 'close'])
      sandboxTime.advance(60_000)
      for (const sent of running) {
        const { text, broken } = await sent.whole()
        assert.equal(broken, null)
        assert.match(text, successMark)
      }
      assert.equal((await whole.whole()).status, 200)
      assert.deepEqual(await server.ended, { code: 0, signal: null })
      agent.destroy()
      assert.equal(server.stderr(), '')
      assert.equal(existsSync(join(installation.dataFolder, 'server.json')), false)
      assert.deepEqual(await booksAfterwards(), Array(5).fill('complete in_time'))
    })
  }

  test('serves as before while balancers learn that it is not ready', async () => {
    const server = await start('closeMs: 100', { TOLLGATE_DRAIN_NOTICE_MS: '600000' })
    server.signal('SIGTERM')
    await untilNotReady(server)
    for (const format of formats)
      assert.equal((await ask(server, format, 'tokens=1 rate=1000000', false).whole()).status, 200)
    const status = await installation.ask('system.show', {})
    assert.equal(status.draining, true)
  })

  test('with nothing to do ends, whatever connections are open', async () => {
    const server = await start('drainMs: 600000')
    const silent = connect(Number(new URL(server.origin).port), '127.0.0.1')
    await new Promise((resolve) => silent.once('connect', resolve))
    server.signal('SIGTERM')
    assert.deepEqual(await server.ended, { code: 0, signal: null })
    silent.destroy()
  })

  test('serves a request whose body was in transit when the signal arrived', async () => {
    const server = await start('closeMs: 100')
    const body = JSON.stringify({
      model: 'sandbox-stream',
      stream: true,
      max_tokens: 500,
      messages: [{ role: 'user', content: 'tokens=60 rate=100' }],
    })
    const client = connect(Number(new URL(server.origin).port), '127.0.0.1')
    let answer = ''
    client.setEncoding('utf8').on('data', (text: string) => {
      answer += text
    })
    client.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`,
    )
    await eventually(
      'the body is asked for',
      () => answer,
      (text) => text.includes('100 Continue'),
    )
    client.write(body.slice(0, 20))
    server.signal('SIGTERM')
    await untilClosed(server)
    client.write(body.slice(20))
    await new Promise((resolve) => client.once('close', resolve))
    assert.match(answer, /HTTP\/1\.1 200/)
    assert.match(answer, successMark)
    assert.deepEqual(await server.ended, { code: 0, signal: null })
    assert.deepEqual(await booksAfterwards(), ['complete in_time'])
  })

  test('at its deadline ends streams with an error frame and charges what was delivered', async () => {
    const server = await start('drainMs: 300')
    const before = sandbox.requests()
    const running = await streams(server, 'tokens=5000 rate=100')
    const whole = ask(server, 'chat', 'tokens=5000 rate=100', false)
    const left = ask(server, 'messages', 'tokens=5000 rate=100', false)
    await eventually(
      'all run',
      () => sandbox.requestLog().slice(before),
      (meters) => meters.length === 6 && meters.every(({ outputTokens }) => outputTokens > 0),
    )
    // It is read to the end for its usage; no client waits for the response.
    left.leave()
    server.signal('SIGTERM')
    for (const sent of running) {
      const { text, broken } = await sent.whole()
      assert.equal(broken, null, 'the error frame ends the answer properly')
      assert.match(text, /shutting down/)
      assert.doesNotMatch(text, successMark)
    }
    const rejected = await whole.whole()
    assert.deepEqual([rejected.status, rejectionIn(rejected.text).code], [503, 'draining'])
    assert.deepEqual(await server.ended, { code: 0, signal: null })
    const ends = await booksAfterwards()
    assert.deepEqual(ends, Array(6).fill('interrupted in_time'))
  })

  test('is forced by a second signal that comes more than a second after the first', async () => {
    const server = await start('drainMs: 600000')
    const running = await streams(server, 'tokens=5000 rate=50')
    const startedMs = systemClock.monoMs()
    server.signal('SIGTERM')
    await untilClosed(server)
    // A busy machine may take up the second in which a signal counts as the same one.
    if (systemClock.monoMs() - startedMs < 500) {
      server.signal('SIGTERM')
      const seen = contents(running)
      await eventually(
        'a second later they still run',
        () => systemClock.monoMs(),
        (ms) => ms - startedMs > 1_300,
      )
      assert(contents(running) > seen, 'a repeated signal does not force')
    } else await new Promise<void>((resolve) => systemClock.after(1_000, resolve))
    server.signal('SIGTERM')
    for (const sent of running) {
      const { text, broken } = await sent.whole()
      assert.equal(broken, null)
      assert.match(text, /shutting down/)
      assert.doesNotMatch(text, successMark)
    }
    assert.deepEqual(await server.ended, { code: 0, signal: null })
    assert.deepEqual(await booksAfterwards(), Array(4).fill('interrupted in_time'))
  })
})

function contents(running: readonly Sent[]): number {
  return running.reduce((sum, { text }) => sum + text.length, 0)
}
