/**
 * A price that depends on the time of day: the price in force when a request starts is the one that is held, charged and named
 * by the receipt, whatever the time is when it ends.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { formatId } from '../../src/base/ids.ts'
import { faultUpstream, sendsThen } from '../support/fault-upstream.ts'
import { testGateway } from '../support/gateway.ts'
import { manualClock } from '../support/manual-clock.ts'
import { asking, controlOf } from '../support/operators.ts'
import { Sent } from '../support/paying-client.ts'

const hourMs = 3_600_000
/** Monday, 23 November 2026, a second before the peak hours. */
const clock = manualClock(Date.UTC(2026, 10, 23, 0, 59, 59))
/** What passes while the upstream works. */
let answerTakesMs = 0

const body = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 8, completion_tokens: 1 },
})
const upstream = await faultUpstream(() => {
  clock.setWallMs(clock.wallMs() + answerTakesMs)
  return sendsThen(
    'fin',
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
})
const gate = await testGateway({
  clock,
  openai: upstream.origin,
  models: [
    {
      id: 'gpt-by-time',
      provider: 'openai',
      formats: ['openai-chat'],
      context: 100_000,
      maxOutput: 1_000,
      prices: [
        {
          input: '1',
          output: '10',
          schedule: [
            { times: ['Mon-Fri 01:00-04:00', 'Mon-Fri 06:00-10:00'], input: '2', output: '20' },
            { times: ['Sun 23:00-00:30'], input: '3', output: '30' },
          ],
        },
      ],
    },
  ],
})
after(async () => {
  await gate.close()
  await upstream.close()
})
const { key, id } = await gate.account('5')
const operator = asking(controlOf(gate), { kind: 'local' })

/** The receipt of one request. */
async function asked(takesMs = 0) {
  answerTakesMs = takesMs
  const messages = [{ role: 'user', content: 'yes?' }]
  const sent = new Sent(gate.origin, {
    key,
    format: 'chat',
    body: { model: 'gpt-by-time', max_tokens: 50, messages },
  })
  const { status, text } = await sent.whole()
  assert.equal(status, 200, text)
  const receipts = await gate.gateway.services.ledger.receipts(id, 1, null)
  assert.ok(receipts[0] !== undefined)
  return receipts[0]
}

/** 8 tokens of input and 1 of output, in nano-USD. */
const costAt = (factor: bigint): bigint => factor * (8n * 1_000n + 10_000n)

/** The input price of the version that a receipt names. */
async function namedPrice(priceVersion: bigint): Promise<string | undefined> {
  const prices = await gate.gateway.services.catalog.prices('gpt-by-time')
  assert.ok(
    prices.some((price) => price.id === priceVersion),
    'a receipt names a version of the history',
  )
  const listed = await operator.done('models.prices', { model: 'gpt-by-time' })
  return listed.find(({ id: name }) => name === formatId('prc', priceVersion))?.input
}

test('what is in force at the start is held and charged, at both edges of a window', async () => {
  // 00:59:59, and an upstream that answers when the peak hours have begun.
  const before = await asked(2_000)
  assert.deepEqual([before.charged, await namedPrice(before.priceVersion)], [costAt(1n), '1.00'])
  assert.equal(new Date(clock.wallMs()).toISOString(), '2026-11-23T01:00:01.000Z')

  const during = await asked(3 * hourMs - 2_000)
  assert.deepEqual([during.charged, await namedPrice(during.priceVersion)], [costAt(2n), '2.00'])
  assert.equal(during.hold, before.hold * 2n)

  // 03:59:59, and over the end of the window.
  const last = await asked(1_000)
  assert.deepEqual([last.charged, await namedPrice(last.priceVersion)], [costAt(2n), '2.00'])
  assert.equal(new Date(clock.wallMs()).toISOString(), '2026-11-23T04:00:00.000Z')

  const after = await asked()
  assert.deepEqual([after.charged, after.priceVersion], [costAt(1n), before.priceVersion])
})

test('a window over midnight holds on the next day', async () => {
  clock.setWallMs(Date.UTC(2026, 10, 29, 23, 0))
  assert.equal(await namedPrice((await asked()).priceVersion), '3.00')
  clock.setWallMs(Date.UTC(2026, 10, 30, 0, 29, 59, 999))
  assert.equal(await namedPrice((await asked()).priceVersion), '3.00')
  clock.setWallMs(Date.UTC(2026, 10, 30, 0, 30))
  assert.equal(await namedPrice((await asked()).priceVersion), '1.00')
})

test('lists show the price of the moment, and the price list those of other times', async () => {
  clock.setWallMs(Date.UTC(2026, 10, 30, 1, 0))
  const response = await fetch(`${gate.origin}/api/pricing`)
  const { data } = (await response.json()) as {
    readonly data: readonly {
      readonly model: string
      readonly price: object
      readonly otherTimes: readonly object[]
    }[]
  }
  const row = data.find(({ model }) => model === 'gpt-by-time')
  const shown = (price: object | undefined) => {
    const { input, schedule } = price as {
      readonly input: string
      readonly schedule: readonly string[] | null
    }
    return [input, schedule]
  }
  assert.deepEqual(shown(row?.price), ['2.00', ['Mon-Fri 01:00-04:00', 'Mon-Fri 06:00-10:00']])
  assert.deepEqual(row?.otherTimes.map(shown), [
    ['1.00', null],
    ['3.00', ['Sun 23:00-00:30']],
  ])
})

test('the ledger and the history of prices agree', async () => {
  const report = await gate.gateway.services.ledger.verify()
  assert.deepEqual(report.drift, [])
})
