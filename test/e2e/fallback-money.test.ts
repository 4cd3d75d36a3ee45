/**
 * What fallbacks may do to money: nothing is served that the hold does not cover, a fallback that is not called changes
 * nothing, and an account is not charged with losses that its upstreams caused.
 */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:net'
import { after, before, test } from 'node:test'
import type { Config } from '../../src/config/config.ts'
import type { ReceiptRow } from '../../src/ledger/types.ts'
import {
  chunkedHead,
  type FaultUpstream,
  faultUpstream,
  httpChunk,
  type Reply,
  wholeAnswer,
} from '../support/fault-upstream.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { type MovableClock, movableClock } from '../support/movable-clock.ts'
import { type Path, Sent } from '../support/paying-client.ts'
import { rejects, standInUsage, standsIn, streams } from '../support/stand-in.ts'

const json = ['content-type: application/json']
const tooLong = JSON.stringify({ error: { code: 'context_length_exceeded', message: 'too long' } })
const vectors = JSON.stringify({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [0.1] }],
  model: 'paid',
  usage: { prompt_tokens: 5_000, total_tokens: 5_000 },
})

const eventStream = ['content-type: text/event-stream']
const started = {
  type: 'message_start',
  message: {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'x', content: [] },
    usage: { input_tokens: 1_000, output_tokens: 1 },
  },
}
const overloadedAfterUsage = `event: message_start\ndata: ${JSON.stringify(started)}\n\nevent: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n`

/** Requests that `slow` has received and not answered. */
const waiting: Reply[] = []
let rejecting: FaultUpstream
let serving: FaultUpstream
let slow: FaultUpstream
/** Reports usage, and then an error. */
let breaking: FaultUpstream
/** Accepts connections and never completes a TLS handshake. */
let mute: Server
let gateway: TestGateway
const clock: MovableClock = movableClock()

