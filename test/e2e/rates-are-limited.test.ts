/**
 * Requests per minute, tokens per minute and concurrent requests, by account and by key: rejected in each format's
 * own words with Retry-After, reported on success under the header names its clients read, and never estimated.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import type { RateLimits } from '../../src/limits/types.ts'
import type { TestAccount } from '../support/gateway.ts'
import { eventually, meteredGateway } from '../support/metered-gateway.ts'
import { type Format, formats, rejectionIn, type Whole } from '../support/paying-client.ts'

/** Does not move unless a test moves it. */
let nowMs = systemClock.wallMs()
const clock = { ...systemClock, wallMs: () => nowMs }
const none: RateLimits = { requestsPerMinute: null, tokensPerMinute: null, concurrent: null }
const narrow = { requestsPerMinute: 3, tokensPerMinute: 4_000, concurrent: 2 } as const

const wide = await meteredGateway({ clock, limits: { ...none } })
const tight = await meteredGateway({ clock, limits: { ...narrow } })
after(async () => {
  await wide.end()
  await tight.end()
})

type Name = keyof RateLimits

/** Which has the limit: the key of an unlimited account, or the account of an unlimited key. */
const scopes = [
  {
    scope: 'key',
    gate: wide,
    of: (name: Name) => wide.account('5', { rates: { ...none, [name]: narrow[name] } }),
  },
  { scope: 'account', gate: tight, of: (_name: Name) => tight.account('5') },
] as const

const body = (format: Format, more: object = {}) => ({
  model: `${format}-stream`,
  max_tokens: 10,
  messages: [{ role: 'user', content: 'tokens=4' }],
  ...more,
})

/** The same account under another key, to show that a limit is the account's. */
async function otherKey(gate: typeof wide, account: TestAccount): Promise<TestAccount> {
  const { access } = gate.gateway.services
  const { policy } = (await access.key(account.keyId))!
  const { id, secret } = await access.create({ account: account.id, name: 'other', expiresMs: null, policy })
  return { id: account.id, keyId: id, key: secret }
}

interface Expected {
  readonly code: string
  readonly types: Readonly<Record<Format, string>>
}

const expected: Readonly<Record<Name, Expected>> = {
  requestsPerMinute: { code: 'rate_limited', types: { chat: 'requests', messages: 'rate_limit_error' } },
  tokensPerMinute: { code: 'token_rate_limited', types: { chat: 'tokens', messages: 'rate_limit_error' } },
  concurrent: { code: 'concurrency_limited', types: { chat: 'requests', messages: 'rate_limit_error' } },
}

function assertRejected(answer: Whole, name: Name, format: Format, scope: string): void {
  const { code, types } = expected[name]
  const rejection = rejectionIn(answer.text)
  assert.deepEqual([answer.status, rejection.code, rejection.type], [429, code, types[format]], answer.text)
  assert.deepEqual([rejection.facts.scope, rejection.facts.limit], [scope, narrow[name]])
  if (format === 'chat')
    assert.equal((JSON.parse(answer.text) as { error: { code: string } }).error.code, 'rate_limit_exceeded')
  assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/)
}

for (const { scope, gate, of } of scopes) {
  for (const format of formats) {
    test(`${format}: the fourth request of a minute is rejected (${scope}), and passes after Retry-After`, async () => {
      const account = await of('requestsPerMinute')
      for (let times = 0; times < 3; times += 1) {
        assert.equal((await gate.ask(account, body(format)).whole()).status, 200)
      }
      const before = gate.sandbox.requests()
      for (let times = 0; times < 20; times += 1) {
        assertRejected(await gate.ask(account, body(format)).whole(), 'requestsPerMinute', format, scope)
      }
      const other = await gate.ask(await otherKey(gate, account), body(format)).whole()
      assert.equal(other.status, scope === 'account' ? 429 : 200)
      assert.equal(gate.sandbox.requests() - before, scope === 'account' ? 0 : 1)
      const rejected = await gate.ask(account, body(format)).whole()
      nowMs += Number(rejected.headers['retry-after']) * 1_000
      assert.equal((await gate.ask(account, body(format)).whole()).status, 200)
    })

    test(`${format}: more tokens than a minute has are rejected (${scope}), and counted before that`, async () => {
      const account = await of('tokensPerMinute')
      // More bytes than the limit has tokens, and far fewer tokens.
      const long = { messages: [{ role: 'user', content: `tokens=4 ${'window '.repeat(800)}` }] }
      const first = await gate.ask(account, body(format, long)).whole()
      assert.equal(first.status, 200, first.text)
      const longer = { messages: [1, 2, 3, 4].flatMap(() => long.messages) }
      const second = await gate.ask(account, body(format, longer)).whole()
      assertRejected(second, 'tokensPerMinute', format, scope)
      await gate.receiptOf(account)
      nowMs += Number(second.headers['retry-after']) * 1_000
      const third = await gate.ask(account, body(format, long)).whole()
      assert.equal(third.status, 200, third.text)
    })

    test(`${format}: the third concurrent request is rejected (${scope}), until one of the two has ended`, async () => {
      const account = await of('concurrent')
      const open = {
        model: `${format}-hang-stream`,
        stream: true,
        messages: [{ role: 'user', content: 'events=1' }],
      }
      const running = [1, 2].map(() => gate.ask(account, body(format, open)))
      for (const one of running) assert.equal(await one.contents(1), true)
      const { openHolds } = await gate.balance(account.id)
      const rejected = await gate.ask(account, body(format)).whole()
      assertRejected(rejected, 'concurrent', format, scope)
      assert.equal((await gate.balance(account.id)).openHolds, openHolds)
      running[0]!.leave()
      await gate.receiptOf(account)
      assert.equal((await gate.ask(account, body(format)).whole()).status, 200)
      running[1]!.leave()
      await gate.receiptOf(account, 3)
    })
  }
}

