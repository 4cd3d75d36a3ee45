/**
 * One model served by upstreams of different providers and formats: each request is translated for the offer that takes
 * it, paid from one hold, and no offer that cannot take it stops another one that can.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Behaviour, type FaultUpstream, faultUpstream, wholeAnswer } from '../support/fault-upstream.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { type Path, Sent } from '../support/paying-client.ts'
import { rejects, standInUsage, standsIn } from '../support/stand-in.ts'

const price = { input: '3', output: '15' }
const cost = BigInt(standInUsage.input) * 3_000n + BigInt(standInUsage.output) * 15_000n

let chat: FaultUpstream
let messages: FaultUpstream
let gateway: TestGateway
/** Which of the two fails with a status. */
const failing = { chat: 0, messages: 0 }
let chatSays: Behaviour | undefined

before(async () => {
  chat = await faultUpstream(
    () => chatSays ?? (failing.chat === 0 ? standsIn('by chat') : rejects(failing.chat)),
  )
  messages = await faultUpstream(() =>
    failing.messages === 0 ? standsIn('by messages') : rejects(failing.messages),
  )
  const limits = { context: 200_000, maxOutput: 1_000, prices: [price] }
  gateway = await testGateway({
    offers: 'as configured',
    upstreams: [
      {
        name: 'chats',
        provider: 'openai',
        url: chat.origin,
        credential: 'chats-credential',
        models: [{ id: 'unused' }],
        weight: 1,
      },
      {
        name: 'messengers',
        provider: 'anthropic',
        url: messages.origin,
        credential: 'messengers-credential',
        models: [{ id: 'unused-either' }],
        weight: 1,
      },
    ],
    models: [
      {
        id: 'cheap',
        ...limits,
        prices: [{ input: '1', output: '2' }],
        offers: [{ upstream: 'chats', model: 'cheap-there', formats: ['openai-chat'] }],
        fallbacks: ['dear'],
      },
      {
        id: 'dear',
        ...limits,
        offers: [{ upstream: 'messengers', model: 'claude-sonnet-4-5' }],
      },
      {
        id: 'both',
        ...limits,
        offers: [
          { upstream: 'messengers', model: 'claude-sonnet-4-5', priority: 1 },
          { upstream: 'chats', model: 'vendor/llama', priority: 2, formats: ['openai-chat'] },
        ],
      },
      {
        id: 'chat-first',
        ...limits,
        maxOutput: 32_000,
        offers: [
          { upstream: 'messengers', model: 'claude-sonnet-4-5', priority: 2 },
          { upstream: 'chats', model: 'vendor/llama', priority: 1, formats: ['openai-chat'] },
        ],
      },
    ],
    limits: { requestsPerMinute: null, retriesMin: 100, cooldownMsMax: 0, failuresBeforeEjection: 1_000 },
  })
})
after(async () => {
  await gateway.close()
  await chat.close()
  await messages.close()
})

interface Asked {
  readonly model: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly path?: Path
}

function ask(account: TestAccount, { model, body = {}, path = '/v1/chat/completions' }: Asked): Sent {
  return new Sent(gateway.origin, {
    key: account.key,
    format: path,
    body: { model, messages: [{ role: 'user', content: 'hello' }], max_tokens: 300, ...body },
  })
}

async function receiptOf(account: TestAccount) {
  const { ledger } = gateway.gateway.services
  const rows = await eventually(
    'one receipt',
    () => ledger.receipts(account.id, 10, null),
    (found) => found.length > 0,
  )
  assert.equal(rows.length, 1)
  return rows[0]!
}

for (const stream of [false, true]) {
  test(`the next group serves in its own format, ${stream ? 'streamed' : 'whole'}`, async () => {
    Object.assign(failing, { chat: 0, messages: 529 })
    const account = await gateway.account('1')
    const { status, text } = await ask(account, { model: 'both', body: { stream } }).whole()
    assert.equal(status, 200, text)
    assert.match(text, /by chat/)
    const receipt = await receiptOf(account)
    assert.deepEqual(
      receipt.attempts.map(({ upstream, failure }) => [upstream, failure]),
      [
        ['messengers', 'upstream_overloaded'],
        ['chats', null],
      ],
    )
    assert.equal(receipt.charged, cost)
    assert.deepEqual(
      [receipt.upstream, receipt.provider, receipt.upstreamModel],
      ['chats', 'openai', 'vendor/llama'],
    )
    const sent = JSON.parse(chat.requests.at(-1)!.body.toString())
    assert.equal(sent.model, 'vendor/llama')
    assert.deepEqual(await gateway.balance(account.id), {
      posted: 1_000_000_000n - cost,
      held: 0n,
      openHolds: 0,
    })
  })
}

test('a client of Messages is served in the same way by an offer in Chat Completions', async () => {
  Object.assign(failing, { chat: 500, messages: 0 })
  const account = await gateway.account('1')
  const { status, text } = await ask(account, { model: 'chat-first', path: '/v1/messages' }).whole()
  assert.equal(status, 200, text)
  assert.equal(JSON.parse(text).content[0].text, 'by messages')
  assert.equal((await receiptOf(account)).upstream, 'messengers')
})