before(async () => {
  rejecting = await faultUpstream(() => wholeAnswer(400, tooLong, json))
  serving = await faultUpstream(({ path }) =>
    path.includes('embeddings') ? wholeAnswer(200, vectors, json) : standsIn('served'),
  )
  breaking = await faultUpstream(() => wholeAnswer(200, overloadedAfterUsage, eventStream))
  slow = await faultUpstream(() => ({ answer: (reply) => void waiting.push(reply) }))
  mute = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
  await new Promise((resolve) => mute.once('listening', resolve))
  const { port } = mute.address() as { port: number }
  const upstream = (name: string, provider: string, url: string) => ({
    ...{ name, provider, url, credential: `${name}-credential` },
    ...{ models: [{ id: `unused-${name}` }], weight: 1 },
  })
  const chat = (upstreamName: string) => ({
    ...{ context: 200_000, maxOutput: 32_000 },
    offers: [{ upstream: upstreamName, model: `at-${upstreamName}`, formats: ['openai-chat'] as const }],
  })
  const messages = (upstreamName: string) => ({
    ...{ context: 200_000, maxOutput: 1_000 },
    offers: [{ upstream: upstreamName, model: 'claude-sonnet-4-5' }],
  })
  const embeddings = (upstreamName: string) => ({
    ...{ context: 8_000, outputs: ['embeddings'], formats: ['openai-embeddings'] as const },
    offers: [
      { upstream: upstreamName, model: `at-${upstreamName}`, formats: ['openai-embeddings'] as const },
    ],
  })
  const free = [{ input: '0', output: '0' }]
  const models: Config['models'] = [
    { id: 'free-embed', ...embeddings('rejecting'), prices: free, fallbacks: ['paid-embed'] },
    { id: 'paid-embed', ...embeddings('serving'), prices: [{ input: '100', output: '0' }] },
    { id: 'free-chat', ...messages('rejecting-messages'), prices: free, fallbacks: ['paid-chat'] },
    { id: 'paid-chat', ...messages('serving-messages'), prices: [{ input: '100', output: '500' }] },
    { id: 'cheap', ...chat('serving'), prices: [{ input: '0.1', output: '0.4' }], fallbacks: ['dear'] },
    { id: 'dear', ...chat('serving'), prices: [{ input: '1', output: '100' }] },
    { id: 'slow-then-mute', ...chat('slow'), prices: [{ input: '1', output: '4' }], fallbacks: ['mute'] },
    { id: 'mute', ...chat('mute'), reasoning: true, prices: [{ input: '10', output: '100' }] },
    { id: 'wasteful', ...messages('breaking'), prices: [{ input: '3', output: '15' }], fallbacks: ['plain'] },
    { id: 'plain', ...chat('slow'), prices: [{ input: '1', output: '4' }] },
    { id: 'repriced', ...chat('slow'), prices: [{ input: '1', output: '4' }], fallbacks: ['repriced-next'] },
    { id: 'repriced-next', ...chat('slow'), prices: [{ input: '2', output: '8' }] },
    {
      ...{ id: 'slow-then-wasteful', ...chat('slow'), prices: [{ input: '1', output: '4' }] },
      fallbacks: ['wasteful', 'narrow'],
    },
    ...[
      { id: 'long-chat', ...chat('rejecting'), fallbacks: ['cheap'] },
      { id: 'long-messages', ...messages('rejecting-messages'), fallbacks: ['cheap'] },
      { id: 'long-to-messages', ...chat('rejecting'), fallbacks: ['paid-chat'] },
    ].map((model) => ({ ...model, maxOutput: 128_000, prices: [{ input: '1', output: '4' }] })),
    { id: 'narrow', ...chat('narrow'), prices: [{ input: '1', output: '4' }] },
    { id: 'slow-then-stream', ...chat('slow'), prices: [{ input: '1', output: '4' }], fallbacks: ['stream'] },
    { id: 'stream', ...chat('slow'), reasoning: true, prices: [{ input: '10', output: '100' }] },
  ] as unknown as Config['models']
  gateway = await testGateway({
    offers: 'as configured',
    clock,
    upstreams: [
      upstream('rejecting', 'openai', rejecting.origin),
      upstream('serving', 'openai', serving.origin),
      upstream('rejecting-messages', 'anthropic', rejecting.origin),
      upstream('serving-messages', 'anthropic', serving.origin),
      upstream('slow', 'openai', slow.origin),
      upstream('breaking', 'anthropic', breaking.origin),
      {
        ...upstream('narrow', 'openai', slow.origin),
        limits: { concurrent: 1, requestsPerMinute: null, tokensPerMinute: null },
      },
      upstream('mute', 'openai', `https://127.0.0.1:${port}`),
    ],
    models,
    limits: {
      ...{ requestsPerMinute: null, retriesMin: 100, cooldownMsMax: 0, failuresBeforeEjection: 1_000 },
      contentGapMs: 20_000,
    },
  })
})
after(async () => {
  await gateway.close()
  for (const upstream of [rejecting, serving, slow, breaking]) await upstream.close()
  mute.close()
})

const hello = { messages: [{ role: 'user', content: 'hello' }] }

function send(account: TestAccount, body: object, format: Path = '/v1/chat/completions'): Sent {
  return new Sent(gateway.origin, { key: account.key, format, body })
}

async function receiptOf(account: TestAccount): Promise<ReceiptRow> {
  const { ledger } = gateway.gateway.services
  const [receipt] = await eventually(
    'one receipt',
    () => ledger.receipts(account.id, 10, null),
    (rows) => rows.length > 0,
  )
  assert.ok(receipt !== undefined)
  return receipt
}

const causedLosses = async ({ id }: TestAccount) =>
  (await gateway.gateway.services.ledger.account(id))?.writtenOffToday

/** The next request at the slow upstream. */
async function nextAtSlow(): Promise<Reply> {
  const [reply] = await eventually(
    'a request',
    async () => waiting.splice(0),
    (replies) => replies.length > 0,
  )
  assert.ok(reply !== undefined)
  return reply
}

const opened = (): string => chunkedHead + httpChunk(streams.chat.opening + streams.chat.content('hi'))

