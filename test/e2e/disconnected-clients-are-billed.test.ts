/**
 * A client that disconnects pays for what was produced until then and nothing more, at any moment; the upstream is
 * closed within a second wherever that stops its billing, and read to its end where it does not.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { LoggedRequest } from '../../sandbox/request-log.ts'
import { wordsOf } from '../../sandbox/scenarios/words.ts'
import { limitDefaults } from '../../src/config/config.ts'
import type { ReceiptRow } from '../../src/ledger/types.ts'
import { type AskedBody, eventually, isAnswering, meteredGateway } from '../support/metered-gateway.ts'
import { movableClock, passTime } from '../support/movable-clock.ts'
import { formats, type Sent } from '../support/paying-client.ts'

const { readOnMs } = limitDefaults
const time = movableClock()
const sandboxTime = movableClock()
const gate = await meteredGateway({
  clock: time,
  sandboxClock: sandboxTime,
  limits: { peekMs: 250, readOnPerAccountMax: 2 },
})
after(() => gate.end())

/** 3 and 15 USD per million tokens. */
const inputNano = 3_000n
const outputNano = 15_000n
const cost = (input: number, output: number): bigint =>
  BigInt(input) * inputNano + BigInt(output) * outputNano

const promptWords = 1_500
const prompt = wordsOf(promptWords).join('')

function body(model: string, settings: string, more: object = {}): AskedBody {
  const messages = [
    { role: 'user', content: prompt },
    { role: 'assistant', content: 'Yes?' },
    { role: 'user', content: settings },
  ]
  return { model, max_tokens: 2_000, stream: true, messages, ...more }
}

interface Gone {
  readonly receipt: ReceiptRow
  readonly meter: LoggedRequest
  readonly leftMs: number
}

/** The newest request at the sandbox, once there is one more than `before`. */
function arrival(before: number): Promise<LoggedRequest> {
  return eventually(
    'the request reaches the upstream',
    () => (gate.sandbox.requests() > before ? gate.sandbox.requestLog().at(-1) : undefined),
    (metered) => metered !== undefined && metered.bodyBytes > 0,
  ) as Promise<LoggedRequest>
}

/** Sends, disconnects as soon as `moment` is reached, and waits for the receipt. */
async function leaveAt(
  account: { id: bigint; key: string },
  asked: AskedBody,
  moment: (sent: Sent, arrived: LoggedRequest) => Promise<unknown>,
): Promise<Gone> {
  const before = gate.sandbox.requests()
  const sent = gate.ask(account, asked)
  const arrived = await arrival(before)
  await moment(sent, arrived)
  const leftMs = sandboxTime.monoMs()
  sent.leave()
  const receipt = await gate.receiptOf(account)
  const meter = await gate.sandbox.until(arrived.requestId, ({ outcome }) => outcome !== 'running')
  const { held, posted } = await gate.balance(account.id)
  assert.equal(held, 0n, 'nothing is held any more')
  assert.equal(1_000_000_000n - posted, receipt.charged, 'the balance went down by what the receipt says')
  assert.ok(receipt.charged <= receipt.hold, 'never more than the hold')
  return { receipt, meter, leftMs }
}

/** The account's receipts once there are `count`, after the time for answers that are read on. */
async function receiptsInTime(account: { id: bigint }, count: number): Promise<readonly ReceiptRow[]> {
  await passTime(time, gate.receiptOf(account, count), () => isAnswering(gate.sandbox))
  return await gate.ledger.receipts(account.id, count, null)
}

const wasReadOn = ({ startedMs, endedMs }: ReceiptRow): boolean => endedMs - startedMs >= readOnMs

/** None of these upstreams would end on its own in this time. */
const letGoMs = 60_000

function assertLetGo({ meter, leftMs }: Gone): void {
  assert.equal(meter.outcome, 'client_gone')
  const tookMs = meter.closedByClientAtMs! - leftMs
  assert.ok(tookMs < letGoMs, `the upstream was let go of after ${tookMs} ms`)
}

function assertNear(told: number, real: number, share: number, what: string): void {
  assert.ok(Math.abs(told - real) <= real * share, `${what}: ${told} is within ${share} of ${real}`)
}

