/**
 * The process is killed between any two steps of a background response: the next start continues what was
 * recorded, releases what was not, and every charge is what the provider reports.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import OpenAI from 'openai'
import { parseUsd } from '../../contract/usd.ts'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { type Installation, makeInstallation } from '../support/gateway-process.ts'
import { eventually } from '../support/metered-gateway.ts'
import { sampled } from '../support/sampled.ts'

const settings = (origin: string) => `
sandbox: off
upstreams:
  - { name: trial, provider: sandbox, url: '${origin}', credential: any, models: all }
models:
  - { id: sandbox-stream, provider: sandbox, context: 1000000, maxOutput: 200000, prices: [{ input: 3, output: 15 }] }
`

/** `unpaid`: closed as interrupted, without a charge. `paid`: settled as the sandbox reports it. */
const cases: readonly (readonly [failpoint: string, left: 'unpaid' | 'paid'])[] = [
  ['before-dispatch:kill', 'unpaid'],
  ['after-dispatch:kill', 'unpaid'],
  ['response-answered:kill', 'unpaid'],
  ['before-commit-recordResponse:kill', 'unpaid'],
  ['after-commit-recordResponse:kill', 'paid'],
  ['response-recorded:kill', 'paid'],
  ['response-ended:kill', 'paid'],
  ['before-settle:kill', 'paid'],
  ['before-commit-settle:kill', 'paid'],
  ['after-commit-settle:kill', 'paid'],
  ['after-settle:kill', 'paid'],
]

let sandbox: Sandbox
let installation: Installation
before(async () => {
  sandbox = await startSandbox({ clock: systemClock })
  installation = makeInstallation(settings(sandbox.origin), {
    fixed: { backgroundPollMsMin: 20, backgroundPollMsMax: 50 },
  })
})
after(async () => {
  await installation.remove()
  await sandbox.close()
})

const clientOf = (origin: string, key: string) =>
  new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0, logLevel: 'off' })

for (const [number, [failpoint, left]] of sampled(cases, 4).entries()) {
  test(`${failpoint}: ${left}`, async () => {
    const doomed = await installation.start({ failpoint })
    const { account, key } = await installation.ask('account.create', {
      email: `${number}@example.org`,
      credit: '1',
    })
    const begun = await clientOf(doomed.origin, key)
      .responses.create({ model: 'sandbox-stream', input: 'tokens=100 rate=1000', background: true })
      .catch(() => undefined)
    assert.deepEqual(await doomed.ended, { code: null, signal: 'SIGKILL' })
    const next = await installation.start()
    const [receipt] = await eventually(
      'the request is closed',
      () => installation.ask('requests.list', { account }),
      (receipts) => receipts.length > 0,
    )
    assert.ok(receipt !== undefined)
    const charged = parseUsd(receipt.charged)
    if (left === 'unpaid') {
      assert.equal(begun, undefined)
      assert.deepEqual([receipt.endReason, receipt.background, charged], ['interrupted', false, 0n])
    } else {
      assert.deepEqual([receipt.endReason, receipt.background], ['complete', true])
      assert.equal(receipt.usage.output, 100)
      assert.equal(charged, BigInt(receipt.usage.inputUncached) * 3_000n + 1_500_000n)
    }
    if (begun !== undefined) {
      const done = (await clientOf(next.origin, key).responses.retrieve(
        begun.id,
      )) as OpenAI.Responses.Response
      assert.equal(done.status, 'completed')
    }
    const balance = await installation.ask('account.show', { account })
    assert.deepEqual([balance.openHolds, balance.held], [0, '0.00'])
    assert.equal(parseUsd(balance.posted), 1_000_000_000n - (charged ?? 0n))
    const verified = await installation.ask('ledger.verify', {})
    assert.deepEqual([verified.ok, verified.openHolds, verified.drift], [true, 0, []])
    next.signal('SIGKILL')
    await next.ended
  })
}