const long = 'hello '.repeat(3_000)
const paid: readonly (readonly [name: string, path: Path, body: object])[] = [
  ['embeddings', '/v1/embeddings', { model: 'free-embed', input: long }],
  [
    'no output',
    '/v1/messages',
    { model: 'free-chat', max_tokens: 0, messages: [{ role: 'user', content: long }] },
  ],
  [
    'output',
    '/v1/messages',
    { model: 'free-chat', max_tokens: 5, messages: [{ role: 'user', content: long }] },
  ],
]
for (const [name, path, body] of paid) {
  test(`a fallback is not called on a hold that does not cover its input: ${name}`, async () => {
    const account = await gateway.account('0')
    const before = serving.requests.length
    const { status, text } = await send(account, body, path).whole()
    assert.equal(status, 400, text)
    assert.equal(serving.requests.length, before)
    const { attempts, writtenOff } = await receiptOf(account)
    assert.deepEqual([attempts.at(-1)?.failure, writtenOff], ['hold_too_small', 0n])
  })
}

const lowered: readonly (readonly [model: string, path: Path, limit: number])[] = [
  ['long-chat', '/v1/chat/completions', 32_000],
  ['long-messages', '/v1/messages', 32_000],
  ['long-to-messages', '/v1/chat/completions', 1_000],
]
for (const [model, path, limit] of lowered) {
  test(`a fallback with a smaller maximum gets its maximum, which a header reports: ${model}`, async () => {
    const account = await gateway.account('100')
    const { status, text, headers } = await send(
      account,
      { ...hello, model, max_tokens: 100_000 },
      path,
    ).whole()
    assert.equal(status, 200, text)
    const sent = JSON.parse(serving.requests.at(-1)?.body.toString() ?? '')
    assert.equal(sent.max_tokens ?? sent.max_completion_tokens, limit)
    assert.equal(headers['x-tollgate-max-output'], String(limit))
    const { outputLimit, outputLowered } = await receiptOf(account)
    assert.deepEqual([outputLimit, outputLowered], [limit, true])
  })
}

test('a limit above the maximum of the requested model is left to its provider', async () => {
  const account = await gateway.account('100')
  await send(account, { ...hello, model: 'cheap', max_tokens: 100_000 }).whole()
  assert.equal(JSON.parse(serving.requests.at(-1)?.body.toString() ?? '').max_tokens, 100_000)
})

for (const onShortBalance of ['lower', 'reject'] as const) {
  test(`a fallback that is not called does not lower the output limit (${onShortBalance})`, async () => {
    const account = await gateway.account('0.3', { onShortBalance })
    const { status, text } = await send(account, { ...hello, model: 'cheap', max_tokens: 8_000 }).whole()
    assert.equal(status, 200, text)
    assert.equal(JSON.parse(serving.requests.at(-1)?.body.toString() ?? '').max_tokens, 8_000)
    assert.equal((await receiptOf(account)).outputLowered, false)
  })
}

test('where the client leaves before a fallback was asked, nothing is written off', async () => {
  const account = await gateway.account('100')
  const connected = new Promise((resolve) => mute.once('connection', resolve))
  const sent = send(account, { ...hello, model: 'slow-then-mute', max_tokens: 8_000, stream: true })
  const failing = await nextAtSlow()
  clock.advance(10_000)
  rejects(529).answer(failing)
  await connected
  sent.leave()
  assert.equal((await receiptOf(account)).writtenOff, 0n)
  assert.equal(await causedLosses(account), 0n)
})

test('what a failed attempt cost is not a loss that the account caused by leaving', async () => {
  const account = await gateway.account('100')
  const sent = send(account, { ...hello, model: 'wasteful', max_tokens: 100, stream: true })
  await nextAtSlow()
  sent.leave()
  assert.equal((await receiptOf(account)).writtenOff, 3_000_000n)
  assert.equal(await causedLosses(account), 0n)
})

test('the receipt of a request whose client leaves before the next attempt names the model of the last one', async () => {
  const account = await gateway.account('100')
  const occupying = send(account, { ...hello, model: 'narrow', max_tokens: 100 })
  const running = await nextAtSlow()
  const { offerStatistics } = gateway.gateway.services
  const failed = async () =>
    (await offerStatistics.sums('hour', 'breaking')).of('breaking', 'claude-sonnet-4-5').failures
  const before = await failed()
  const sent = send(account, { ...hello, model: 'slow-then-wasteful', max_tokens: 100, stream: true })
  rejects(529).answer(await nextAtSlow())
  await eventually('the failure', failed, (failures) => failures > before)
  sent.leave()
  const { model, provider, writtenOff, attempts, endReason } = await receiptOf(account)
  assert.deepEqual([model, provider], ['wasteful', 'anthropic'])
  assert.deepEqual(
    [endReason, writtenOff, attempts.slice(0, 2).map(({ upstream }) => upstream)],
    ['client_abort', 3_000_000n, ['slow', 'breaking']],
  )
  running.send(opened() + httpChunk(streams.chat.finish) + httpChunk())
  await occupying.whole()
})

