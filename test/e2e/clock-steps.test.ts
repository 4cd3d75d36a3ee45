/**
 * The system clock is set back and forth while requests run, by an hour, over midnight and over the end of a
 * month: no hold expires, no window counts twice or forgets, durations stay durations, and keys expire by the current
 * clock.
 */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { parseUsd } from '../../src/ledger/rules/money.ts'
import { eventually, type MeteredGateway, meteredGateway, requestIdIn } from '../support/metered-gateway.ts'
import { rejectionIn, type Sent, type Whole } from '../support/paying-client.ts'
import { waitingUpload } from '../support/waiting-upload.ts'

const hourMs = 3_600_000
const sweepEveryMs = 60_000

interface SteppedClock extends Clock {
  /** Sets the wall clock; timers and durations are not affected. */
  set(iso: string): void
  step(ms: number): void
  /** Runs what the ledger does once a minute. */
  sweep(): void
}

/** The system clock with a settable wall clock, and the minute's sweep on demand. */
function steppedClock(): SteppedClock {
  let offsetMs = 0
  const sweeps: (() => void)[] = []
  return {
    ...systemClock,
    wallMs: () => systemClock.wallMs() + offsetMs,
    after(delayMs, run) {
      if (delayMs === sweepEveryMs) sweeps.push(run)
      return systemClock.after(delayMs, run)
    },
    set(iso) {
      offsetMs = Date.parse(iso) - systemClock.wallMs()
    },
    step(ms) {
      offsetMs += ms
    },
    sweep() {
      for (const run of sweeps.splice(0)) run()
    },
  }
}

