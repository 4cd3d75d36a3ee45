/**
 * A complete response is a settled response: nothing that signals completion to a client is sent before the charge is
 * durable, however slow the store is; if it takes too long the response ends with an error, and what was not
 * delivered is not charged.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { parseUsd } from '../../contract/usd.ts'
import type { ReceiptRow } from '../../src/ledger/types.ts'
import { faultUpstream, sends, wholeAnswer } from '../support/fault-upstream.ts'
import { eventually, type MeteredGateway, meteredGateway } from '../support/metered-gateway.ts'
import { movableClock } from '../support/movable-clock.ts'
import { type Format, formats, rejectionIn } from '../support/paying-client.ts'

const slowMs = 800
const finishes = /"finish_reason":"|"stop_reason":"|message_stop|\[DONE\]/

const body = (format: Format, stream: boolean, more: object = {}) => ({
  model: `${format}-stream`,
  max_tokens: 50,
  stream,
  messages: [{ role: 'user', content: 'tokens=8' }],
  ...more,
})

async function receiptsOf(gate: MeteredGateway, account: { id: bigint }): Promise<readonly ReceiptRow[]> {
  return gate.ledger.receipts(account.id, 10, null)
}

const slow = await meteredGateway({
  failpoint: `before-commit-settle:delay=${slowMs}`,
  limits: { keepAliveMs: 40 },
})
after(() => slow.end())

/** Each credit keeps the store busy for this long: much longer than a busy machine delays the end of the wait. */
const busyMs = 1_500
const busy = await meteredGateway({
  failpoint: `before-commit-credit:delay=${busyMs}`,
  limits: { settleWaitMs: 10, keepAliveMs: 100 },
})
after(() => busy.end())
const rich = await busy.account('10')

/** Keeps the store busy for a while. */
async function occupy(): Promise<{ done: Promise<unknown> }> {
  const entryId = busy.gateway.services.nextId()
  const done = busy.ledger.credit({
    entryId,
    account: rich.id,
    amount: 1n,
    source: 'manual',
    reference: `busy-${entryId}`,
    nowMs: 0,
    note: null,
  })
  // The batch is sent in the next turns of the loop; what comes now waits for its commit.
  for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate)
  return { done }
}

for (const format of formats) {
  test(`${format}: a commit that is running at the deadline decides: its response is delivered and charged`, async () => {
    const gate = await meteredGateway({
      failpoint: `before-commit-settle:delay=${slowMs}`,
      // Half of the commit time: enough to send it, and over before it ends.
      limits: { settleWaitMs: slowMs / 2 },
    })
    const account = await gate.account('1')
    for (const [times, stream] of [
      [1, true],
      [2, false],
    ] as const) {
      const { status, text } = await gate.ask(account, body(format, stream)).whole()
      assert.equal(status, 200, text)
      assert.match(text, finishes)
      const receipt = await gate.receiptOf(account, times)
      assert.deepEqual([receipt.endReason, receipt.status, receipt.settledLate], ['complete', 200, false])
      assert.ok(receipt.charged > 0n)
    }
    await gate.end()
  })

  test(`${format}: a response whose commit failed and is not retried in time is withheld, and not charged`, async () => {
    const gate = await meteredGateway({
      failpoint: 'before-commit-settle:fail=1',
      limits: { settleWaitMs: 1, settleRetryMs: 500 },
    })
    const account = await gate.account('1')
    const { status, text } = await gate.ask(account, body(format, false)).whole()
    assert.deepEqual([status, rejectionIn(text).code], [503, 'settlement_delayed'])
    const { charged, writtenOff, endReason } = await gate.receiptOf(account)
    assert.deepEqual([charged, endReason], [0n, 'interrupted'])
    assert.ok(writtenOff > 0n)
    assert.equal((await gate.balance(account.id)).posted, parseUsd('1'))
    assert.deepEqual((await gate.ledger.verify()).drift, [])
    await gate.end()
  })
}

test('a withheld response of which a part was relayed does not contradict its receipt', async () => {
  const gate = await meteredGateway({
    failpoint: 'before-commit-settle:fail=1',
    limits: { settleWaitMs: 1, settleRetryMs: 500 },
  })
  const account = await gate.account('1')
  const messages = [{ role: 'user', content: 'tokens=8 thinking=20' }]
  const { text } = await gate.ask(account, body('chat', true, { model: 'chat-think', messages })).whole()
  assert.match(text, /settlement_delayed/)
  const { charged, writtenOff, upstreamCost, output } = await gate.receiptOf(account)
  assert.equal(output, 8, 'the reasoning was not relayed')
  assert.ok(charged > 0n && charged < upstreamCost)
  assert.equal(charged + writtenOff, upstreamCost)
  assert.deepEqual((await gate.ledger.verify()).drift, [])
  await gate.end()
})