test('an offer whose format has no equivalent for the request is skipped, and named in the receipt', async () => {
  Object.assign(failing, { chat: 0, messages: 0 })
  const account = await gateway.account('1')
  const before = messages.requests.length
  const { status, text } = await ask(account, { model: 'both', body: { logprobs: true, n: 2 } }).whole()
  assert.equal(status, 200, text)
  assert.equal(messages.requests.length, before)
  const { attempts } = await receiptOf(account)
  assert.deepEqual(
    attempts.map(({ upstream, status: answered }) => [upstream, answered]),
    [
      ['messengers', null],
      ['chats', 200],
    ],
  )
  assert.notEqual(attempts[0]!.failure, null)
})

test("a model of the operator's own name takes what the model at its upstream takes", async () => {
  Object.assign(failing, { chat: 0, messages: 0 })
  const account = await gateway.account('1')
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
  const body = { temperature: 0.25, tools, tool_choice: 'required' }
  const { status, text } = await ask(account, { model: 'dear', body }).whole()
  assert.equal(status, 200, text)
  const sent = JSON.parse(messages.requests.at(-1)!.body.toString())
  assert.deepEqual(
    [sent.model, sent.temperature, sent.tool_choice],
    ['claude-sonnet-4-5', 0.25, { type: 'any' }],
  )
})

test('where no offer can take the request, the error is that of the first', async () => {
  const account = await gateway.account('1')
  const body = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }
  const { status, text } = await ask(account, { model: 'chat-first', body }).whole()
  assert.equal(status, 400, text)
})

test('a small balance holds for the first offer; another one is sent a lower limit that the hold pays for', async () => {
  Object.assign(failing, { chat: 529, messages: 0 })
  const account = await gateway.account('0.03', { onShortBalance: 'lower' })
  const sent = ask(account, { model: 'chat-first', body: { max_tokens: 3_000 } })
  const { status, text, headers } = await sent.whole()
  assert.equal(status, 200, text)
  const limit = Number(headers['x-tollgate-max-output'])
  assert.ok(limit > 0 && limit < 3_000, String(headers['x-tollgate-max-output']))
  assert.equal(JSON.parse(messages.requests.at(-1)!.body.toString()).max_tokens, limit)
  const receipt = await receiptOf(account)
  assert.ok(receipt.charged <= receipt.hold)
  assert.equal(receipt.charged, cost)
})

test('an offer that the hold does not pay for is skipped, and named in the receipt', async () => {
  Object.assign(failing, { chat: 529, messages: 0 })
  const account = await gateway.account('0.02', { onShortBalance: 'lower' })
  const before = messages.requests.length
  const { status, text } = await ask(account, { model: 'chat-first', body: { max_tokens: 2_000 } }).whole()
  assert.equal(status, 503, text)
  assert.equal(messages.requests.length, before)
  const { attempts, charged } = await receiptOf(account)
  assert.deepEqual(
    attempts.map(({ upstream, failure }) => [upstream, failure]),
    [
      ['chats', 'upstream_overloaded'],
      ['messengers', 'hold_too_small'],
    ],
  )
  assert.equal(charged, 0n)
})

const rejections = {
  context_too_long: { code: 'context_length_exceeded', message: 'The prompt is too long.' },
  content_refused: { code: 'content_policy_violation', message: 'The prompt was rejected.' },
  upstream_overloaded: null,
}

for (const [reason, error] of Object.entries(rejections)) {
  test(`another model serves: ${reason}`, async () => {
    Object.assign(failing, { chat: 529, messages: 0 })
    if (error !== null)
      chatSays = wholeAnswer(400, JSON.stringify({ error }), ['content-type: application/json'])
    const account = await gateway.account('1')
    const { status, text, headers } = await ask(account, { model: 'cheap' }).whole()
    chatSays = undefined
    assert.equal(status, 200, text)
    assert.equal(JSON.parse(text).model, 'dear')
    assert.equal(headers['x-tollgate-model'], 'dear')
    assert.equal(headers['x-tollgate-upstream'], 'messengers')
    const receipt = await receiptOf(account)
    assert.deepEqual(
      receipt.attempts.map(({ upstream, failure }) => [upstream, failure]),
      [
        ['chats', reason],
        ['messengers', null],
      ],
    )
    assert.deepEqual([receipt.model, receipt.charged], ['dear', cost])
    const [price] = gateway.gateway.deps.snapshot.models.get('dear')!.prices
    assert.equal(receipt.priceVersion, price!.id)
  })
}

test('a model that the key may not use is not a fallback', async () => {
  Object.assign(failing, { chat: 529, messages: 0 })
  const account = await gateway.account('1', { models: ['cheap'] })
  const before = messages.requests.length
  const { status, text } = await ask(account, { model: 'cheap' }).whole()
  assert.equal(status, 503, text)
  assert.equal(messages.requests.length, before)
})
