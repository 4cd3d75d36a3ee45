/**
 * Insufficient funds are reported before a byte goes upstream, with codes that each format's clients act on;
 * the amount that the error names passes, a rejection charges nothing, and credit applies immediately.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { formatUsd, parseUsd } from '../../contract/usd.ts'
import type { Clock } from '../../src/base/clock.ts'
import { formatId } from '../../src/base/ids.ts'
import type { BudgetWindow } from '../../src/limits/types.ts'
import type { TestAccount } from '../support/gateway.ts'
import { meteredGateway } from '../support/metered-gateway.ts'
import { noonClock } from '../support/noon-clock.ts'
import { type Format, formats, type Rejection, rejectionIn, type Whole } from '../support/paying-client.ts'

/** Days that the wall clock is ahead; timers are not moved. */
let daysAhead = 0
const noon = noonClock()
const clock = { ...noon, wallMs: () => noon.wallMs() + daysAhead * 86_400_000 }
const gate = await meteredGateway({
  clock,
  // Only requests that are to be rejected wait for others.
  limits: { holdWaitMs: 100, requestsPerMinute: null, concurrent: null },
})
after(() => gate.end())

const text = 'hello there, my dear '.repeat(100)

function bodyOf(format: Format, more: object) {
  return { model: `${format}-stream`, messages: [{ role: 'user', content: `tokens=3 ${text}` }], ...more }
}

async function rejected(account: TestAccount, format: Format, more: object): Promise<Whole & Rejection> {
  const before = gate.sandbox.requests()
  const answer = await gate.ask(account, bodyOf(format, more)).whole()
  assert.equal(answer.status, 402, answer.text)
  assert.equal(gate.sandbox.requests(), before, 'nothing reached the upstream')
  return { ...answer, ...rejectionIn(answer.text) }
}

async function credit(account: TestAccount, usd: string): Promise<void> {
  const { nextId } = gate.gateway.services
  const entryId = nextId()
  const result = await gate.ledger.credit({
    entryId,
    account: account.id,
    amount: parseUsd(usd)!,
    source: 'manual',
    reference: `more-${entryId}`,
    nowMs: clock.wallMs(),
    note: null,
  })
  assert.equal(result.kind, 'credited')
}

const types: Readonly<Record<Format, string>> = { chat: 'insufficient_quota', messages: 'billing_error' }