const names: Readonly<Record<Format, (kind: string, what: string) => string>> = {
  chat: (kind, what) => `x-ratelimit-${what}-${kind}`,
  messages: (kind, what) => `anthropic-ratelimit-${kind}-${what}`,
}

for (const format of formats) {
  test(`${format}: a response reports what is left, after the actual usage`, async () => {
    const rates = { requestsPerMinute: 10, tokensPerMinute: 100_000, concurrent: null }
    const account = await wide.account('5', { rates })
    const first = await wide.ask(account, body(format, { max_tokens: 900 })).whole()
    const header = ({ headers }: Whole, kind: string, what: string) =>
      String(headers[names[format](kind, what)])
    assert.deepEqual(
      [header(first, 'requests', 'limit'), header(first, 'requests', 'remaining')],
      ['10', '9'],
    )
    assert.equal(header(first, 'tokens', 'limit'), '100000')
    const reserved = 100_000 - Number(header(first, 'tokens', 'remaining'))
    assert.ok(reserved > 900 && reserved < 2_500, `${reserved} were reserved`)
    const reset = header(first, 'requests', 'reset')
    assert.match(reset, format === 'chat' ? /^(\d+m)?\d+m?s$/ : /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)

    const { inputUncached, output } = await wide.receiptOf(account)
    const second = await wide.ask(account, body(format, { max_tokens: 900 })).whole()
    assert.equal(header(second, 'requests', 'remaining'), '8')
    assert.equal(100_000 - Number(header(second, 'tokens', 'remaining')), reserved + inputUncached + output)
    const foreign = format === 'chat' ? /^anthropic-ratelimit/ : /^x-ratelimit/
    assert.deepEqual(
      Object.keys(second.headers).filter((name) => foreign.test(name)),
      [],
    )
  })

  test(`${format}: where there is no limit, none is reported`, async () => {
    const account = await wide.account('5')
    const { headers } = await wide.ask(account, body(format)).whole()
    assert.deepEqual(
      Object.keys(headers).filter((name) => /ratelimit/.test(name)),
      [],
    )
  })
}

test('N per minute: N immediately, the next 60 seconds after the first, and Retry-After is exact to the second', async () => {
  for (const requestsPerMinute of [1, 3]) {
    const account = await wide.account('5', { rates: { ...none, requestsPerMinute } })
    for (let minute = 0; minute < 2; minute += 1) {
      const firstMs = nowMs
      for (let times = 0; times < requestsPerMinute; times += 1) {
        assert.equal((await wide.ask(account, body('chat')).whole()).status, 200)
        nowMs += 7_400
      }
      const rejected = await wide.ask(account, body('chat')).whole()
      const leftMs = firstMs + 60_000 - nowMs
      assert.equal(rejected.status, 429)
      assert.equal(
        Number(rejected.headers['retry-after']),
        Math.ceil(leftMs / 1_000),
        String(requestsPerMinute),
      )
      nowMs += leftMs - 1
      assert.equal((await wide.ask(account, body('chat')).whole()).status, 429)
      nowMs += 1
      assert.equal((await wide.ask(account, body('chat')).whole()).status, 200)
      nowMs += 60_000
    }
  }
})

test('the tighter limit of account and key is reported', async () => {
  const account = await tight.account('5', { rates: { ...none, requestsPerMinute: 2 } })
  const { headers } = await tight.ask(account, body('chat')).whole()
  assert.deepEqual(
    [headers['x-ratelimit-limit-requests'], headers['x-ratelimit-limit-tokens']],
    ['2', '4000'],
  )
})

test('a rate limit is checked before funds: a client that is too fast has to wait, whatever the balance', async () => {
  const poor = await wide.account('0.000001', { rates: { ...none, tokensPerMinute: 20 } })
  assert.equal((await wide.ask(poor, body('chat')).whole()).status, 429)
  const broke = await wide.account('0', { rates: { ...none, requestsPerMinute: 1 } })
  for (const status of [402, 429]) assert.equal((await wide.ask(broke, body('chat')).whole()).status, status)
})

test('concurrent requests are counted one by one', async () => {
  const account = await wide.account('5', { rates: { ...none, requestsPerMinute: 7 } })
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => wide.ask(account, body('messages')).whole()),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 7)
  assert.equal(answers.filter(({ status }) => status === 429).length, 53)
  const places = await wide.account('5', { rates: { ...none, concurrent: 4 } })
  const open = { model: 'chat-hang-stream', stream: true, messages: [{ role: 'user', content: 'events=1' }] }
  const sent = Array.from({ length: 40 }, () => wide.ask(places, body('chat', open)))
  const heads = await Promise.all(sent.map(({ head }) => head))
  assert.equal(heads.filter(({ status }) => status === 200).length, 4)
  for (const one of sent) one.leave()
  await wide.receiptOf(places, 4)
  await eventually(
    'all places are free',
    () => wide.ask(places, body('chat')).whole(),
    ({ status }) => status === 200,
  )
})
