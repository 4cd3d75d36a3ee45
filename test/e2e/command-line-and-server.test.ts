/**
 * One data folder has one owner: a second server is rejected, and the CLI goes through the running server.
 * The effect of a command is visible to the next request. The servers are processes, and so is the command after a kill.
 */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type OperationName, type OperationOutput, operations } from '../../contract/operations.ts'
import { parseUsd } from '../../contract/usd.ts'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { CommandResult } from '../support/command-line.ts'
import { type GatewayProcess, type Installation, makeInstallation } from '../support/gateway-process.ts'
import { type Format, formats, rejectionIn, Sent, type Whole } from '../support/paying-client.ts'
import { waitingUpload } from '../support/waiting-upload.ts'

/** Their responses would take longer. */
const revokedStreamsEndMs = 60_000
const successMark = /\[DONE\]|"finish_reason":"|message_stop|"stop_reason":"/

let sandbox: Sandbox
let installation: Installation
let server: GatewayProcess

before(async () => {
  sandbox = await startSandbox({ clock: systemClock })
  installation = makeInstallation(`
sandbox: off
upstreams:
  - { name: trial, provider: sandbox, url: '${sandbox.origin}', credential: any, models: all }
models:
  - { id: sandbox-stream, provider: sandbox, context: 1000000, maxOutput: 200000, prices: [{ input: 3, output: 15 }] }
`)
  server = await installation.start()
})
after(async () => {
  await installation.remove()
  await sandbox.close()
})

/** Runs a command and parses its output by the contract. */
async function command<Name extends OperationName>(
  name: Name,
  ...words: readonly string[]
): Promise<OperationOutput<Name>> {
  return parsed(name, await installation.call(...words, '--json'))
}

function parsed<Name extends OperationName>(
  name: Name,
  { code, stdout, stderr }: CommandResult,
): OperationOutput<Name> {
  assert.deepEqual([code, stderr], [0, ''], stdout)
  return operations[name].output.parse(JSON.parse(stdout)) as OperationOutput<Name>
}

function ask(key: string, format: Format, flow: string, model = 'sandbox-stream'): Sent {
  const messages = [{ role: 'user', content: flow }]
  return new Sent(server.origin, { key, format, body: { model, stream: true, max_tokens: 9_000, messages } })
}

async function answered(key: string, model?: string): Promise<Whole> {
  return ask(key, 'chat', 'tokens=3', model).whole()
}

async function assertServed(key: string, model?: string): Promise<string> {
  const { status, text, headers } = await answered(key, model)
  assert.equal(status, 200, text)
  assert.match(text, successMark)
  return String(headers['x-request-id'])
}

async function assertRejected(key: string, status: number, code: string, model?: string): Promise<void> {
  const whole = await answered(key, model)
  assert.deepEqual([whole.status, rejectionIn(whole.text).code], [status, code])
}

