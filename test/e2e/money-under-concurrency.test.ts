/**
 * 200 requests of every kind, from every format to every format, twenty concurrently, many of them abandoned at some
 * moment, with credit in between: afterwards no hold is open, every request has one receipt, and the ledger
 * agrees with the balance.
 */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, test } from 'node:test'
import { formatUsd, parseUsd } from '../../contract/usd.ts'
import { watchBalances } from '../support/balance-watch.ts'
import { type FormatClient, formatClients, wholeEventsIn } from '../support/format-clients.ts'
import { meteredGateway, upstreamNames } from '../support/metered-gateway.ts'
import type { Sent } from '../support/paying-client.ts'

const seed = Number(process.env.STORM_SEED ?? randomInt(2 ** 31))
const requestsMax = 200
const parallel = 20
const creditEvery = 10

const gate = await meteredGateway({
  limits: {
    ...{ requestsPerMinute: null, tokensPerMinute: null, concurrent: null },
    ...{ holdWaitMs: 100, peekMs: 80, silenceMs: 300, contentGapMs: 400, contentGapReasoningMs: 400 },
    ...{ readOnMs: 300, readOnPerAccountMax: 2, retriesMin: 1_000 },
  },
})
const watch = await watchBalances(gate.dataFolder)
after(async () => {
  watch.close()
  await gate.end()
})

/** mulberry32: small and deterministic. */
function dice(from: number): () => number {
  let state = from
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const contentsIn = (client: FormatClient, text: string): number =>
  wholeEventsIn(text).filter((event) => client.deltaOf(event) !== '').length

const behaviors: readonly (readonly [behaviour: string, settings: string])[] = [
  ['stream', 'tokens=30'],
  ['stream', 'tokens=60 rate=300'],
  ['stream', 'tokens=20 delay=150'],
  ['echo', 'hello'],
  ['think', 'thinking=30 tokens=10 rate=400'],
  ['split', 'hello'],
  ['flaky', 'hello'],
  ['over', 'tokens=5 extra=300'],
  ['endless', 'extra=40'],
  ['no-usage', 'tokens=20'],
  ['odd-usage', 'tokens=20 value=-7'],
  ['odd-usage', 'tokens=20 value=1e20'],
  ['refuse', ''],
  ['hang', ''],
  ['hang-stream', 'events=4'],
  ['pings', 'delay=30'],
  ['401', ''],
  ['402-quota', ''],
  ['429', ''],
  ['500', ''],
  ['400-context', ''],
  ['error-first', ''],
  ['error-after', 'events=0'],
  ['error-after', 'events=6'],
  ['cut-after', 'events=5 how=rst'],
  ['cut-after', 'events=5 how=until_close'],
  ['garbage', 'events=3'],
  ['no-end', 'tokens=9'],
  ['after-end', 'tokens=9'],
  ['html', ''],
  ['empty', ''],
]

/** When a client disconnects: never, immediately, at the head, after some words, shortly after the end. */
const leavings: readonly ((sent: Sent, come: (few: boolean) => Promise<unknown>) => Promise<unknown>)[] = [
  (sent) => sent.whole(),
  (sent) => sent.whole(),
  (sent) => sent.whole(),
  () => new Promise(setImmediate),
  (sent) => sent.head,
  (_sent, come) => come(true),
  (_sent, come) => come(false),
]

test(`200 concurrent requests leave a consistent ledger (STORM_SEED=${seed})`, async () => {
  const roll = dice(seed)
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(roll() * values.length)]!
  const account = await gate.account('0.2')
  let credited = parseUsd('0.2')!
  const statuses = new Map<number | string, number>()
  let begun = 0

  async function one(number: number): Promise<void> {
    const [behaviour, settings] = pick(behaviors)
    const client = pick(formatClients)
    const filler = 'window '.repeat(Math.floor(roll() * 300))
    const sent = gate.askAs(account, client, {
      model: `${pick(upstreamNames)}-${behaviour}`,
      text: `${settings} ${filler}`,
      stream: roll() < 0.7,
      more: client.limit(1 + Math.floor(roll() * 3_000)),
    })
    const leaves = pick(leavings)
    const words = 1 + Math.floor(roll() * 6)
    const come = (few: boolean) => sent.until((text) => contentsIn(client, text) >= (few ? words : words * 4))
    if (number % creditEvery === 0) await credit()
    await leaves(sent, come).catch(() => undefined)
    sent.leave()
    const status = await sent.head.then(
      ({ status }) => status,
      () => 'left',
    )
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }

  async function credit(): Promise<void> {
    const entryId = gate.gateway.services.nextId()
    const amount = BigInt(Math.floor(roll() * 20_000_000)) + 1n
    const credit = { source: 'manual', reference: `storm-${entryId}`, nowMs: 0, note: null } as const
    const result = await gate.ledger.credit({ entryId, account: account.id, amount, ...credit })
    assert.equal(result.kind, 'credited')
    credited += amount
  }

  async function line(): Promise<void> {
    while (begun < requestsMax) {
      begun += 1
      await one(begun)
    }
  }

  await Promise.all(Array.from({ length: parallel }, line))
  await gate.gateway.deps.inFlight.whenIdle()
  await gate.gateway.deps.background.drained()

  const receipts = await gate.ledger.receipts(account.id, 1_000, null)
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)
  const { posted, held, openHolds } = await gate.balance(account.id)
  assert.deepEqual([held, openHolds], [0n, 0])
  assert.equal(new Set(receipts.map(({ id }) => id)).size, receipts.length)
  const attempts = receipts.flatMap((receipt) => receipt.attempts)
  // A request that is given up while it is written may never arrive, and counts as sent.
  const answered = attempts.filter(({ status }) => status !== null).length
  const arrived = gate.sandbox.requests()
  assert.ok(
    answered <= arrived && arrived <= attempts.length,
    `${arrived} arrived, ${attempts.length} were sent`,
  )
  assert.equal(formatUsd(credited - posted), formatUsd(sum(receipts.map(({ charged }) => charged))))
  const platform = await gate.ledger.platformBalances()
  assert.equal(-platform.write_offs!, sum(receipts.map(({ writtenOff }) => writtenOff)))
  assert.equal(platform.revenue, sum(receipts.map(({ charged, writtenOff }) => charged + writtenOff)))
  for (const state of await watch.states(account.id)) {
    assert.ok(state.held >= 0n && state.held <= state.posted, `${state.held} of ${state.posted} was held`)
  }
  assert.deepEqual((await gate.ledger.verify()).drift, [])
  assert.ok(receipts.length > 50 && (statuses.get(200) ?? 0) > 20, JSON.stringify([...statuses]))
})
