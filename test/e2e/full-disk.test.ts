/**
 * A full disk, and a store whose thread dies: no client is blamed, no response
 * looks complete without its charge, and once there is space everything recovers without a restart.
 */
// embedded-database: it is its files that no longer grow, and its thread that ends
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { parseUsd } from '../../contract/usd.ts'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { type GatewayProcess, type Installation, makeInstallation } from '../support/gateway-process.ts'
import { eventually } from '../support/metered-gateway.ts'
import { type Format, formats, rejectionIn, Sent } from '../support/paying-client.ts'

const rate = { input: 3_000n, output: 15_000n }
const successMark = /\[DONE\]|"finish_reason":"|message_stop|"stop_reason":"/

let sandbox: Sandbox
let installation: Installation

before(async () => {
  sandbox = await startSandbox({ clock: systemClock })
})
after(() => sandbox.close())
beforeEach(() => {
  installation = makeInstallation(
    `
sandbox: off
upstreams:
  - { name: trial, provider: sandbox, url: '${sandbox.origin}', credential: any, models: all }
models:
  - { id: sandbox-stream, provider: sandbox, context: 1000000, maxOutput: 200000, prices: [{ input: 3, output: 15 }] }
limits: { drainMs: 500, closeMs: 500 }
`,
    { fixed: { settleWaitMs: 500, settleRetryMs: 50 } },
  )
})
afterEach(() => installation.remove())

/** Every write to a file fails, as on a full disk; the kernel's limit can be lifted again. */
function setDisk({ pid }: GatewayProcess, state: 'full' | 'roomy'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${state === 'full' ? '0:' : 'unlimited:'}`])
}

function ask(server: GatewayProcess, key: string, of: { format: Format; flow: string; stream?: boolean }) {
  const messages = [{ role: 'user', content: of.flow }]
  const body = { model: 'sandbox-stream', stream: of.stream ?? true, max_tokens: 5_000, messages }
  return new Sent(server.origin, { key, format: of.format, body })
}

async function assertSound(account: string): Promise<void> {
  const receipts = await installation.ask('requests.list', { account, limit: 100 })
  for (const { id, charged, endReason, usage } of receipts) {
    const made = sandbox.logged(id)
    assert(made !== undefined)
    const worth = BigInt(made.inputTokens) * rate.input + BigInt(made.outputTokens) * rate.output
    if (endReason === 'complete') assert.equal(parseUsd(charged), worth)
    else assert(usage.output <= made.outputTokens)
  }
  const { openHolds } = await installation.ask('account.show', { account })
  assert.equal(openHolds, 0)
  const verified = await installation.ask('ledger.verify', {})
  assert.deepEqual(verified.drift, [])
}

suite('a full disk', { concurrency: 1, skip: process.platform !== 'linux' }, () => {
  test('rejects requests with its own error, lets nothing look complete, and recovers when there is space', async () => {
    const server = await installation.start()
    const { account, key } = await installation.ask('account.create', { email: 'a@b.org', credit: '9' })
    const fresh = await installation.ask('key.create', { account, name: 'not used yet' })
    const running = formats.map((format) => ask(server, key, { format, flow: 'tokens=60 rate=100' }))
    const whole = formats.map((format) =>
      ask(server, key, { format, flow: 'tokens=60 rate=100', stream: false }),
    )
    await Promise.all(running.map((sent) => sent.contents(2)))
    await eventually(
      'all run',
      () => sandbox.requests(),
      (count) => count === 4,
    )

    setDisk(server, 'full')
    for (const format of formats) {
      for (const used of [key, fresh.key]) {
        const rejected = await ask(server, used, { format, flow: 'tokens=1' }).whole()
        assert.deepEqual([rejected.status, rejectionIn(rejected.text).code], [503, 'store_unavailable'])
        assert.match(String(rejected.headers['retry-after']), /^\d+$/)
      }
    }
    for (const sent of running) {
      const { text, broken } = await sent.whole()
      assert.equal(broken, null)
      assert.doesNotMatch(text, successMark)
      assert.match(text, /could not be recorded in time/)
    }
    for (const sent of whole) {
      const { status, text } = await sent.whole()
      assert.deepEqual([status, rejectionIn(text).code], [503, 'settlement_delayed'])
    }

    setDisk(server, 'roomy')
    const settled = await eventually(
      'what waited is settled',
      () => installation.ask('requests.list', { account }),
      (receipts) => receipts.length === 4,
    )
    for (const receipt of settled) {
      assert.deepEqual([receipt.endReason, receipt.settled, receipt.status], ['interrupted', 'late', 503])
      if (!receipt.streamed) assert.equal(parseUsd(receipt.charged), 0n)
    }
    for (const format of formats) {
      const { text } = await ask(server, fresh.key, { format, flow: 'tokens=3' }).whole()
      assert.match(text, successMark)
    }
    await assertSound(account)
    assert.doesNotMatch(server.stdout(), /"level":"fatal"/)
  })

  test('does not prevent a server from stopping, and the next one closes what was left open', async () => {
    const server = await installation.start()
    const { account, key } = await installation.ask('account.create', { email: 'a@b.org', credit: '9' })
    const running = formats.map((format) => ask(server, key, { format, flow: 'tokens=5000 rate=200' }))
    await Promise.all(running.map((sent) => sent.contents(2)))
    setDisk(server, 'full')
    server.signal('SIGTERM')
    for (const sent of running) assert.doesNotMatch((await sent.whole()).text, successMark)
    assert.deepEqual(await server.ended, { code: 0, signal: null })
    assert.match(server.stdout(), /not everything was written/)

    await installation.start()
    const receipts = await installation.ask('requests.list', { account })
    assert.deepEqual(
      receipts.map(({ endReason }) => endReason),
      ['interrupted', 'interrupted'],
    )
    await assertSound(account)
  })
})

test('a store whose thread dies ends the process with a message, and the next start recovers', async () => {
  const server = await installation.start({ failpoint: 'before-commit-settle:exit' })
  const { account, key } = await installation.ask('account.create', { email: 'a@b.org', credit: '9' })
  const running = formats.map((format) => ask(server, key, { format, flow: 'tokens=5000 rate=200' }))
  await Promise.all(running.map((sent) => sent.contents(2)))
  const last = await ask(server, key, { format: 'chat', flow: 'tokens=3' }).whole()
  assert.doesNotMatch(last.text, successMark)
  for (const sent of running) assert.doesNotMatch((await sent.whole()).text, successMark)
  assert.deepEqual(await server.ended, { code: 1, signal: null })
  assert.match(server.stdout(), /"level":"fatal".*the store/)

  const next = await installation.start()
  const receipts = await installation.ask('requests.list', { account })
  assert.equal(receipts.length, 3)
  for (const { endReason } of receipts) assert.equal(endReason, 'interrupted')
  await assertSound(account)
  assert.match((await ask(next, key, { format: 'messages', flow: 'tokens=3' }).whole()).text, successMark)
})

for (const step of ['claimProcess', 'statement', 'createAccount']) {
  test(`a start that fails at its first ${step} ends with one line, and the next one succeeds`, async () => {
    installation.configure('sandbox: on')
    const failed = await installation.attempt({ failpoint: `before-commit-${step}:fail` })
    assert.deepEqual([failed.code, failed.stdout], [1, ''])
    assert.match(failed.stderr, /^tollgate: [^\n]+\n$/)
    await installation.start()
  })
}
