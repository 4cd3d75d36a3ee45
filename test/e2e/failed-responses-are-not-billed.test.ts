/**
 * When an upstream fails, only what was delivered is charged; the rest is free, or
 * written off where the upstream reports that it charges for it. And no failed response looks complete.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { faultUpstream, sends } from '../support/fault-upstream.ts'
import { unreachableOrigin } from '../support/free-port.ts'
import { testGateway } from '../support/gateway.ts'
import {
  eventually,
  isAnswering,
  type MeteredOptions,
  meteredGateway,
  meteredModels,
} from '../support/metered-gateway.ts'
import { movableClock, passTime } from '../support/movable-clock.ts'
import { type Format, formats, Sent, type Whole } from '../support/paying-client.ts'

const spare: Sandbox = await startSandbox({ clock: systemClock })
const options: MeteredOptions = {
  limits: { retriesMin: 100 },
  upstreams: [{ name: 'spare', provider: 'anthropic', url: spare.origin, credential: 'spare', weight: 1 }],
}
const gate = await meteredGateway(options)
/** Where upstreams time out. */
const time = movableClock()
const timed = await meteredGateway({
  ...options,
  clock: time,
  // It waits for a silent upstream, though there is another one.
  limits: { ...options.limits, peekMs: 200, firstContentMs: 0, firstContentReasoningMs: 0 },
})
after(async () => {
  await gate.end()
  await timed.end()
  await spare.close()
})

const cost = (input: number, output: number): bigint => BigInt(input) * 3_000n + BigInt(output) * 15_000n

interface Row {
  readonly behaviour: string
  readonly settings?: string
  readonly streamed: boolean
  readonly formats?: readonly Format[]
  readonly reason: 'upstream_error' | 'upstream_truncated' | 'timeout'
  /** Words that reached the client and are charged. */
  readonly delivered?: number
  /** The input that the upstream says it charges for, although nothing was delivered. */
  readonly absorbsInput?: readonly Format[]
}

const messagesOnly: readonly Format[] = ['messages']
const early = { absorbsInput: messagesOnly }

const rows: readonly Row[] = [
  ...['sandbox-500', 'sandbox-529', 'sandbox-401', 'sandbox-402-quota', 'sandbox-429', 'sandbox-400-context']
    .concat('sandbox-refuse', 'sandbox-html', 'sandbox-empty', 'sandbox-redirect', 'sandbox-error-json')
    .flatMap((behaviour): Row[] => [
      { behaviour, streamed: true, reason: 'upstream_error' },
      { behaviour, streamed: false, reason: 'upstream_error' },
    ]),
  { behaviour: 'sandbox-error-first', streamed: true, reason: 'upstream_error' },
  { behaviour: 'sandbox-error-first', streamed: false, reason: 'upstream_error' },
  {
    behaviour: 'sandbox-error-after',
    settings: 'events=0',
    streamed: true,
    reason: 'upstream_error',
    ...early,
  },
  {
    behaviour: 'sandbox-error-after',
    settings: 'events=9',
    streamed: true,
    reason: 'upstream_error',
    delivered: 9,
  },
  {
    behaviour: 'sandbox-garbage',
    settings: 'events=9',
    streamed: true,
    reason: 'upstream_error',
    delivered: 9,
  },
  {
    behaviour: 'sandbox-cut-after',
    settings: 'events=0',
    streamed: true,
    reason: 'upstream_error',
    ...early,
  },
  ...['fin', 'rst', 'clean', 'short', 'until_close'].map(
    (how): Row => ({
      behaviour: 'sandbox-cut-after',
      settings: `events=9 how=${how}`,
      streamed: true,
      reason: 'upstream_truncated',
      delivered: 9,
    }),
  ),
  { behaviour: 'sandbox-cut-after', settings: 'events=9', streamed: false, reason: 'upstream_error' },
  {
    behaviour: 'sandbox-no-end',
    // A chat stream with its finish is complete.
    formats: ['messages'],
    settings: 'tokens=9',
    streamed: true,
    reason: 'upstream_truncated',
    delivered: 9,
  },
  { behaviour: 'sandbox-hang', streamed: true, reason: 'timeout' },
  { behaviour: 'sandbox-hang', streamed: false, reason: 'timeout' },
  { behaviour: 'sandbox-hang-stream', settings: 'events=9', streamed: true, reason: 'timeout', delivered: 9 },
  { behaviour: 'sandbox-pings', settings: 'delay=50', streamed: true, reason: 'timeout', ...early },
]

/** Sends it to `timed`, and advances its clock once the upstream has done all that it does. */
async function timedOut(sent: Sent, { delivered = 0 }: Row, before: number): Promise<Whole> {
  const arrived = (): number => timed.sandbox.requests() + spare.requests()
  await eventually('an upstream has it', arrived, (count) => count > before)
  await sent.contents(delivered)
  return await passTime(time, sent.whole(), () => [timed.sandbox, spare].some(isAnswering))
}

const finished = /"finish_reason":"|"stop_reason":"|message_stop|\[DONE\]/

for (const row of rows) {
  for (const format of row.formats ?? formats) {
    const { behaviour, settings = 'hello', streamed, reason, delivered = 0 } = row
    const how = `${behaviour}, ${settings}, ${streamed ? 'streamed' : 'whole'}`
    test(`${format}: ${how}: ${reason}, ${delivered} words are charged`, async () => {
      const from = reason === 'timeout' ? timed : gate
      const account = await from.account('1')
      const before = from.sandbox.requests() + spare.requests()
      const sent = from.ask(account, {
        model: behaviour.replace('sandbox', format),
        max_tokens: 300,
        stream: streamed,
        messages: [{ role: 'user', content: settings }],
      })
      const answer = from === timed ? await timedOut(sent, row, before) : await sent.whole()
      assert.doesNotMatch(answer.text, finished)
      assert.match(answer.text, /"error":\{/)
      if (delivered === 0 && reason !== 'timeout') assert.ok(answer.status >= 400, `status ${answer.status}`)

      const receipt = await from.receiptOf(account)
      const { held, posted } = await from.balance(account.id)
      assert.deepEqual([receipt.endReason, held], [reason, 0n])
      assert.equal(1_000_000_000n - posted, receipt.charged)
      assert.equal(receipt.charged, delivered === 0 ? 0n : cost(receipt.inputUncached, delivered))
      assert.equal(receipt.output, delivered, 'the words of an error are not output')

      const bears = row.absorbsInput?.includes(format) ?? false
      const meters = [...from.sandbox.requestLog(), ...spare.requestLog()].filter(
        ({ requestId }) => requestId === receipt.upstreamRequestId,
      )
      const input = meters[0]?.inputTokens ?? 0
      if (delivered > 0 && format === 'messages') assert.equal(receipt.inputUncached, input)
      assert.equal(receipt.writtenOff, bears ? cost(input, 0) * BigInt(receipt.attempts.length) : 0n)
      if (bears) assert.ok(input > 0)
    })
  }
}

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
