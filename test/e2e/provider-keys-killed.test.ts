/**
 * The process is killed while a stream on an account's own key runs: the next start charges the fee for what was delivered, or
 * nothing, and verification computes the same from the receipt alone.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseUsd } from '../../contract/usd.ts'
import {
  chunkedHead,
  type FaultUpstream,
  faultUpstream,
  httpChunk,
  type Reply,
  wholeAnswer,
} from '../support/fault-upstream.ts'
import { type Installation, makeInstallation } from '../support/gateway-process.ts'
import { eventually } from '../support/metered-gateway.ts'
import { Sent } from '../support/paying-client.ts'
import { streams } from '../support/stand-in.ts'

/** Assembled here, so that nothing like a secret is in the repository. */
const credential = ['own', 'killed', '7'.repeat(16)].join('')
const replies: Reply[] = []
let host: FaultUpstream
let installation: Installation

before(async () => {
  host = await faultUpstream(({ method }) =>
    method === 'GET'
      ? wholeAnswer(200, '{"object":"list","data":[]}', ['content-type: application/json'])
      : { answer: (reply) => void replies.push(reply) },
  )
  installation = makeInstallation(`
sandbox: off
providerKeys: { accounts: all, fee: 10%, urls: { openai: '${host.origin}' } }
upstreams:
  - { name: operators, provider: openai, url: 'http://127.0.0.1:9', credential: operators-credential, models: [{ id: gpt-a }] }
models:
  - { id: gpt-a, provider: openai, formats: [openai-chat], context: 100000, maxOutput: 1000, prices: [{ input: 3, output: 15 }] }
`)
})
after(async () => {
  await installation.remove()
  await host.close()
})

const { opening, content } = streams.chat
/** More than a checkpoint needs. */
const eventsSent = 1_500
const cases = [
  { failpoint: 'after-dispatch:kill', sent: '', delivered: 'nothing' },
  {
    failpoint: 'after-checkpoint:kill',
    sent: opening + content(' word').repeat(eventsSent),
    delivered: 'a part',
  },
] as const

for (const { failpoint, sent, delivered } of cases) {
  test(`killed with ${delivered} delivered`, async () => {
    const first = await installation.start({ failpoint })
    const { account, key } = await installation.ask('account.create', {
      ...{ email: `${delivered.length}@example.org`, credit: '1' },
    })
    await installation.ask('provider-keys.put', { account, provider: 'openai', credential, use: 'only' })
    const body = {
      model: 'gpt-a',
      stream: true,
      max_tokens: 500,
      messages: [{ role: 'user', content: 'Hello' }],
    }
    const asked = new Sent(first.origin, { key, format: 'chat', body })
    if (sent !== '') {
      const reply = await eventually(
        'the request',
        async () => replies.shift(),
        (one) => one !== undefined,
      )
      reply!.send(chunkedHead + httpChunk(sent))
    }
    await first.ended
    await asked.whole().catch(() => undefined)
    const next = await installation.start()
    // What was admitted in the last moments and delivered nothing may be lost with the process.
    const fewest = delivered === 'nothing' ? 0 : 1
    const [receipt] = await eventually(
      'the request is closed',
      () => installation.ask('requests.list', { account }),
      (receipts) => receipts.length >= fewest,
    )
    const charged = receipt === undefined ? 0n : (parseUsd(receipt.charged) ?? 0n)
    if (receipt !== undefined) assert.equal(receipt.endReason, 'interrupted')
    if (delivered === 'nothing') assert.equal(charged, 0n)
    else {
      assert.ok(receipt !== undefined)
      assert.equal(receipt.ownKey, true)
      const list = BigInt(receipt.usage.inputUncached) * 3_000n + BigInt(receipt.usage.output) * 15_000n
      assert.equal(charged, (list + 9n) / 10n, 'the fee for what was delivered')
      assert.ok(charged > 0n)
    }
    const balance = await installation.ask('account.show', { account })
    assert.deepEqual([balance.openHolds, balance.held], [0, '0.00'])
    assert.equal(parseUsd(balance.posted), 1_000_000_000n - charged)
    const verified = await installation.ask('ledger.verify', {})
    assert.deepEqual([verified.ok, verified.drift], [true, []])
    next.signal('SIGKILL')
    await next.ended
  })
}
