/**
 * What an upstream charges for without a delivery is written off, an unreachable one costs nothing, and usage that is on its way
 * when the client leaves is charged.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { faultUpstream, sends } from '../support/fault-upstream.ts'
import { unreachableOrigin } from '../support/free-port.ts'
import { testGateway } from '../support/gateway.ts'
import { eventually, type MeteredOptions, meteredGateway, meteredModels } from '../support/metered-gateway.ts'
import { Sent } from '../support/paying-client.ts'

const spare: Sandbox = await startSandbox({ clock: systemClock })
const options: MeteredOptions = {
  limits: { retriesMin: 100 },
  upstreams: [{ name: 'spare', provider: 'anthropic', url: spare.origin, credential: 'spare', weight: 1 }],
}
const gate = await meteredGateway(options)
after(async () => {
  await gate.end()
  await spare.close()
})

const cost = (input: number, output: number): bigint => BigInt(input) * 3_000n + BigInt(output) * 15_000n

test('each attempt that an upstream charges for without a delivery is written off in the ledger', async () => {
  const account = await gate.account('1')
  const before = await gate.ledger.platformBalances()
  const asked = {
    model: 'messages-error-after',
    max_tokens: 300,
    stream: true,
    messages: [{ role: 'user', content: 'events=0' }],
  }
  await gate.ask(account, asked).whole()
  const receipt = await gate.receiptOf(account)
  // Which of them is called first depends on their recorded health.
  assert.deepEqual(receipt.attempts.map(({ upstream }) => upstream).sort(), ['anthropic', 'spare'])
  const meters = [...gate.sandbox.requestLog(), ...spare.requestLog()]
  const input = meters.find(({ requestId }) => requestId === receipt.upstreamRequestId)!
  const after = await gate.ledger.platformBalances()
  assert.equal(receipt.writtenOff, 2n * cost(input.inputTokens, 0))
  assert.equal(after.write_offs! - before.write_offs!, -receipt.writtenOff)
  assert.equal(after.revenue! - before.revenue!, receipt.writtenOff)
})

test('an unreachable upstream causes no cost', async () => {
  const alone = await testGateway({ openai: unreachableOrigin, models: meteredModels() })
  const account = await alone.account('1')
  const sent = new Sent(alone.origin, {
    key: account.key,
    format: 'chat',
    body: { model: 'chat-echo', messages: [{ role: 'user', content: 'hello' }] },
  })
  assert.equal((await sent.whole()).status, 502)
  assert.deepEqual(await alone.balance(account.id), { posted: 1_000_000_000n, held: 0n, openHolds: 0 })
  await alone.close()
})

test('disconnected between the finish and the usage of a chat stream: the usage is awaited and charged', async () => {
  const upstream = await faultUpstream(() => sends())
  const alone = await testGateway({ openai: upstream.origin, models: meteredModels() })
  const account = await alone.account('1')
  const sent = new Sent(alone.origin, {
    key: account.key,
    format: 'chat',
    body: { model: 'chat-echo', stream: true, messages: [{ role: 'user', content: 'hello' }] },
  })
  const reply = await upstream.nextRequest()
  reply.send('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n')
  // One write: a client that has seen the word has caused the finish to be read as well.
  reply.send(
    'data: {"choices":[{"index":0,"delta":{"content":"word"},"finish_reason":null}]}\n\n' +
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
  )
  assert.equal(await sent.contents(1), true)
  sent.leave()
  reply.send('data: {"choices":[],"usage":{"prompt_tokens":70,"completion_tokens":11,"total_tokens":81}}\n\n')
  reply.send('data: [DONE]\n\n')
  reply.fin()
  const [receipt] = await eventually(
    'the receipt',
    () => alone.gateway.services.ledger.receipts(account.id, 2, null),
    ({ length }) => length > 0,
  )
  assert.deepEqual([receipt?.usageSource, receipt?.charged], ['reported', cost(70, 11)])
  await alone.close()
  await upstream.close()
})
