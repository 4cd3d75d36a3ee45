/**
 * What changes while a request runs, and several choices, are charged to the nano-dollar: a price, a model, a suspension.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseUsd } from '../../contract/usd.ts'
import type { ModelDefinition, PriceDefinition } from '../../src/catalog/definition.ts'
import { meteredGateway } from '../support/metered-gateway.ts'
import { formats, Sent } from '../support/paying-client.ts'

const golden: PriceDefinition = { input: '3', cacheWrite5m: '3.75', cacheRead: '0.3', output: '15' }

const changing: ModelDefinition = {
  id: 'chat-changing',
  provider: 'openai',
  upstreamId: 'sandbox-stream',
  context: 200_000,
  maxOutput: 32_000,
  prices: [golden],
}
const gate = await meteredGateway({ models: [changing] })
after(() => gate.end())

/** 3 and 15 USD per million tokens, as all models of the sandbox. */
const cost = (input: number, output: number): bigint => BigInt(input) * 3_000n + BigInt(output) * 15_000n

for (const include_usage of [true, false]) {
  test(`a chat client that ${include_usage ? 'requests' : 'does not request'} usage sees ${Number(include_usage)} of it and pays the same`, async () => {
    const account = await gate.account('1')
    const messages = [{ role: 'user', content: 'tokens=12' }]
    const asked = { model: 'chat-stream', stream: true, stream_options: { include_usage }, messages }
    const { text } = await new Sent(gate.origin, { key: account.key, format: 'chat', body: asked }).whole()
    assert.equal(text.match(/"usage":\{/g)?.length ?? 0, Number(include_usage))
    const receipt = await gate.receiptOf(account)
    assert.deepEqual([receipt.usageSource, receipt.output], ['reported', 12])
    assert.equal(receipt.charged, cost(gate.meterOf(receipt).inputTokens, 12))
  })
}

test('a price that changes while a request runs applies to the next one', async () => {
  const { catalog } = gate.gateway.services
  const account = await gate.account('1')
  const messages = [{ role: 'user', content: 'tokens=40 rate=100' }]
  const asked = { model: 'chat-changing', max_tokens: 100, stream: true, messages }
  const running = gate.ask(account, asked)
  await running.contents(1)
  assert.equal((await catalog.price('chat-changing', { input: '30', output: '150' })).kind, 'changed')
  await running.whole()
  const first = await gate.receiptOf(account)
  assert.equal(first.charged, cost(gate.meterOf(first).inputTokens, 40))
  await gate.ask(account, asked).whole()
  const second = await gate.receiptOf(account, 2)
  assert.equal(second.charged, 10n * cost(gate.meterOf(second).inputTokens, 40))
  assert.notEqual(first.priceVersion, second.priceVersion)
})

test('a model that is disabled while a request runs serves it to its end, and no request after it', async () => {
  const { catalog } = gate.gateway.services
  const account = await gate.account('1')
  const messages = [{ role: 'user', content: 'tokens=40 rate=100' }]
  const asked = { model: 'chat-changing', max_tokens: 100, stream: true, messages }
  const running = gate.ask(account, asked)
  await running.contents(1)
  assert.equal((await catalog.disable('chat-changing')).kind, 'changed')
  assert.match((await running.whole()).text, /\[DONE\]/)
  assert.equal((await gate.receiptOf(account)).endReason, 'complete')
  assert.equal((await gate.ask(account, asked).whole()).status, 404)
})

test('the streams of a suspended account end and are charged, and new requests are rejected until it is resumed', async () => {
  const account = await gate.account('1')
  const messages = [{ role: 'user', content: 'tokens=40 rate=100' }]
  const asked = { model: 'chat-stream', max_tokens: 100, stream: true, messages }
  const running = gate.ask(account, asked)
  await running.contents(1)
  await gate.ledger.suspend(account.id, 1)
  const { text } = await running.whole()
  assert.match(text, /"code":"account_suspended"/)
  assert.doesNotMatch(text, /\[DONE\]/)
  const { charged } = await gate.receiptOf(account)
  assert.ok(charged > 0n)
  assert.equal((await gate.balance(account.id)).posted, parseUsd('1')! - charged)
  assert.equal((await gate.ask(account, asked).whole()).status, 403)
  await gate.ledger.suspend(account.id, null)
  assert.equal((await gate.ask(account, asked).whole()).status, 200)
})

for (const format of formats) {
  test(`${format}: several choices, or none, are charged as they are produced`, async () => {
    const account = await gate.account('1')
    const messages = [{ role: 'user', content: 'tokens=40' }]
    const more = format === 'chat' ? { max_tokens: 30, n: 3 } : { max_tokens: 0 }
    const { status, headers } = await gate
      .ask(account, { model: `${format}-stream`, messages, ...more })
      .whole()
    const { charged, hold, inputUncached } = await gate.receiptOf(account)
    const output = format === 'chat' ? 90 : 0
    assert.equal(status, 200)
    assert.equal(charged, cost(inputUncached, output))
    assert.ok(hold >= charged)
    assert.equal(headers['x-tollgate-max-output'], undefined)
  })
}
