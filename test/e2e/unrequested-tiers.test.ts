/**
 * A project at a provider whose default tier is a more expensive one: the response names it, and is charged at its price. The first
 * one can cost more than was held, at the operator's loss; from then on the hold covers it.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { faultUpstream, wholeAnswer } from '../support/fault-upstream.ts'
import type { TestAccount } from '../support/gateway.ts'
import { meteredGateway } from '../support/metered-gateway.ts'

/** The tier that the next responses run at. */
let tier = 'priority'
const [input, output] = [10, 1_000]
const upstream = await faultUpstream(() =>
  wholeAnswer(
    200,
    JSON.stringify({
      id: 'c',
      choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      service_tier: tier,
    }),
    ['content-type: application/json'],
  ),
)
const priced = (id: string, options: Record<string, string> = { 'service_tier:priority': '2' }) => ({
  ...{ id, provider: 'openai', context: 100_000, maxOutput: 2_000 },
  prices: [{ input: '3', output: '15', options }],
})
const gate = await meteredGateway({
  models: [
    priced('chat-dear'),
    priced('chat-asked'),
    priced('chat-cheaper', { 'service_tier:flex': '0.5' }),
    priced('chat-unpriced', {}),
  ],
  openai: upstream.origin,
})
after(async () => {
  await gate.end()
  await upstream.close()
})

/** 3 and 15 USD per million tokens. */
const listCost = BigInt(input) * 3_000n + BigInt(output) * 15_000n

const asking = (account: TestAccount, model: string, more: object) =>
  gate.ask(account, {
    ...{ model, max_tokens: output, messages: [{ role: 'user', content: 'hello' }] },
    ...more,
  })

async function settled(model: string, more: object = {}) {
  const account = await gate.account('10')
  const { status, text } = await asking(account, model, more).whole()
  assert.equal(status, 200, text)
  return await gate.receiptOf(account)
}

/** Whether a balance that covers a request at the list price alone is enough for its hold. */
async function isHeldAtListPrice(model: string): Promise<boolean> {
  const { status, text } = await asking(await gate.account('0.016'), model, {}).whole()
  assert.ok(status === 200 || status === 402, text)
  return status === 200
}

test('what a response costs at a tier that was not requested is held from the second request on', async () => {
  tier = 'priority'
  const first = await settled('chat-dear')
  assert.deepEqual(first.ranAt, ['service_tier:priority'])
  assert.ok(first.charged < listCost * 2n, 'never more than was held')
  assert.equal(first.charged + first.writtenOff, listCost * 2n)
  for (const more of [{}, { service_tier: 'auto' }]) {
    const { charged, writtenOff } = await settled('chat-dear', more)
    assert.deepEqual([charged, writtenOff], [listCost * 2n, 0n])
  }
  assert.equal(await isHeldAtListPrice('chat-dear'), false)
  tier = 'default'
  const last = await settled('chat-dear')
  assert.deepEqual([last.charged, last.writtenOff], [listCost, 0n])
})

for (const [model, asks, ran] of [
  ['chat-asked', { service_tier: 'priority' }, 'priority'],
  ['chat-cheaper', {}, 'flex'],
  ['chat-unpriced', {}, 'priority'],
] as const) {
  test(`${model}: a tier that was asked for, costs less or has no price changes no other hold`, async () => {
    tier = ran
    await settled(model, asks)
    assert.equal(await isHeldAtListPrice(model), true)
  })
}
