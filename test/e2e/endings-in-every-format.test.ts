/**
 * However a request ends, who pays for what is the same in every format and between any two: what was
 * delivered and no more, never above the hold. Google's responses are read to the end, since Google keeps charging.
 */
import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { LoggedRequest } from '../../sandbox/request-log.ts'
import type { KeyPolicy } from '../../src/access/types.ts'
import { systemClock } from '../../src/base/clock.ts'
import { limitDefaults } from '../../src/config/config.ts'
import type { ReceiptRow } from '../../src/ledger/types.ts'
import { type FormatClient, formatClients, wholeEventsIn } from '../support/format-clients.ts'
import {
  eventually,
  isAnswering,
  type MeteredGateway,
  meteredGateway,
  type UpstreamName,
  upstreamNames,
} from '../support/metered-gateway.ts'
import { movableClock, passTime } from '../support/movable-clock.ts'
import { rejectionAtEnd, rejectionIn, type Sent, type Whole } from '../support/paying-client.ts'
import { sampled } from '../support/sampled.ts'

const { readOnMs } = limitDefaults
const unlimited = { requestsPerMinute: null, tokensPerMinute: null, concurrent: null }
const limits = { ...unlimited, readOnPerAccountMax: 2, retriesMin: 1_000 }
const gate = await meteredGateway({ limits })
/** Where timeouts expire: one test at a time advances its clock. */
const time = movableClock()
const timed = await meteredGateway({ clock: time, limits: { ...limits, peekMs: 250 } })
/** Whose upstream's streams end when a test advances its clock. */
const sandboxTime = movableClock()
const paced = await meteredGateway({ sandboxClock: sandboxTime, limits })
const stopping = await meteredGateway({ limits })
after(async () => {
  await gate.end()
  await timed.end()
  await paced.end()
  await stopping.end()
})

/** 3 and 15 USD per million tokens. */
const cost = (input: number, output: number): bigint => BigInt(input) * 3_000n + BigInt(output) * 15_000n
const words = 'window '.repeat(300)

/** A separate account and a word that identifies its request at the sandbox. */
interface Payer {
  readonly id: bigint
  readonly key: string
  readonly mark: string
}

let marks = 0
async function payer(at: MeteredGateway, policy: Partial<KeyPolicy> = {}): Promise<Payer> {
  const { id, key } = await at.account('1', policy)
  marks += 1
  return { id, key, mark: `mark${marks}x` }
}

interface Asked {
  readonly client: FormatClient
  readonly upstream: UpstreamName
  readonly behaviour: string
  readonly settings: string
  readonly stream?: boolean
}

function send(from: MeteredGateway, by: Payer, asked: Asked): Sent {
  const { client, upstream, behaviour, settings, stream = true } = asked
  return from.askAs(by, client, {
    model: `${upstream}-${behaviour}`,
    text: `${settings} ${by.mark} ${words}`,
    stream,
    more: client.limit(2_000),
  })
}

function arrival(from: MeteredGateway, { mark }: Payer): Promise<LoggedRequest> {
  return eventually(
    'the request reaches the upstream',
    () => from.sandbox.requestLog().find(({ body }) => body?.includes(mark) === true),
    (metered) => metered !== undefined,
  ) as Promise<LoggedRequest>
}

const contents = (client: FormatClient, count: number) => (text: string) =>
  wholeEventsIn(text).filter((event) => client.deltaOf(event) !== '').length >= count

/** The receipt of the only request of the account, after a check of the ledger. */
async function settled(from: MeteredGateway, by: Payer): Promise<ReceiptRow> {
  const receipt = await from.receiptOf(by)
  const { held, posted, openHolds } = await from.balance(by.id)
  assert.deepEqual([held, openHolds], [0n, 0], 'nothing is held any more')
  assert.equal(1_000_000_000n - posted, receipt.charged, 'the balance went down by what the receipt says')
  assert.ok(receipt.charged <= receipt.hold, 'never more than the hold')
  return receipt
}

