/** A model's `strategy`: which of several offers is called first, by price, by speed, and by neither. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Config } from '../../src/config/config.ts'
import { type FaultUpstream, faultUpstream } from '../support/fault-upstream.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { type MovableClock, movableClock } from '../support/movable-clock.ts'
import { Sent } from '../support/paying-client.ts'
import { standsIn } from '../support/stand-in.ts'

const clock: MovableClock = movableClock()
/** How long each upstream takes. */
const delayMs = { one: 0, two: 0 }
let one: FaultUpstream
let two: FaultUpstream
let gateway: TestGateway

before(async () => {
  const answering = (name: 'one' | 'two') =>
    faultUpstream(() => ({
      answer(reply) {
        clock.advance(delayMs[name])
        standsIn(name).answer(reply)
      },
    }))
  one = await answering('one')
  two = await answering('two')
  const upstream = (name: string, url: string) => ({
    ...{ name, provider: 'openai', url, credential: `${name}-credential` },
    ...{ models: [{ id: `at-${name}` }], weight: 1 },
  })
  const shared = { provider: 'openai', context: 200_000, maxOutput: 1_000, formats: ['openai-chat'] }
  const price = (input: string) => [{ input, output: '2' }]
  const both = (id: string, strategy: string, priorities = [1, 1]) => ({
    ...{ id, context: 200_000, maxOutput: 1_000, prices: price('1'), strategy },
    offers: [
      { upstream: 'one', model: 'at-one', formats: ['openai-chat'], priority: priorities[0] },
      { upstream: 'two', model: 'at-two', formats: ['openai-chat'], priority: priorities[1] },
    ],
  })
  gateway = await testGateway({
    offers: 'as configured',
    clock,
    upstreams: [upstream('one', one.origin), upstream('two', two.origin)],
    models: [
      { id: 'at-one', ...shared, prices: price('3') },
      { id: 'at-two', ...shared, prices: price('1') },
      both('by-weight', 'weight'),
      both('by-price', 'price'),
      both('by-price-in-groups', 'price', [1, 2]),
      both('by-latency', 'latency'),
      {
        ...both('by-own-cost', 'price'),
        offers: [
          {
            upstream: 'one',
            model: 'at-one',
            formats: ['openai-chat'],
            cost: { input: '0.9', output: '2' },
          },
          { upstream: 'two', model: 'at-two', formats: ['openai-chat'] },
        ],
      },
    ] as unknown as Config['models'],
    limits: { requestsPerMinute: null, speedsForgottenMs: 600_000 },
  })
})
after(async () => {
  await gateway.close()
  for (const upstream of [one, two]) await upstream.close()
})

const conversations = 60

/** How many of the conversations the second upstream served. */
async function secondsOf(model: string): Promise<number> {
  const { key } = await gateway.account('100')
  let seconds = 0
  for (let index = 0; index < conversations; index += 1) {
    const body = {
      ...{ model, stream: true, max_tokens: 100 },
      messages: [{ role: 'user', content: `hello number ${index}` }],
    }
    const { status, headers, text } = await new Sent(gateway.origin, { key, format: 'chat', body }).whole()
    assert.equal(status, 200, text)
    if (headers['x-tollgate-upstream'] === 'two') seconds += 1
  }
  return seconds
}

test('by weight, each offer serves its share', async () => {
  const seconds = await secondsOf('by-weight')
  assert.ok(seconds > 10 && seconds < 50, String(seconds))
})

test('by price, the cheapest offer of the first group serves all', async () => {
  assert.equal(await secondsOf('by-price'), conversations)
  assert.equal(await secondsOf('by-price-in-groups'), 0)
})

test('by price, the cost that an offer names precedes the list price', async () => {
  assert.equal(await secondsOf('by-own-cost'), 0)
})

test('by latency, the faster offer serves most, until the slower one was not measured for a while', async () => {
  Object.assign(delayMs, { one: 4_000, two: 1_000 })
  const seconds = await secondsOf('by-latency')
  assert.ok(seconds > 45, String(seconds))
  // Much longer than what the machine itself takes.
  Object.assign(delayMs, { one: 2_000, two: 2_000 })
  clock.advance(700_000)
  const again = await secondsOf('by-latency')
  assert.ok(again < 50, String(again))
})