suite('one owner', { concurrency: 1 }, () => {
  test('a second server on the same data is rejected with one clear line, and the first continues to serve', async () => {
    const second = await installation.attempt()
    assert.deepEqual([second.code, second.stdout], [1, ''])
    assert.match(second.stderr, /^tollgate: Another process of this program is using [^\n]+\n$/)
    assert(second.stderr.includes(installation.dataFolder))
    assert.equal((await fetch(`${server.origin}/readyz`)).status, 200)
  })

  test('kill -9 of the owner frees the data immediately, for a server and for a command', async () => {
    server.signal('SIGKILL')
    await server.ended
    const alone = parsed('ledger.verify', await installation.command('ledger', 'verify', '--json'))
    assert.equal(alone.ok, true)
    server = await installation.start()
    assert.equal((await fetch(`${server.origin}/readyz`)).status, 200)
  })

  test('an account and its key work on the next request, and so does credit', async () => {
    const { key, balance } = await command(
      'account.create',
      ...['account', 'create', '--email', 'bo@example.org', '--credit', '0'],
    )
    assert.equal(balance, '0.00')
    await assertRejected(key, 402, 'insufficient_balance')
    const credit = ['credit', 'bo@example.org', '1.00', '--reference', 'first']
    assert.equal((await command('credit', ...credit)).created, true)
    await assertServed(key)
    assert.equal((await command('credit', ...credit)).created, false)
    const [receipt, ...more] = await command('requests.list', 'requests', 'bo@example.org')
    assert.deepEqual([receipt?.endReason, more], ['complete', []])
    await command('account.suspend', 'account', 'suspend', 'bo@example.org')
    await assertRejected(key, 403, 'account_suspended')
    await command('account.resume', 'account', 'resume', 'bo@example.org')
    await assertServed(key)
  })

  test('a revoked key is rejected immediately, its streams end with an error frame and are settled', async () => {
    const made = await installation.ask('account.create', { email: 'cy@example.org', credit: '5' })
    const doomed = await command('key.create', ...['key', 'create', 'cy@example.org', '--name', 'doomed'])
    const running = formats.map((format) => ask(doomed.key, format, 'tokens=8000 rate=100'))
    const others = formats.map((format) => ask(made.key, format, 'tokens=300 rate=100'))
    await Promise.all([...running, ...others].map((sent) => sent.contents(3)))
    const upload = waitingUpload(server.origin, doomed.key, 'sandbox-stream')
    await upload.asked

    await command('key.revoke', 'key', 'revoke', doomed.id)
    const revokedMs = systemClock.monoMs()
    await assertRejected(doomed.key, 401, 'revoked_api_key')
    for (const sent of running) {
      const { text, broken } = await sent.whole()
      assert.equal(broken, null)
      assert.match(text, /was revoked while this request ran/)
      assert.doesNotMatch(text, successMark)
    }
    assert(systemClock.monoMs() - revokedMs < revokedStreamsEndMs)
    assert.match(await upload.finish(), /^HTTP\/1\.1 401 /)
    for (const sent of others) assert.match((await sent.whole()).text, successMark)
    await assertServed(made.key)

    const receipts = await command('requests.list', 'requests', 'cy@example.org')
    const cut = receipts.filter(({ key }) => key === doomed.id)
    assert.deepEqual(
      cut.map(({ endReason, error }) => [endReason, error]),
      [0, 1].map(() => ['interrupted', 'key_revoked_midway']),
    )
    for (const { id, usage } of cut) {
      const made = sandbox.logged(id)
      assert(made !== undefined && usage.output > 0 && usage.output <= made.outputTokens)
    }
    const { openHolds } = await command('account.show', 'account', 'show', 'cy@example.org')
    assert.equal(openHolds, 0)
  })

  test('a model is enabled, repriced and removed between two requests', async () => {
    const { key } = await installation.ask('account.create', { email: 'di@example.org', credit: '5' })
    await assertRejected(key, 404, 'model_not_found', 'house-model')
    await command(
      'models.add',
      ...['models', 'add', 'house-model', '--provider', 'sandbox', '--upstream-model', 'sandbox-stream'],
      ...['--context', '10000', '--max-output', '9000', '--input', '0', '--output', '10'],
    )
    const running = ask(key, 'messages', 'tokens=200 rate=100', 'house-model')
    await running.contents(2)
    const before = await assertServed(key, 'house-model')
    await command('models.price', 'models', 'price', 'house-model', '--input', '0', '--output', '20')
    const after = await assertServed(key, 'house-model')
    await command('models.disable', 'models', 'disable', 'house-model')
    await assertRejected(key, 404, 'model_not_found', 'house-model')
    assert.match((await running.whole()).text, successMark)
    await installation.ask('models.enable', { model: 'house-model' })
    await assertServed(key, 'house-model')

    const receipts = await command('requests.list', 'requests', 'di@example.org')
    const perToken = (id: string): bigint | undefined => {
      const receipt = receipts.find((one) => one.id === id)
      return receipt && parseUsd(receipt.charged)! / BigInt(receipt.usage.output)
    }
    assert.deepEqual([perToken(before), perToken(after)], [10_000n, 20_000n])
    const pinned = String((await running.head).headers['x-request-id'])
    assert.equal(perToken(pinned), 10_000n, 'a running request keeps its price')
  })

  test('the ledger verifies, through the server and after it has stopped', async () => {
    const whileRunning = await command('ledger.verify', 'ledger', 'verify')
    server.signal('SIGTERM')
    assert.deepEqual(await server.ended, { code: 0, signal: null })
    const alone = await command('ledger.verify', 'ledger', 'verify')
    assert.deepEqual(alone, whileRunning)
    assert.deepEqual([alone.ok, alone.openHolds], [true, 0])
    const shown = await command('account.show', 'account', 'show', 'bo@example.org')
    assert.equal(shown.held, '0.00')
  })
})