for (const format of formats) {
  for (const { moment, until } of [
    { moment: 'while nothing has come', until: () => Promise.resolve() },
    { moment: 'after our head', until: (sent: Sent) => sent.head },
  ]) {
    test(`${format}: disconnected ${moment}, between the upstream's head and its first content`, async () => {
      const account = await gate.account('1')
      const asked = body(`${format}-stream`, 'tokens=50 delay=60000')
      const gone = await leaveAt(account, asked, async (sent, { requestId }) => {
        await gate.sandbox.until(requestId, ({ inputTokens }) => inputTokens > 0)
        await until(sent)
      })
      const { receipt, meter } = gone
      assert.deepEqual([receipt.endReason, receipt.output], ['client_abort', 0])
      if (format === 'messages' && receipt.usageSource === 'reported') {
        assert.equal(receipt.charged, cost(meter.inputTokens, 0))
      } else {
        assert.equal(receipt.usageSource, 'counted')
        assertNear(receipt.inputUncached, meter.inputTokens, 0.2, 'input')
        assert.equal(receipt.charged, cost(receipt.inputUncached, 0))
      }
      assertLetGo(gone)
    })
  }

  test(`${format}: disconnected after the terminal event was sent, the request is complete`, async () => {
    const account = await gate.account('1')
    const last = format === 'chat' ? '"finish_reason":"stop"' : '"stop_reason":"end_turn"'
    const { receipt, meter } = await leaveAt(account, body(`${format}-stream`, 'tokens=20'), (sent) =>
      sent.until((text) => text.includes(last)),
    )
    assert.deepEqual([receipt.endReason, receipt.usageSource], ['complete', 'reported'])
    assert.equal(receipt.charged, cost(meter.inputTokens, meter.outputTokens))
  })

  test(`${format}: reading to the end stops at a deadline, and only the input is charged`, async () => {
    const account = await gate.account('1')
    const asked = body(`${format}-hang`, '', { stream: false })
    const before = gate.sandbox.requests()
    const sent = gate.ask(account, asked)
    const { requestId } = await arrival(before)
    sent.leave()
    const [receipt] = await receiptsInTime(account, 1)
    assert.ok(receipt !== undefined)
    assert.deepEqual([receipt.endReason, receipt.usageSource, receipt.output], ['client_abort', 'counted', 0])
    assert.ok(receipt.charged > 0n)
    assert.ok(wasReadOn(receipt))
    // The provider makes up to 2,000 tokens.
    assert.equal(receipt.writtenOff, cost(0, 2_000))
    const { outcome } = await gate.sandbox.until(requestId, (meter) => meter.outcome !== 'running')
    assert.equal(outcome, 'client_gone')
  })
}

test('disconnected while it waits for funds, nothing reaches an upstream and nothing is charged', async () => {
  const account = await gate.account('0.03')
  const first = gate.ask(account, body('chat-hang-stream', 'events=1', { max_tokens: 900 }))
  assert.equal(await first.contents(1), true, first.text)
  const before = gate.sandbox.requests()
  const second = gate.ask(account, body('chat-stream', '', { max_tokens: 900 }))
  const lookUp = await fetch(`${gate.origin}/v1/key`, { headers: { authorization: `Bearer ${account.key}` } })
  assert.equal(lookUp.status, 200, await lookUp.text())
  second.leave()
  await assert.rejects(second.head)
  first.leave()
  await gate.receiptOf(account)
  await eventually(
    'nothing is held',
    () => gate.balance(account.id),
    ({ openHolds }) => openHolds === 0,
  )
  await gate.gateway.deps.inFlight.whenIdle()
  assert.equal(gate.sandbox.requests(), before)
  await gate.receiptOf(account)
})

test('hidden reasoning of a disconnected client is not charged; an estimate is written off', async () => {
  const account = await gate.account('1')
  const gone = await leaveAt(
    account,
    body('chat-think', 'thinking=2000 rate=100'),
    async (_sent, { requestId }) => {
      await gate.sandbox.until(requestId, ({ reasoningTokens }) => reasoningTokens >= 200)
    },
  )
  const { receipt, meter } = gone
  assert.deepEqual([receipt.output, receipt.reasoning], [0, 0])
  assert.equal(receipt.charged, cost(receipt.inputUncached, 0))
  assert.ok(meter.reasoningTokens >= 200)
  assert.ok(
    receipt.writtenOff > 0n && receipt.writtenOff <= cost(0, 2_000),
    `${receipt.writtenOff} is written off`,
  )
  assertLetGo(gone)
})
