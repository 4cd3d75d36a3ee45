/**
 * However many requests arrive concurrently, the holds of an account never exceed its balance, what goes upstream
 * never exceeds its hold, and a request that does not fit waits briefly, is lowered, or is rejected.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { formatUsd, parseUsd } from '../../contract/usd.ts'
import { type BalanceState, watchBalances } from '../support/balance-watch.ts'
import { type AskedBody, eventually, listPrice, meteredGateway } from '../support/metered-gateway.ts'
import { type Head, rejectionIn, type Sent } from '../support/paying-client.ts'

const holdWaitMs = 400
const gate = await meteredGateway({
  limits: { requestsPerMinute: null, tokensPerMinute: null, concurrent: null, holdWaitMs },
})
/** Where requests wait until there is enough. */
const waiting = await meteredGateway()
const watch = await watchBalances(gate.dataFolder)
after(async () => {
  watch.close()
  await gate.end()
  await waiting.end()
})

const outputNanoPerToken = parseUsd(listPrice.output)! / 1_000_000n

/** A stream that sends one word and then stays open. */
function open(format: 'chat' | 'messages', maxTokens: number, more: object = {}): AskedBody {
  const messages = [{ role: 'user', content: 'events=1' }]
  return { model: `${format}-hang-stream`, max_tokens: maxTokens, stream: true, messages, ...more }
}

const nano = (head: Head, name: string): bigint => parseUsd(String(head.headers[name]))!

async function holdOf(body: AskedBody): Promise<bigint> {
  const account = await gate.account('10')
  const sent = gate.ask(account, body)
  const amount = nano(await sent.head, 'x-tollgate-hold')
  sent.leave()
  await gate.receiptOf(account)
  return amount
}

function assertNeverOverspent(states: readonly BalanceState[]): void {
  assert.ok(states.length > 0, 'the watch saw something')
  for (const { posted, held } of states)
    assert.ok(held >= 0n && held <= posted, `${held} of ${posted} is held`)
}

/** Sends them all, waits until each was decided, and returns the running and the rejected ones. */
async function decided(sent: readonly Sent[]): Promise<{ running: Sent[]; rejected: Sent[]; heads: Head[] }> {
  const heads = await Promise.all(sent.map(({ head }) => head))
  const by = (status: number) => sent.filter((_, index) => heads[index]?.status === status)
  const [running, rejected] = [by(200), by(402)]
  assert.equal(running.length + rejected.length, sent.length, 'each is served or rejected for money')
  return { running, rejected, heads: heads.filter(({ status }) => status === 200) }
}

async function leaveAll(account: { id: bigint }, sent: readonly Sent[], earlier = 0): Promise<void> {
  for (const one of sent) one.leave()
  await gate.receiptOf(account, earlier + sent.length)
  assert.equal((await gate.balance(account.id)).held, 0n)
}

test('of 1,000 concurrent requests a balance of ten holds admits exactly ten', async () => {
  const body = open('chat', 256)
  const hold = await holdOf(body)
  const account = await gate.account(formatUsd(10n * hold))
  const before = gate.sandbox.requests()
  const { running, rejected } = await decided(Array.from({ length: 1_000 }, () => gate.ask(account, body)))

  assert.deepEqual([running.length, rejected.length], [10, 990])
  assert.equal(gate.sandbox.requests() - before, 10, 'only what was admitted reached the upstream')
  const { posted, held, openHolds } = await gate.balance(account.id)
  assert.deepEqual([posted, openHolds], [10n * hold, 10])
  // The last of them was counted before its hold, so that it may be below the free bound.
  assert.ok(held <= posted && held > 9n * hold, `${held} of ${posted} is held`)
  assert.equal((await gate.ledger.verify()).ok, true)
  for (const one of rejected) assert.equal(rejectionIn((await one.whole()).text).code, 'balance_held')

  await leaveAll(account, running)
  assertNeverOverspent(await watch.states(account.id))
  // The ten cost far less than their holds, so there is room for others now.
  const later = await decided(Array.from({ length: 9 }, () => gate.ask(account, body)))
  assert.equal(later.running.length, 9)
  await leaveAll(account, later.running, 10)
  assertNeverOverspent(await watch.states(account.id))
})

for (const { format, floor, more } of [
  { format: 'chat', floor: 1_024, more: {} },
  { format: 'messages', floor: 1_024, more: {} },
  {
    format: 'messages',
    floor: 3_024,
    more: { thinking: { type: 'enabled', budget_tokens: 2_000 } },
  },
] as const) {
  test(`of 300 ${format} requests for 32,000 tokens none is below ${floor} or above the balance`, async () => {
    const body = open(format, 32_000, more)
    const account = await gate.account('0.8')
    const before = gate.sandbox.requests()
    const sent = Array.from({ length: 300 }, () => gate.ask(account, body))
    const { running, heads } = await decided(sent)

    const limits = heads.map(({ headers }) => Number(headers['x-tollgate-max-output'] ?? 32_000))
    for (const limit of limits) assert.ok(limit >= floor, `${limit} is at least ${floor}`)
    const paid = heads.reduce((sum, head) => sum + nano(head, 'x-tollgate-hold'), 0n)
    const { held } = await gate.balance(account.id)
    // A surplus is released as soon as the upstream reports its input; a hold never grows.
    assert.ok(held <= paid && paid <= parseUsd('0.8')!, `${held} is held, ${paid} was told`)
    assert.ok(running.length > 1 && limits.some((limit) => limit < 32_000), 'some were lowered')

    assert.equal(gate.sandbox.requests() - before, running.length)
    const meters = gate.sandbox.requestLog().slice(-running.length)
    for (const { limit, budget } of meters.map(limitsSent)) {
      assert.ok(budget < limit, `a thinking budget of ${budget} fits into ${limit}`)
    }
    assert.deepEqual(
      meters.map((meter) => limitsSent(meter).limit).sort(byNumber),
      [...limits].sort(byNumber),
    )
    for (const head of heads) {
      const output = BigInt(Number(head.headers['x-tollgate-max-output'] ?? 32_000)) * outputNanoPerToken
      assert.ok(nano(head, 'x-tollgate-hold') > output, 'the hold pays for the limit that went upstream')
    }
    await leaveAll(account, running)
    assertNeverOverspent(await watch.states(account.id))
  })
}