test('a failed settlement is retried while its client waits, without the client noticing', async () => {
  const gate = await meteredGateway({
    failpoint: 'before-commit-settle:fail=1',
    limits: { settleRetryMs: 50 },
  })
  const account = await gate.account('1')
  const { text, status } = await gate.ask(account, body('chat', true)).whole()
  assert.equal(status, 200)
  assert.match(text, /\[DONE\]/)
  const receipt = await gate.receiptOf(account)
  assert.deepEqual([receipt.settledLate, receipt.output], [false, 8])
  await gate.end()
})

test('a commit whose reply is lost is not repeated', async () => {
  const gate = await meteredGateway({
    failpoint: 'after-commit-settle:fail=1',
    limits: { settleRetryMs: 50 },
  })
  const account = await gate.account('1')
  const { status, text } = await gate.ask(account, body('messages', true)).whole()
  assert.equal(status, 200)
  assert.match(text, finishes, 'what was committed is delivered')
  const receipt = await gate.receiptOf(account)
  assert.deepEqual([receipt.endReason, receipt.settledLate], ['complete', false])
  const { posted } = await gate.balance(account.id)
  assert.equal(parseUsd('1')! - posted, receipt.charged)
  await gate.end()
})

test('a hold that cannot be released is retried too', async () => {
  const time = movableClock()
  const gate = await meteredGateway({
    clock: time,
    failpoint: 'before-commit-admit:delay=1500,before-commit-release:fail=1',
    limits: { settleRetryMs: 10_000 },
  })
  const account = await gate.account('1')
  const { inFlight } = gate.gateway.deps
  const running = () => inFlight.shareOf(account.id).own
  /** Whether a client left while its hold was made; one that leaves before makes none. */
  async function leaveAfter(turns: number): Promise<boolean> {
    const sent = gate.ask(account, body('chat', true))
    await eventually('the request has arrived', running, (requests) => requests === 1)
    for (let asked = 0; asked < turns; asked += 1) {
      const key = await fetch(`${gate.origin}/v1/key`, {
        headers: { authorization: `Bearer ${account.key}` },
      })
      assert.equal(key.status, 200, await key.text())
    }
    sent.leave()
    const { openHolds } = await eventually(
      'the hold is open, or the request is over',
      () => gate.balance(account.id),
      (balance) => balance.openHolds > 0 || running() === 0,
    )
    return openHolds > 0
  }
  let turns = 3
  for (; !(await leaveAfter(turns)); turns *= 2) assert.ok(turns < 100, 'no client left in time')
  await eventually(
    'the hold is released',
    () => {
      time.advance(1_000)
      return gate.balance(account.id)
    },
    ({ openHolds }) => openHolds === 0,
  )
  assert.equal(gate.sandbox.requests(), 0)
  assert.deepEqual(await receiptsOf(gate, account), [])
  await gate.end()
})

test('libraries do not retry what was withheld', async () => {
  let asked = 0
  const counting: typeof fetch = (input, init) => {
    asked += 1
    return fetch(input, init)
  }
  const arrived = busy.sandbox.requests()
  const openai = new OpenAI({ apiKey: rich.key, baseURL: `${busy.origin}/v1`, fetch: counting })
  const anthropic = new Anthropic({ apiKey: rich.key, baseURL: `${busy.origin}/v1/alt`, fetch: counting })
  const content = 'tokens=8 delay=150'
  const chat = openai.chat.completions.create({ model: 'chat-stream', messages: [{ role: 'user', content }] })
  const message = anthropic.messages.create({
    model: 'messages-stream',
    max_tokens: 9,
    messages: [{ role: 'user', content }],
  })
  const results = Promise.allSettled([chat, message])
  while (busy.sandbox.requests() < arrived + 2) await new Promise(setImmediate)
  const { done } = await occupy()
  assert.deepEqual(
    (await results).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  await done
  assert.equal(asked, 2)
})

test('a client that disconnects while its charge is written has a complete request', async () => {
  const account = await slow.account('1')
  const sent = slow.ask(account, body('chat', true))
  await sent.contents(8)
  sent.leave()
  assert.equal((await slow.receiptOf(account)).endReason, 'complete')
})

test('an upstream that keeps its connection open after the end does not delay the client', async () => {
  const events = [
    { choices: [{ index: 0, delta: { content: 'yes' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 } },
  ]
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n'
  const lines = [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`)
  const upstream = await faultUpstream(({ method }) =>
    method === 'POST' ? sends(head + lines.join('')) : wholeAnswer(404, ''),
  )
  const gate = await meteredGateway({ openai: upstream.origin, limits: { afterEndMs: 100 } })
  const account = await gate.account('1')
  const { text } = await gate.ask(account, body('chat', true)).whole()
  assert.match(text, /\[DONE\]\n\n$/)
  assert.equal((await gate.receiptOf(account)).charged, 7n * 3_000n + 15_000n)
  await gate.end()
  await upstream.close()
})