interface Gone {
  readonly receipt: ReceiptRow
  readonly meter: LoggedRequest
  /** How long the upstream worked after its client had disconnected. */
  readonly tookMs: number
}

/** None of these upstreams would end on its own in this time. */
const letGoMs = 60_000

async function leave(asked: Asked, when: (sent: Sent) => Promise<unknown>): Promise<Gone> {
  const by = await payer(gate)
  const sent = send(gate, by, asked)
  const { requestId } = await arrival(gate, by)
  await when(sent)
  const leftMs = systemClock.monoMs()
  sent.leave()
  const receipt = await settled(gate, by)
  assert.equal(receipt.endReason, 'client_abort')
  const meter = await gate.sandbox.until(requestId, ({ outcome }) => outcome !== 'running')
  return { receipt, meter, tookMs: (meter.closedByClientAtMs ?? systemClock.monoMs()) - leftMs }
}

function assertNear(told: number | bigint, real: number | bigint, what: string): void {
  const apart = Math.abs(Number(told) - Number(real))
  assert.ok(apart <= Number(real) * 0.25, `${what}: ${told} is near ${real}`)
}

/** The input as the sandbox counts it; it charges none before it has sent a head. */
const inputOf = (meter: LoggedRequest): number => (meter.inputTokens > 0 ? meter.inputTokens : 310)

function assertInputPaid(receipt: ReceiptRow, meter: LoggedRequest): void {
  assert.deepEqual([receipt.usageSource, receipt.output], ['counted', 0])
  assertNear(receipt.inputUncached, inputOf(meter), 'input')
  assert.equal(receipt.charged, cost(receipt.inputUncached, 0))
}

/** Google charges on when its client has left. */
const isReadOn = (upstream: UpstreamName): boolean => upstream === 'gemini'

/** Each client and each upstream is in the sample twice. */
const pairs = sampled(
  formatClients.flatMap((client) => upstreamNames.map((upstream) => ({ client, upstream }))),
  8,
)
const both = (name: string, run: (client: FormatClient, upstream: UpstreamName) => Promise<void>): void => {
  for (const { client, upstream } of pairs) {
    test(`${client.format} → ${upstream}: ${name}`, () => run(client, upstream))
  }
}

suite('disconnected clients', { concurrency: 8 }, () => {
  both('gone before the head, the input is counted and paid', async (client, upstream) => {
    if (isReadOn(upstream)) return
    const asked = { client, upstream, behaviour: 'slow', settings: 'delay=600000' }
    const { receipt, meter, tookMs } = await leave(asked, () => Promise.resolve())
    assertInputPaid(receipt, meter)
    assert.ok(tookMs < letGoMs, `let go of after ${tookMs} ms`)
  })

  both('gone mid-stream', async (client, upstream) => {
    // What is read to the end finishes in time; what is not continues long after its client has disconnected.
    const tokens = upstream === 'gemini' ? 240 : 1_900
    const asked = { client, upstream, behaviour: 'stream', settings: `tokens=${tokens} rate=60` }
    const { receipt, meter, tookMs } = await leave(asked, (sent) => sent.until(contents(client, 50)))
    if (upstream === 'gemini') {
      assert.deepEqual([receipt.usageSource, receipt.output, meter.outcome], ['reported', 240, 'complete'])
      assert.equal(receipt.charged, cost(meter.inputTokens, 240))
      return
    }
    assert.ok(tookMs < letGoMs && meter.outcome === 'client_gone', `let go of after ${tookMs} ms`)
    assert.ok(meter.outputTokens >= 50 && meter.outputTokens < tokens)
    assert.ok(receipt.output <= meter.outputTokens, 'no more output than was made')
    assertNear(receipt.charged, cost(meter.inputTokens, meter.outputTokens), 'charge')
    if (upstream === 'messages') assert.equal(receipt.inputUncached, meter.inputTokens)
  })

  both('gone before a whole answer, it is read on and paid as reported', async (client, upstream) => {
    const asked = { client, upstream, behaviour: 'stream', settings: 'tokens=30 delay=300', stream: false }
    const { receipt, meter } = await leave(asked, () => Promise.resolve())
    assert.deepEqual([receipt.usageSource, meter.outcome], ['reported', 'complete'])
    assert.equal(receipt.charged, cost(meter.inputTokens, 30))
  })
})