test('what a failed attempt cost does not count as the cost of the offer that served', async () => {
  const account = await gateway.account('100')
  const { offerStatistics } = gateway.gateway.services
  const costAtSlow = async () => (await offerStatistics.sums('hour', 'slow')).of('slow', 'at-slow').cost
  const before = await costAtSlow()
  const sent = send(account, { ...hello, model: 'wasteful', max_tokens: 100, stream: true })
  ;(await nextAtSlow()).send(opened() + httpChunk(streams.chat.finish) + httpChunk())
  assert.equal((await sent.whole()).status, 200)
  const { upstreamCost, writtenOff } = await receiptOf(account)
  assert.equal(writtenOff, 3_000_000n)
  const cost = (await costAtSlow()) - before
  assert.equal(cost, upstreamCost - 3_000_000n)
})

test('a fallback that reasons may be silent for as long as a model that does', async () => {
  const account = await gateway.account('100')
  const sent = send(account, { ...hello, model: 'slow-then-stream', max_tokens: 8_000, stream: true })
  rejects(529).answer(await nextAtSlow())
  const serves = await nextAtSlow()
  clock.advance(25_000)
  serves.send(opened() + httpChunk(streams.chat.finish) + httpChunk())
  const { status, text } = await sent.whole()
  assert.equal(status, 200, text)
  assert.match(text, /hi/)
})

test('no fallback is asked for a request whose hold was closed', async () => {
  const account = await gateway.account('100')
  const sent = send(account, { ...hello, model: 'slow-then-stream', max_tokens: 8_000 }).whole()
  const first = await nextAtSlow()
  const { ledger, usage } = gateway.gateway.services
  const [hold] = await eventually(
    'the hold',
    () => usage.running(account.id),
    (running) => running.length > 0,
  )
  assert.ok(hold !== undefined)
  await ledger.release(hold.id)
  const asked = slow.requests.length
  rejects(529).answer(first)
  assert.equal((await sent).status, 503)
  assert.equal(slow.requests.length, asked)
})

test('the time of failed attempts does not count as reasoning of the one that a client left', async () => {
  const account = await gateway.account('100')
  const sent = send(account, { ...hello, model: 'slow-then-stream', max_tokens: 8_000, stream: true })
  const failing = await nextAtSlow()
  clock.advance(10_000)
  rejects(529).answer(failing)
  const serves = await nextAtSlow()
  serves.send(opened())
  await sent.until((text) => text.includes('hi'))
  sent.leave()
  // 60 tokens a second at $100 per million would be $0.06.
  assert.ok((await receiptOf(account)).writtenOff < 10_000_000n)
})

for (const [name, rejections, [input, output]] of [
  ['the model that was asked for', 0, [1_000n, 4_000n]],
  ['a fallback', 1, [2_000n, 8_000n]],
] as const) {
  test(`a price that changes before the answer applies to the next request: ${name}`, async () => {
    const { catalog } = gateway.gateway.services
    const account = await gateway.account('10')
    const running = send(account, { ...hello, model: 'repriced', max_tokens: 100 })
    const first = await nextAtSlow()
    for (const model of ['repriced', 'repriced-next'])
      assert.equal((await catalog.price(model, { input: '30', output: '150' })).kind, 'changed')
    if (rejections > 0) rejects(500).answer(first)
    standsIn('served').answer(rejections > 0 ? await nextAtSlow() : first)
    assert.equal((await running.whole()).status, 200)
    const { charged, attempts } = await receiptOf(account)
    assert.equal(attempts.length, rejections + 1)
    assert.equal(charged, input * BigInt(standInUsage.input) + output * BigInt(standInUsage.output))
    for (const [model, price] of [
      ['repriced', { input: '1', output: '4' }],
      ['repriced-next', { input: '2', output: '8' }],
    ] as const)
      assert.equal((await catalog.price(model, price)).kind, 'changed')
  })
}
