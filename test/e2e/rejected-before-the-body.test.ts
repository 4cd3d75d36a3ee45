/**
 * What is known before a body is known is answered before it: a rate, concurrent requests, a suspension, a balance or a
 * budget that is used up, in every format, whether the client sends its body, waits for 100 Continue, or sends it
 * slowly. Rejected requests count against the rate; credit and a resumed account apply to the very next request.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import type { RateLimits } from '../../src/limits/types.ts'
import type { TestAccount } from '../support/gateway.ts'
import { eventually, meteredGateway } from '../support/metered-gateway.ts'
import { rejectionIn } from '../support/paying-client.ts'
import { type RawAnswer, RawClient } from '../support/raw-client.ts'

/** Does not move unless a test moves it. */
let nowMs = systemClock.wallMs()
const clock = { ...systemClock, wallMs: () => nowMs }
const none: RateLimits = { requestsPerMinute: null, tokensPerMinute: null, concurrent: null }
const gate = await meteredGateway({ clock, limits: { ...none } })
const { ledger, nextId } = gate.gateway.services
const port = Number(new URL(gate.origin).port)
after(() => gate.end())

const paid = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
  gemini: '/v1beta/models/gemini-stream:generateContent',
  embeddings: '/v1/embeddings',
} as const
const counted = {
  'messages/count_tokens': '/v1/messages/count_tokens',
  'gemini:countTokens': '/v1beta/models/gemini-stream:countTokens',
} as const

const good = JSON.stringify({
  model: 'chat-stream',
  max_tokens: 10,
  messages: [{ role: 'user', content: 'tokens=4' }],
})

function credit(account: TestAccount, amount: bigint): Promise<unknown> {
  const entryId = nextId()
  const reference = `credit-${entryId}`
  return ledger.credit({
    entryId,
    account: account.id,
    amount,
    source: 'manual',
    reference,
    nowMs,
    note: null,
  })
}

interface Blocked {
  readonly name: string
  readonly status: number
  readonly code: string
  /** An account that cannot pass any paid request. */
  readonly account: () => Promise<TestAccount>
  /** What lets the next request pass. */
  readonly unblock: (account: TestAccount) => Promise<unknown>
}

const whole = (account: TestAccount, body: string = good) => gate.ask(account, body).whole()

async function withRates(rates: Partial<RateLimits>): Promise<TestAccount> {
  return gate.account('5', { rates: { ...none, ...rates } })
}

const blocked: readonly Blocked[] = [
  {
    name: 'no balance',
    status: 402,
    code: 'insufficient_balance',
    account: () => gate.account('0'),
    unblock: (account) => credit(account, 1_000_000_000n),
  },
  {
    name: 'a suspended account',
    status: 403,
    code: 'account_suspended',
    async account() {
      const account = await gate.account('5')
      assert.equal((await whole(account)).status, 200)
      await ledger.suspend(account.id, nowMs)
      return account
    },
    unblock: (account) => ledger.suspend(account.id, null),
  },
  {
    name: 'a rate that is used up',
    status: 429,
    code: 'rate_limited',
    async account() {
      const account = await withRates({ requestsPerMinute: 1 })
      assert.equal((await whole(account)).status, 200)
      return account
    },
    async unblock() {
      nowMs += 60_000
    },
  },
  {
    name: 'a budget that is spent',
    status: 402,
    code: 'key_budget_exhausted',
    async account() {
      const account = await gate.account('5')
      assert.equal((await whole(account)).status, 200)
      const budget = { amount: 1n, window: 'day' } as const
      await gate.gateway.services.access.update(account.keyId, ({ policy }) => ({
        policy: { ...policy, budget },
      }))
      // The ledger reports a budget with the first request that does not fit.
      assert.equal((await whole(account)).status, 402)
      return account
    },
    unblock: ({ keyId }) =>
      gate.gateway.services.access.update(keyId, ({ policy }) => ({ policy: { ...policy, budget: null } })),
  },
]

/** Sends a head that announces `bytes`, and `sent` bytes of the body; resolves with the response. */
async function begun(
  account: TestAccount,
  path: string,
  { bytes, sent, headers = '' }: { bytes: number; sent: number; headers?: string },
): Promise<{ readonly answer: RawAnswer | undefined; readonly client: RawClient }> {
  const client = new RawClient(port)
  client.send(
    `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${account.key}\r\n${headers}Content-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n${'x'.repeat(sent)}`,
  )
  return { answer: await client.answer(), client }
}