suite('a clock step', { concurrency: 1 }, () => {
  const clock = steppedClock()
  let gateway: MeteredGateway
  before(async () => {
    gateway = await meteredGateway({ clock })
  })
  after(() => gateway.end())

  function ask(key: string, model: string, flow: string, limit = 2_000): Sent {
    const messages = [{ role: 'user', content: flow }]
    return gateway.ask({ key }, { model, max_tokens: limit, stream: true, messages })
  }

  async function answered(key: string, limit?: number): Promise<Whole> {
    return ask(key, 'messages-stream', 'tokens=100', limit).whole()
  }

  async function assertRejected(key: string, status: number, code: string, limit?: number): Promise<Whole> {
    const whole = await answered(key, limit)
    assert.deepEqual([whole.status, rejectionIn(whole.text).code], [status, code])
    return whole
  }

  async function assertServed(key: string, limit?: number): Promise<void> {
    const { status, text } = await answered(key, limit)
    assert.equal(status, 200, text)
  }

  test('does not expire running requests, and durations stay durations', async () => {
    const account = await gateway.account('5')
    const running = ['chat-stream', 'messages-stream'].map((model) =>
      ask(account.key, model, 'tokens=120 rate=200 delay=100'),
    )
    await eventually(
      'both wait',
      () => gateway.gateway.deps.inFlight.count,
      (count) => count === 2,
    )
    for (const stepMs of [hourMs, -2 * hourMs, 30 * 24 * hourMs, -30 * 24 * hourMs, hourMs]) {
      clock.step(stepMs)
      clock.sweep()
    }
    assert.equal((await gateway.balance(account.id)).openHolds, 2)
    clock.step(hourMs)
    for (const sent of running) {
      const { status, headers } = await sent.whole()
      assert.equal(status, 200)
      const receipt = await eventually(
        'a receipt',
        () => gateway.ledger.receipt(requestIdIn(headers)),
        (row) => row !== undefined,
      )
      assert.equal(receipt?.endReason, 'complete')
      assert.equal(receipt?.charged, BigInt(receipt.inputUncached) * 3_000n + 120n * 15_000n)
      assertDuration(receipt.startedMs, receipt.firstByteMs)
      for (const attempt of receipt.attempts) {
        assertDuration(attempt.startedMs, attempt.firstByteMs)
        assertDuration(attempt.startedMs, attempt.endedMs)
      }
      const served = receipt.attempts.at(-1)
      assert(
        (served?.endedMs ?? 0) - (served?.startedMs ?? 0) >= 600,
        'it served for as long as the answer went on',
      )
    }
  })

  test('does not add an hour of hidden reasoning', async () => {
    const account = await gateway.account('5')
    const sent = ask(account.key, 'chat-think', 'delay=60000', 30_000)
    await eventually(
      'it runs',
      () => gateway.gateway.deps.inFlight.count,
      (count) => count === 1,
    )
    clock.step(hourMs)
    sent.leave()
    const receipt = await gateway.receiptOf(account)
    assert.equal(receipt.endReason, 'client_abort')
    // An hour would be charged as the full output limit: 0.45 USD.
    assert(receipt.writtenOff < 10_000_000n, `written off ${receipt.writtenOff}`)
    const row = await gateway.ledger.account(account.id)
    assert.equal(row?.restrictedMs, null)
  })

  for (const { window, last, first } of [
    { window: 'day', last: '2026-03-10T23:59:50Z', first: '2026-03-11T00:00:10Z' },
    { window: 'month', last: '2026-01-31T23:59:50Z', first: '2026-02-01T00:00:10Z' },
  ] as const) {
    test(`starts a new ${window} budget once, and not again when it is set back`, async () => {
      clock.set(last)
      // A request costs 0.0015 and reserves 0.0047: two fit, and after them no third.
      const amount = parseUsd('0.0075')!
      const account = await gateway.account('5', { budget: { amount, window } })
      await assertServed(account.key, 100)
      await assertServed(account.key, 100)
      await assertRejected(account.key, 402, 'key_budget_exhausted', 100)
      clock.set(first)
      await assertServed(account.key, 100)
      clock.set(last)
      await assertServed(account.key, 100)
      await assertRejected(account.key, 402, 'key_budget_exhausted', 100)
      clock.set(first)
      await assertRejected(account.key, 402, 'key_budget_exhausted', 100)
      clock.step(hourMs)
      await assertRejected(account.key, 402, 'key_budget_exhausted', 100)
      clock.step(-50 * hourMs)
      await assertRejected(account.key, 402, 'key_budget_exhausted', 100)
      if (window === 'month') return
      // No client is locked out until the clock catches up with the wrong time.
      clock.step(24 * hourMs)
      await assertServed(account.key, 100)
    })
  }

  test('counts a request over midnight once, on the day on which it was settled', async () => {
    clock.set('2026-04-01T23:59:59Z')
    const amount = parseUsd('0.0075')!
    const account = await gateway.account('5', { budget: { amount, window: 'day' } })
    const over = ask(account.key, 'messages-stream', 'tokens=100 rate=400', 100)
    await over.contents(1)
    clock.set('2026-04-02T00:00:01Z')
    assert.equal((await over.whole()).status, 200)
    await assertServed(account.key, 100)
    await assertRejected(account.key, 402, 'key_budget_exhausted', 100)
  })

  test('keeps a rate limit when it is set back, and resets it once when it is set forward', async () => {
    clock.set('2026-05-05T12:00:05Z')
    const rates = { requestsPerMinute: 3, tokensPerMinute: null, concurrent: null }
    const account = await gateway.account('5', { rates })
    for (let request = 0; request < 3; request += 1) await assertServed(account.key)
    await assertRejected(account.key, 429, 'rate_limited')
    for (const stepMs of [-10_000, -hourMs, -24 * hourMs]) {
      clock.step(stepMs)
      const rejected = await assertRejected(account.key, 429, 'rate_limited')
      const seconds = Number(rejected.headers['retry-after'])
      assert(seconds >= 1 && seconds <= 60, `retry after ${seconds} s`)
    }
    // No client is locked out until the clock catches up with the wrong time.
    clock.step(130_000)
    const last = await assertRejected(account.key, 429, 'rate_limited')
    clock.step(Number(last.headers['retry-after']) * 1_000)
    for (let request = 0; request < 3; request += 1) await assertServed(account.key)
    await assertRejected(account.key, 429, 'rate_limited')
  })

  test('gives no extra rate to a request whose body took minutes', async () => {
    clock.set('2026-05-06T12:00:05Z')
    const rates = { requestsPerMinute: 3, tokensPerMinute: null, concurrent: null }
    const account = await gateway.account('5', { rates })
    const slow = waitingUpload(gateway.origin, account.key, 'chat-stream')
    await slow.asked
    clock.step(200_000)
    for (let request = 0; request < 2; request += 1) await assertServed(account.key)
    assert.match(await slow.finish(), /^HTTP\/1\.1 200 /)
    await assertRejected(account.key, 429, 'rate_limited')
  })

  test('decides when a key expires', async () => {
    clock.set('2026-06-01T12:00:00Z')
    const account = await gateway.account('5')
    const { access } = gateway.gateway.services
    const { policy } = (await access.list(account.id))[0]!
    const expiresMs = clock.wallMs() + hourMs / 2
    const { secret } = await access.create({ account: account.id, name: 'brief', expiresMs, policy })
    await assertServed(secret)
    clock.step(hourMs)
    await assertRejected(secret, 401, 'expired_api_key')
    await assertServed(account.key)
    clock.step(-hourMs)
    await assertServed(secret)
  })
})

function assertDuration(fromMs: number, toMs: number | null): void {
  assert(toMs !== null)
  const ms = toMs - fromMs
  assert(ms >= 0 && ms < 60_000, `${ms} ms`)
}