test('of 200 concurrent requests a key with a budget of five holds has exactly five, and the account keeps the rest', async () => {
  const body = open('chat', 256)
  const hold = await holdOf(body)
  const account = await gate.account('10', { budget: { amount: 5n * hold, window: 'day' } })
  const before = gate.sandbox.requests()
  const { running, rejected } = await decided(Array.from({ length: 200 }, () => gate.ask(account, body)))
  assert.deepEqual([running.length, gate.sandbox.requests() - before], [5, 5])
  for (const one of rejected) {
    const { code, facts } = rejectionIn((await one.whole()).text)
    assert.deepEqual([code, facts.scope], ['balance_held', 'key'])
  }
  const { held } = await gate.balance(account.id)
  assert.ok(held <= 5n * hold && held > 4n * hold, `${held} is held`)
  await leaveAll(account, running)
})

test('both formats of one account share one balance', async () => {
  const bodies = [open('chat', 900), open('messages', 700)]
  const account = await gate.account('0.1')
  const before = gate.sandbox.requests()
  const sent = Array.from({ length: 200 }, (_, index) => gate.ask(account, bodies[index % 2]!))
  const { running, heads } = await decided(sent)
  assert.equal(gate.sandbox.requests() - before, running.length)
  const told = heads.reduce((sum, head) => sum + nano(head, 'x-tollgate-hold'), 0n)
  assert.ok(told <= parseUsd('0.1')! && told > parseUsd('0.08')!, `${told} is held`)
  await leaveAll(account, running)
  assertNeverOverspent(await watch.states(account.id))
})

const byNumber = (a: number, b: number): number => a - b

function limitsSent({ body }: { readonly body?: Buffer }): {
  readonly limit: number
  readonly budget: number
} {
  const sent = JSON.parse(String(body)) as { max_tokens: number; thinking?: { budget_tokens: number } }
  return { limit: sent.max_tokens, budget: sent.thinking?.budget_tokens ?? 0 }
}

test('a request that does not fit while another runs is served as soon as that one is settled', async () => {
  const body = open('chat', 256)
  const hold = await holdOf(body)
  const account = await waiting.account(formatUsd(hold + hold / 2n))
  const first = waiting.ask(account, body)
  await first.contents(1)
  const second = waiting.ask(account, body)
  const lookUps = ['/v1/key', '/v1/credits', '/v1/key']
  for (const path of lookUps) {
    const answer = await fetch(waiting.origin + path, { headers: { authorization: `Bearer ${account.key}` } })
    assert.equal(answer.status, 200, await answer.text())
  }
  assert.equal((await waiting.balance(account.id)).openHolds, 1)
  first.leave()
  assert.equal((await second.head).status, 200)
  assert.equal((await second.head).headers['x-tollgate-max-output'], undefined, 'waiting came before cutting')
  second.leave()
  await waiting.receiptOf(account, 2)
})

test('a request that waits in vain gets an error that running requests block it, and nothing was charged', async () => {
  const body = open('chat', 256)
  const hold = await holdOf(body)
  const account = await gate.account(formatUsd(hold))
  const first = gate.ask(account, body)
  await first.contents(1)
  const before = await gate.balance(account.id)
  const rejected = await gate.ask(account, body).whole()
  const rejection = rejectionIn(rejected.text)
  assert.deepEqual(
    [rejected.status, rejection.code, rejection.type],
    [402, 'balance_held', 'insufficient_quota'],
  )
  assert.deepEqual([rejected.headers['retry-after'], rejected.headers['x-should-retry']], ['1', 'true'])
  assert.deepEqual(await gate.balance(account.id), before)
  first.leave()
  await gate.receiptOf(account)
})

test('credit lets a waiting request pass immediately', async () => {
  const body = open('chat', 256)
  const hold = await holdOf(body)
  const account = await waiting.account(formatUsd(hold))
  const first = waiting.ask(account, body)
  await first.contents(1)
  const second = waiting.ask(account, body)
  const { ledger } = waiting
  const nextId = waiting.gateway.services.nextId
  await ledger.credit({
    entryId: nextId(),
    account: account.id,
    amount: hold,
    source: 'manual',
    reference: `more-${account.id}`,
    nowMs: 0,
    note: null,
  })
  assert.equal((await second.head).status, 200)
  await eventually(
    'both run',
    () => waiting.balance(account.id),
    ({ openHolds }) => openHolds === 2,
  )
  first.leave()
  second.leave()
  await waiting.receiptOf(account, 2)
})