const uploads = [
  ['all but its last byte', { bytes: 40_000, sent: 39_999 }],
  ['the beginning of 32 MiB', { bytes: 32 * 1024 * 1024, sent: 1_000 }],
  ['nothing until it is asked', { bytes: 5_000, sent: 0, headers: 'Expect: 100-continue\r\n' }],
] as const

for (const { name, status, code, account: make, unblock } of blocked) {
  test(`${name} is answered before the body, and what changes it applies to the next request`, async () => {
    const account = await make()
    const paths = Object.entries(code === 'account_suspended' ? { ...paid, ...counted } : paid)
    for (const [format, path] of paths) {
      for (const [text, upload] of uploads) {
        const { answer, client } = await begun(account, path, upload)
        const rejection = rejectionIn(answer?.body ?? '{}')
        assert.deepEqual(
          [answer?.status, rejection.code],
          [status, code],
          `${format}, ${text}: ${answer?.body}`,
        )
        client.close()
      }
    }
    assert.equal(gate.gateway.deps.bodies.used, 0)
    await unblock(account)
    assert.equal((await whole(account)).status, 200)
  })
}

test('a connection stays open when its small body has not arrived yet', async () => {
  const account = await gate.account('0')
  const { answer, client } = await begun(account, paid.chat, { bytes: good.length, sent: 10 })
  assert.equal(answer?.status, 402)
  await credit(account, 1_000_000_000n)
  client.send(
    `${good.slice(10)}POST ${paid.chat} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${account.key}\r\nContent-Length: ${good.length}\r\n\r\n${good}`,
  )
  assert.equal((await client.answer())?.status, 200)
  client.close()
})

test('a body in transit is a concurrent request, and releases its slot when it is rejected or its client disconnects', async () => {
  const account = await withRates({ concurrent: 2 })
  const upload = () => {
    const client = new RawClient(port)
    client.send(
      `POST ${paid.chat} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${account.key}\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n`,
    )
    return client
  }
  const [leaving, rejected] = [upload(), upload()]
  for (const client of [leaving, rejected]) assert.equal((await client.answer())?.status, 100)
  const third = await whole(account)
  assert.deepEqual([third.status, rejectionIn(third.text).code], [429, 'concurrency_limited'])
  rejected.send('{"a')
  assert.equal((await rejected.answer())?.status, 400)
  assert.equal((await whole(account)).status, 200)
  const another = upload()
  assert.equal((await another.answer())?.status, 100)
  assert.equal((await whole(account)).status, 429)
  leaving.close()
  await eventually(
    'the place is free',
    () => whole(account),
    ({ status }) => status === 200,
  )
  another.close()
})

const badRequests: readonly (readonly [status: number, body: string, path?: string])[] = [
  [400, '{'],
  [400, '{"model":"chat-stream"}'],
  [404, good.replace('chat-stream', 'no-such-model')],
  [403, good.replace('chat-stream', 'chat-think')],
  [402, good.replace('"max_tokens":10', '"max_tokens":30000')],
  [415, good],
]

test('rejected requests count against the rate of the key, and the headers show it', async () => {
  const requestsPerMinute = badRequests.length + 2
  const account = await gate.account('0.1', {
    rates: { ...none, requestsPerMinute },
    models: ['chat-stream'],
    onShortBalance: 'reject',
  })
  for (const [status, body] of badRequests) {
    const headers = status === 415 ? 'Content-Type: text/plain\r\n' : ''
    const client = new RawClient(port)
    client.send(
      `POST ${paid.chat} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${account.key}\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`,
    )
    const answer = await client.answer()
    assert.equal(answer?.status, status, answer?.body)
    client.close()
  }
  const served = await whole(account)
  assert.deepEqual([served.status, served.headers['x-ratelimit-remaining-requests']], [200, '1'])
  assert.equal((await whole(account)).status, 200)
  const rejected = await whole(account)
  assert.deepEqual(
    [rejected.status, rejectionIn(rejected.text).code, rejected.headers['x-ratelimit-remaining-requests']],
    [429, 'rate_limited', '0'],
  )
  // Requests rejected for their rate do not count: the Retry-After of the first is exact.
  for (let times = 0; times < 20; times += 1) assert.equal((await whole(account)).status, 429)
  nowMs += Number(rejected.headers['retry-after']) * 1_000
  assert.equal((await whole(account)).status, 200)
})