suite('responses read to the end', () => {
  both(
    'gone before the head, the input is counted and paid once the time is up',
    async (client, upstream) => {
      if (!isReadOn(upstream)) return
      const by = await payer(timed)
      const sent = send(timed, by, { client, upstream, behaviour: 'slow', settings: 'delay=600000' })
      const { requestId } = await arrival(timed, by)
      sent.leave()
      const receipt = await passTime(time, settled(timed, by), () => isAnswering(timed.sandbox))
      assert.equal(receipt.endReason, 'client_abort')
      assertInputPaid(receipt, await timed.sandbox.until(requestId, ({ outcome }) => outcome !== 'running'))
      assert.ok(receipt.endedMs - receipt.startedMs >= readOnMs)
    },
  )

  for (const client of formatClients) {
    test(`${client.format} → gemini: a response that is read to the end no longer blocks others`, async () => {
      const by = await payer(paced, { rates: { ...unlimited, concurrent: 1 } })
      const sent = send(paced, by, {
        client,
        upstream: 'gemini',
        behaviour: 'stream',
        settings: 'tokens=200 rate=10',
      })
      await sent.until(contents(client, 3))
      sent.leave()
      const short = {
        client,
        upstream: 'gemini',
        behaviour: 'stream',
        settings: 'tokens=1',
        stream: false,
      } as const
      const second = await eventually(
        'a place is free',
        () => send(paced, by, short).whole(),
        ({ status }) => status !== 429,
      )
      assert.equal(second.status, 200)
      assert.equal((await paced.balance(by.id)).openHolds, 1, 'the hold of the one that is read on stays')
      sandboxTime.advance(streamMs)
      await paced.receiptOf(by, 2)
    })

    test(`${client.format} → gemini: above the limit of responses that are read on, the rest is read to its end as well`, async () => {
      const by = await payer(paced)
      const asked = {
        client,
        upstream: 'gemini',
        behaviour: 'stream',
        settings: 'tokens=300 rate=20',
      } as const
      const sent = Array.from({ length: 4 }, () => send(paced, by, asked))
      await Promise.all(sent.map((one) => one.until(contents(client, 20))))
      for (const one of sent) one.leave()
      sandboxTime.advance(streamMs)
      await paced.receiptOf(by, 4)
      for (const receipt of await paced.ledger.receipts(by.id, 4, null)) {
        assert.deepEqual([receipt.output, receipt.writtenOff], [300, 0n])
        assert.equal(receipt.charged, cost(receipt.inputUncached, receipt.output))
      }
    })
  }
})

/** Longer than the streams of `paced`. */
const streamMs = 60_000

interface Broken {
  readonly behaviour: string
  readonly settings: string
  readonly stream?: boolean
  readonly reason: ReceiptRow['endReason']
  readonly delivered?: number
}

const broken: readonly Broken[] = [
  { behaviour: '500', settings: '', reason: 'upstream_error' },
  { behaviour: '500', settings: '', stream: false, reason: 'upstream_error' },
  { behaviour: '400-context', settings: '', reason: 'upstream_error' },
  ...['401', '402-quota', '429', 'refuse', 'html', 'redirect'].map((behaviour, at): Broken => {
    return { behaviour, settings: '', stream: at % 2 === 0, reason: 'upstream_error' }
  }),
  { behaviour: 'error-first', settings: '', reason: 'upstream_error' },
  { behaviour: 'error-first', settings: '', stream: false, reason: 'upstream_error' },
  { behaviour: 'error-json', settings: '', stream: false, reason: 'upstream_error' },
  { behaviour: 'empty', settings: '', stream: false, reason: 'upstream_error' },
  { behaviour: 'cut-after', settings: 'events=9', stream: false, reason: 'upstream_error' },
  { behaviour: 'error-after', settings: 'events=0', reason: 'upstream_error' },
  { behaviour: 'error-after', settings: 'events=9', reason: 'upstream_error', delivered: 9 },
  { behaviour: 'garbage', settings: 'events=9', reason: 'upstream_error', delivered: 9 },
  { behaviour: 'cut-after', settings: 'events=9 how=rst', reason: 'upstream_truncated', delivered: 9 },
  {
    behaviour: 'cut-after',
    settings: 'events=9 how=until_close',
    reason: 'upstream_truncated',
    delivered: 9,
  },
  { behaviour: 'no-end', settings: 'tokens=9', reason: 'upstream_truncated', delivered: 9 },
  { behaviour: 'hang', settings: '', reason: 'timeout' },
  { behaviour: 'hang-stream', settings: 'events=9', reason: 'timeout', delivered: 9 },
]