for (const format of formats) {
  for (const stream of [false, true]) {
    test(`${format}, ${stream ? 'streamed' : 'whole'}: the error says what is needed, what is available, and where to top up`, async () => {
      const account = await gate.account('0.01')
      const answer = await rejected(account, format, { max_tokens: 4_000, stream })
      assert.deepEqual([answer.type, answer.code], [types[format], 'insufficient_balance'])
      assert.match(String(answer.headers['content-type']), /^application\/json/)
      assert.equal(answer.headers['x-should-retry'], 'false')
      assert.equal(answer.headers['retry-after'], undefined)
      const { facts, message } = answer
      assert.deepEqual([facts.available, facts.held, facts.scope], ['0.01', '0.00', 'account'])
      assert.equal(facts.topup_url, `${gate.origin}/console/billing?account=${formatId('acct', account.id)}`)
      assert.ok(parseUsd(String(facts.required))! > parseUsd('0.01')!)
      // Rounded up to four decimals: so much suffices.
      const needed = parseUsd(/reserves at least \$([\d.]+), but only/.exec(message)?.[1] ?? '')!
      const excess = needed - parseUsd(String(facts.required))!
      assert.ok(excess >= 0n && excess < 100_000n, message)
      for (const part of [facts.available, facts.affordable_max_tokens, facts.topup_url]) {
        assert.ok(message.includes(String(part)), `${message} names ${String(part)}`)
      }
      if (format === 'messages') assert.match(message, /^Your credit balance is too low/)
    })
  }

  test(`${format}: a key that may not see the balance gets no amounts`, async () => {
    const account = await gate.account('0.0123', { showBalance: false })
    const answer = await rejected(account, format, { max_tokens: 4_000 })
    assert.doesNotMatch(answer.text, /0\.0123|required|available"/)
    assert.ok(Number(answer.facts.affordable_max_tokens) > 0)
  })

  test(`${format}: a balance reserved by running requests is reported as such, with Retry-After`, async () => {
    const account = await gate.account('0.1', { onShortBalance: 'reject' })
    const first = gate.ask(account, {
      ...bodyOf(format, { stream: true, max_tokens: 5_000 }),
      model: `${format}-hang`,
    })
    const before = gate.sandbox.requests()
    while (gate.sandbox.requests() === before) await new Promise(setImmediate)
    const answer = await rejected(account, format, { max_tokens: 5_000, thinking: { budget_tokens: 4_000 } })
    assert.deepEqual([answer.type, answer.code], [types[format], 'balance_held'])
    assert.deepEqual([answer.headers['x-should-retry'], answer.headers['retry-after']], ['true', '1'])
    assert.match(answer.message, /reserved by 1 request still running/)
    first.leave()
    await gate.receiptOf(account)
  })
}

test('a number below the thinking budget is not named: no upstream would accept it', async () => {
  const account = await gate.account('0.02')
  const thinking = { type: 'enabled', budget_tokens: 3_000 }
  const answer = await rejected(account, 'messages', { max_tokens: 8_000, thinking })
  assert.equal(answer.facts.affordable_max_tokens, 0)
  assert.doesNotMatch(answer.message, /lower max_tokens/)
})

test('official libraries raise the error immediately and do not retry', async () => {
  const account = await gate.account('0.0001')
  let asked = 0
  const counting: typeof fetch = (input, init) => {
    asked += 1
    return fetch(input, init)
  }
  const openai = new OpenAI({ apiKey: account.key, baseURL: `${gate.origin}/v1`, fetch: counting })
  const chat = bodyOf('chat', { max_tokens: 100 }) as OpenAI.ChatCompletionCreateParamsNonStreaming
  await assert.rejects(
    openai.chat.completions.create(chat),
    (error) =>
      error instanceof OpenAI.APIError && error.status === 402 && error.code === 'insufficient_balance',
  )
  const anthropic = new Anthropic({ apiKey: account.key, baseURL: `${gate.origin}/v1/alt`, fetch: counting })
  const messages = bodyOf('messages', { max_tokens: 100 }) as Anthropic.MessageCreateParamsNonStreaming
  await assert.rejects(
    anthropic.messages.create(messages),
    (error) => error instanceof Anthropic.APIError && error.status === 402 && /too low/.test(error.message),
  )
  assert.equal(asked, 2)
})

for (const window of ['day', 'week', 'month', 'total'] as const satisfies readonly BudgetWindow[]) {
  test(`a key's budget of one ${window} is the key's alone, and ${window === 'total' ? 'never resets' : 'resets'}`, async () => {
    const budget = { amount: parseUsd('0.0115')!, window }
    const account = await gate.account('5', { budget })
    const other = await gate.gateway.services.access.create({
      account: account.id,
      name: 'other',
      expiresMs: null,
      policy: { ...(await gate.gateway.services.access.key(account.keyId))!.policy, budget: null },
    })
    const asked = { max_tokens: 300, messages: [{ role: 'user', content: 'tokens=300' }] }
    for (const max_tokens of [300, 300]) {
      const { status, text } = await gate.ask(account, bodyOf('chat', { ...asked, max_tokens })).whole()
      assert.equal(status, 200, text)
    }
    const answer = await rejected(account, 'chat', asked)
    assert.deepEqual([answer.code, answer.facts.scope], ['key_budget_exhausted', 'key'])
    assert.doesNotMatch(answer.message, /Add credit/)
    const keyPage = `${formatId('key', account.keyId)}?account=${formatId('acct', account.id)}`
    assert.ok(answer.message.includes(`${gate.origin}/console/keys/${keyPage}, or`), answer.message)
    assert.equal(
      /It resets on 2\d{3}-\d\d-\d\d \(UTC\)\./.test(answer.message),
      window !== 'total',
      answer.message,
    )
    assert.equal(
      (await gate.ask({ ...account, key: other.secret }, bodyOf('chat', asked)).whole()).status,
      200,
    )

    daysAhead += 32
    const later = await gate.ask(account, bodyOf('chat', asked)).whole()
    assert.equal(later.status, window === 'total' ? 402 : 200, later.text)
  })
}

test('a rejected request uses one of the requests per minute, and no tokens, no slot, no funds', async () => {
  const rates = { requestsPerMinute: 12, tokensPerMinute: 5_000, concurrent: 1 }
  const account = await gate.account('0.0001', { rates })
  for (let times = 0; times < 10; times += 1) await rejected(account, 'chat', { max_tokens: 500 })
  assert.deepEqual(await gate.balance(account.id), { posted: 100_000n, held: 0n, openHolds: 0 })
  await credit(account, '1')
  for (const remaining of ['1', '0']) {
    const { status, headers } = await gate.ask(account, bodyOf('chat', { max_tokens: 500 })).whole()
    assert.deepEqual([status, headers['x-ratelimit-remaining-requests']], [200, remaining])
  }
  const third = await gate.ask(account, bodyOf('chat', { max_tokens: 500 })).whole()
  assert.equal(third.status, 429)
})

test('credit applies to the very next request, also while many requests are being rejected', async () => {
  const account = await gate.account('0.0001')
  let isOver = false
  let rejections = 0
  const storm = Array.from({ length: 20 }, async () => {
    while (!isOver) {
      const { status } = await gate.ask(account, bodyOf('chat', { max_tokens: 64, stream: true })).whole()
      if (status === 402) rejections += 1
      else isOver = true
    }
  })
  while (rejections < 100) await new Promise(setImmediate)
  await credit(account, '1')
  const { status, text } = await gate.ask(account, bodyOf('messages', { max_tokens: 64 })).whole()
  isOver = true
  assert.equal(status, 200, text)
  await Promise.all(storm)
})

test('what was spent and what is left add up to what was credited', async () => {
  const account = await gate.account('0.05')
  for (let times = 0; times < 5; times += 1) {
    await gate.ask(account, bodyOf('chat', { max_tokens: 64 })).whole()
    await credit(account, '0.001')
  }
  await gate.receiptOf(account, 5)
  const receipts = await gate.ledger.receipts(account.id, 10, null)
  const spent = receipts.reduce((sum, { charged }) => sum + charged, 0n)
  const { posted } = await gate.balance(account.id)
  assert.equal(formatUsd(posted + spent), '0.055')
})

test('an input that cannot be counted in time is bounded by its size: served if affordable, else rejected with the reason', async () => {
  // No thread can answer before a microtask runs, however fast it is and however late this loop.
  const after: Clock['after'] = (ms, run) => {
    if (ms > 0) return clock.after(ms, run)
    let isCanceled = false
    queueMicrotask(() => {
      if (!isCanceled) run()
    })
    return {
      cancel() {
        isCanceled = true
      },
    }
  }
  const hurried = await meteredGateway({ clock: { ...clock, after }, limits: { countMs: 0 } })
  try {
    const account = await hurried.account('0.01')
    const body = bodyOf('chat', { max_tokens: 4_000 })
    const answer = await hurried.ask(account, body).whole()
    assert.equal(answer.status, 402, answer.text)
    const { facts, message } = rejectionIn(answer.text)
    assert.equal(facts.input_tokens, 'bounded')
    assert.match(message, /bounded by size/)
    const lower = { ...body, max_tokens: Number(facts.affordable_max_tokens) }
    assert.equal((await hurried.ask(account, lower).whole()).status, 200)
  } finally {
    await hurried.end()
  }
})