/** Advances the clock of `timed` once all words of an answer that does not end are here. */
async function timedOut(sent: Sent, by: Payer, hasAll: (text: string) => boolean): Promise<Whole> {
  await arrival(timed, by)
  await sent.until(hasAll)
  return await passTime(time, sent.whole(), () => isAnswering(timed.sandbox))
}

function breaking(rows: readonly Broken[], from: MeteredGateway): void {
  for (const { behaviour, settings, stream = true, reason, delivered = 0 } of rows) {
    both(
      `${behaviour} ${settings}, ${stream ? 'streamed' : 'whole'}: ${delivered} words are paid`,
      async (client, upstream) => {
        // A chat stream with its finish is complete, also without its end mark.
        if (behaviour === 'no-end' && upstream === 'chat') return
        const by = await payer(from)
        const sent = send(from, by, { client, upstream, behaviour, settings, stream })
        const answer =
          from === timed ? await timedOut(sent, by, contents(client, delivered)) : await sent.whole()
        assert.doesNotMatch(answer.text, client.finishes)
        const told = answer.status === 200 ? rejectionAtEnd(answer.text) : rejectionIn(answer.text)
        assert.ok(told.message.length > 0, answer.text)
        if (delivered === 0 && reason !== 'timeout')
          assert.ok(answer.status >= 400, `status ${answer.status}`)
        assert.ok(contents(client, delivered)(answer.text), 'what was made was delivered')

        const receipt = await settled(from, by)
        assert.equal(receipt.endReason, reason)
        assert.equal(receipt.output, delivered, 'the words of an error are not output')
        assert.equal(receipt.charged, delivered === 0 ? 0n : cost(receipt.inputUncached, delivered))
        if (delivered > 0) assertNear(receipt.inputUncached, (await arrival(from, by)).inputTokens, 'input')
      },
    )
  }
}

const isTimed = ({ reason }: Broken): boolean => reason === 'timeout'
suite('failing upstreams', { concurrency: 16 }, () =>
  breaking(
    broken.filter((row) => !isTimed(row)),
    gate,
  ),
)
suite('silent upstreams', () => breaking(broken.filter(isTimed), timed))

test('stopping the server ends every stream with an error in its client’s format, charged as far as delivered', async () => {
  const running = await Promise.all(
    pairs.map(async ({ client, upstream }) => {
      const by = await payer(stopping)
      const asked = { client, upstream, behaviour: 'stream', settings: 'tokens=2000 rate=20' }
      const sent = send(stopping, by, asked)
      assert.equal(await sent.until(contents(client, 10)), true, sent.text)
      return { client, by, sent }
    }),
  )
  stopping.gateway.stopRequests()
  for (const { client, by, sent } of running) {
    const { text, broken: cut } = await sent.whole()
    assert.doesNotMatch(text, client.finishes)
    assert.ok(rejectionAtEnd(text).message.length > 0)
    assert.equal(cut, null, 'told, and then closed')
    const receipt = await settled(stopping, by)
    assert.equal(receipt.endReason, 'interrupted')
    const { outputTokens } = await arrival(stopping, by)
    assert.ok(receipt.output >= 10 && receipt.output <= outputTokens, `${receipt.output} of ${outputTokens}`)
    assert.equal(receipt.charged, cost(receipt.inputUncached, receipt.output))
  }
})
