/**
 * One upstream fails, another serves: until any part of a response has reached the client it never notices
 * the first one, pays once, and gets one response; afterwards it gets an error and no second response.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import {
  type Behaviour,
  chunkedHead,
  type FaultUpstream,
  faultUpstream,
  hangs,
  httpChunk,
  type Reply,
  sends,
  sendsThen,
  wholeAnswer,
} from '../support/fault-upstream.ts'
import { unreachableOrigin } from '../support/free-port.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { type Format, formats, Sent } from '../support/paying-client.ts'

let first: FaultUpstream
let second: Sandbox
let tollgate: TestGateway
/** How the first upstream responds to every request. */
let behaviour: Behaviour = hangs

const providers = { chat: 'openai', messages: 'anthropic' } as const
const limits = {
  silenceMs: 1_500,
  contentGapMs: 1_500,
  contentGapReasoningMs: 1_500,
  peekMs: 50,
  keepAliveMs: 50,
  // No case leaves an unhealthy upstream behind for the next one.
  cooldownMsMax: 0,
  failuresBeforeEjection: 1_000,
}

function upstreamsAt(origins: readonly string[]) {
  return Object.values(providers).flatMap((provider) =>
    origins.map((origin, index) => ({
      name: `${provider}-${index}`,
      provider,
      url: origin,
      credential: `${provider}-${index}-credential`,
      // Only the first has weight, so it is always called first; the others follow in order.
      weight: index === 0 ? 1 : 0,
    })),
  )
}

const models = formats.map((format) => ({
  id: `${format}-model`,
  provider: providers[format],
  upstreamId: 'sandbox-stream',
  context: 10_000,
  maxOutput: 1_000,
  prices: [{ input: '3', output: '15' }],
}))

before(async () => {
  first = await faultUpstream(() => behaviour)
  second = await startSandbox({ clock: systemClock, logBodies: true })
  const upstreams = upstreamsAt([first.origin, second.origin])
  tollgate = await testGateway({ upstreams, models, limits })
})
after(async () => {
  await tollgate.close()
  await first.close()
  await second.close()
})

let account: TestAccount
let counts: { readonly first: number; readonly second: number }
beforeEach(async () => {
  account = await tollgate.account('1')
  counts = { first: first.requests.length, second: second.requests() }
})

const tokens = 5

function ask(format: Format, stream: boolean, origin = tollgate.origin): Sent {
  const body = {
    model: `${format}-model`,
    max_tokens: 100,
    stream,
    messages: [{ role: 'user', content: `tokens=${tokens}` }],
  }
  return new Sent(origin, { key: account.key, format, body })
}

/** How often each upstream was called in this case. */
function times(): readonly [first: number, second: number] {
  return [first.requests.length - counts.first, second.requests() - counts.second]
}

const receipts = (count = 1) =>
  eventually(
    'the receipt',
    () => tollgate.gateway.services.ledger.receipts(account.id, 10, null),
    ({ length }) => length >= count,
  )

async function checkServedBySecond(format: Format, sent: Sent): Promise<void> {
  const { status, text } = await sent.whole()
  assert.equal(status, 200, text)
  const [receipt, ...others] = await receipts()
  assert.deepEqual(others, [], 'one receipt')
  assert.deepEqual([receipt?.endReason, receipt?.usageSource], ['complete', 'reported'])
  assert.deepEqual(
    receipt?.attempts.map(({ upstream }) => upstream),
    [`${providers[format]}-0`, `${providers[format]}-1`],
  )
  assert.equal(receipt?.upstream, `${providers[format]}-1`)
  assert.equal(receipt?.output, tokens)
  const cost = BigInt(receipt?.inputUncached ?? 0) * 3_000n + BigInt(tokens) * 15_000n
  const { posted, held } = await tollgate.balance(account.id)
  assert.deepEqual([receipt?.charged, posted, held], [cost, 1_000_000_000n - cost, 0n])
}

// What may be retried elsewhere.

const json = ['content-type: application/json']
const plainError = '{"error":{"message":"of the first","type":"any"}}'
const errorEvents: Readonly<Record<Format, string>> = {
  chat: 'data: {"error":{"message":"of the first","type":"server_error"}}\n\n',
  messages:
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"of the first"}}\n\n',
}
/** Our names for them. */
const errorCodes: Readonly<Record<Format, string>> = {
  chat: 'upstream_error',
  messages: 'upstream_overloaded',
}
/** The beginning of a stream, before any content. */
const beginnings: Readonly<Record<Format, string>> = {
  chat: 'data: {"id":"first","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n',
  messages:
    'event: message_start\ndata: {"type":"message_start","message":{"id":"first","usage":{"input_tokens":7,"output_tokens":1}}}\n\n' +
    'event: ping\ndata: {"type":"ping"}\n\n' +
    'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
}

interface FailureCase {
  readonly name: string
  readonly behaviour: (format: Format) => Behaviour
  /** Only for responses of this kind. */
  readonly streamed?: boolean
}

const failing: readonly FailureCase[] = [
  ...[401, 402, 403, 404, 408, 429, 500, 502, 503, 504, 529].map((status) => ({
    name: `status ${status}`,
    behaviour: () => wholeAnswer(status, plainError, json),
  })),
  { name: 'an HTML page', behaviour: () => wholeAnswer(200, '<html>', ['content-type: text/html']) },
  { name: 'an empty answer', behaviour: () => wholeAnswer(200, '', json) },
  { name: 'a redirect', behaviour: () => wholeAnswer(302, '', ['location: http://127.0.0.1:1/']) },
  { name: 'an error inside a 200', behaviour: () => wholeAnswer(200, plainError, json) },
  {
    name: 'an error as first event',
    streamed: true,
    behaviour: (format) => sends(chunkedHead, httpChunk(errorEvents[format]), httpChunk()),
  },
  {
    name: 'an error after a beginning without content',
    streamed: true,
    behaviour: (format) =>
      sends(chunkedHead, httpChunk(beginnings[format]), httpChunk(errorEvents[format]), httpChunk()),
  },
  {
    name: 'an end before any content',
    streamed: true,
    behaviour: (format) => sends(chunkedHead, httpChunk(beginnings[format]), httpChunk()),
  },
  {
    name: 'a stream of nothing',
    streamed: true,
    behaviour: () => sends(chunkedHead, httpChunk()),
  },
  {
    name: 'no stream where one was asked for',
    streamed: true,
    behaviour: (format) =>
      wholeAnswer(
        200,
        format === 'chat' ? '{"choices":[{"message":{"content":"x"}}]}' : '{"content":[]}',
        json,
      ),
  },
]

for (const format of formats) {
  for (const { name, behaviour: of, streamed } of failing) {
    for (const stream of streamed === undefined ? [false, true] : [streamed]) {
      test(`${format}, ${stream ? 'streamed' : 'whole'}: ${name}: the second upstream serves`, async () => {
        behaviour = of(format)
        const sent = ask(format, stream)
        await checkServedBySecond(format, sent)
        assert.deepEqual(times(), [1, 1])
        assert.ok(!sent.text.includes('first'), sent.text)
        const { headers } = second.requestLog().at(-1) ?? {}
        const credential = headers?.['x-api-key'] ?? headers?.authorization?.replace('Bearer ', '')
        assert.equal(credential, `${providers[format]}-1-credential`)
        assert.ok(first.requests.at(-1)?.head.includes(`${providers[format]}-0-credential`))
      })
    }
  }
}

// What may not.

const final: readonly (FailureCase & { readonly status: number })[] = [
  ...[400, 422].map((status) => ({
    name: `status ${status}`,
    status,
    behaviour: () => wholeAnswer(status, plainError, json),
  })),
  // An upstream that received the whole request may have executed it.
  { name: 'silence', status: 504, behaviour: () => hangs },
  { name: 'a reset after the request', status: 502, behaviour: () => sendsThen('rst') },
]

for (const format of formats) {
  for (const { name, status, behaviour: of } of final) {
    test(`${format}: ${name}: is not retried elsewhere, and costs nothing`, async () => {
      behaviour = of(format)
      const answer = await ask(format, false).whole()
      assert.equal(answer.status, status, answer.text)
      assert.deepEqual(times(), [1, 0])
      const [receipt] = await receipts()
      assert.deepEqual([receipt?.charged, receipt?.attempts.length], [0n, 1])
      const { posted, held } = await tollgate.balance(account.id)
      assert.deepEqual([posted, held], [1_000_000_000n, 0n])
    })
  }
}

// Around the first content.

const contents: Readonly<Record<Format, string>> = {
  chat: 'data: {"id":"first","choices":[{"index":0,"delta":{"content":"word"},"finish_reason":null}]}\n\n',
  messages:
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word"}}\n\n',
}
const keepAlives: Readonly<Record<Format, string>> = {
  chat: ': keepalive\n\n',
  messages: 'event: ping\ndata: {"type": "ping"}\n\n',
}

/** The first upstream's side of the next request, controlled by the test. */
async function inHand(): Promise<Reply> {
  behaviour = sends()
  for (;;) {
    const reply = await first.nextRequest()
    if (reply.request === first.requests.at(-1) && first.requests.length > counts.first) return reply
  }
}

for (const format of formats) {
  test(`${format}: a client that has been waiting may still be served by the second upstream`, async () => {
    const replying = inHand()
    const sent = ask(format, true)
    const reply = await replying
    reply.send(chunkedHead)
    reply.send(httpChunk(beginnings[format]))
    assert.equal(await sent.until((text) => text.split(keepAlives[format]).length > 2), true)
    assert.equal((await sent.head).status, 200)
    assert.ok(!sent.text.includes('first'), 'nothing of the first answer is shown before its content')
    reply.send(httpChunk(errorEvents[format]))
    await checkServedBySecond(format, sent)
    assert.ok(!sent.text.includes('first'))
    const answer = sent.text.replaceAll(keepAlives[format], '')
    const upstreamResponse = await fetch(
      `${second.origin}${format === 'chat' ? '/v1/chat/completions' : '/v1/messages'}`,
      {
        method: 'POST',
        headers: { authorization: 'Bearer any', 'anthropic-version': '2023-06-01' },
        body: JSON.stringify({
          model: 'sandbox-stream',
          max_tokens: 100,
          stream: true,
          messages: [{ role: 'user', content: `tokens=${tokens}` }],
        }),
      },
    )
    const shape = (text: string) => text.replace(/"(id|request_id)":"[^"]*"|"created":\d+|,"usage":null/g, '')
    assert.equal(shape(answer), shape((await upstreamResponse.text()).replaceAll(keepAlives[format], '')))
  })

  test(`${format}: after content there is an error and no second response`, async () => {
    const replying = inHand()
    const sent = ask(format, true)
    const reply = await replying
    reply.send(chunkedHead)
    reply.send(httpChunk(beginnings[format] + contents[format]))
    assert.equal(await sent.until((text) => text.includes('word')), true)
    reply.send(httpChunk(errorEvents[format]))
    const { status, text, broken } = await sent.whole()
    assert.deepEqual([status, broken], [200, null])
    assert.ok(text.startsWith(beginnings[format] + contents[format]))
    assert.ok(text.includes(errorCodes[format]))
    assert.ok(!text.includes('of the first'), "the provider's words may name the operator's account")
    assert.doesNotMatch(text, /\[DONE\]|message_stop/)
    assert.deepEqual(times(), [1, 0])
    const [receipt] = await receipts()
    assert.deepEqual([receipt?.endReason, receipt?.output], ['upstream_error', 1])
  })
}

// How often.

test('the number of attempts is limited, however many upstreams there are; the last error is reported', async (context) => {
  const crowd = await testGateway({
    upstreams: upstreamsAt([first.origin, first.origin, first.origin, first.origin]),
    models,
    limits: { ...limits, attemptsMax: 3 },
  })
  context.after(() => crowd.close())
  const { key, id } = await crowd.account('1')
  behaviour = wholeAnswer(429, plainError, [...json, 'retry-after: 7'])
  const body = { model: 'chat-model', messages: [{ role: 'user', content: 'hi' }] }
  const { status, headers } = await new Sent(crowd.origin, { key, format: 'chat', body }).whole()
  assert.deepEqual([status, headers['retry-after']], [429, '7'])
  assert.equal(times()[0], 3)
  assert.deepEqual(await crowd.balance(id), { posted: 1_000_000_000n, held: 0n, openHolds: 0 })
})

test('an upstream that refuses connections is skipped', async (context) => {
  const upstreams = upstreamsAt([unreachableOrigin, second.origin])
  const other = await testGateway({ upstreams, models, limits })
  context.after(() => other.close())
  const { key } = await other.account('1')
  for (const format of formats) {
    for (const stream of [false, true]) {
      const body = {
        model: `${format}-model`,
        max_tokens: 100,
        stream,
        messages: [{ role: 'user', content: 'tokens=3' }],
      }
      const { status, text } = await new Sent(other.origin, { key, format, body }).whole()
      assert.equal(status, 200, text)
    }
  }
})

test('an idle connection that was closed is reopened, without the client noticing', async (context) => {
  const alone = await testGateway({ upstreams: upstreamsAt([first.origin]), models, limits })
  context.after(() => alone.close())
  const { key } = await alone.account('1')
  const body = { model: 'chat-model', messages: [{ role: 'user', content: 'hi' }] }
  const good = wholeAnswer(200, '{"choices":[{"index":0,"message":{"content":"x"}}]}', json)
  behaviour = good
  assert.equal((await new Sent(alone.origin, { key, format: 'chat', body }).whole()).status, 200)
  // The kept-alive connection breaks as soon as the next request arrives on it; a new one works.
  const connection = first.requests.at(-1)?.connection
  behaviour = {
    answer(reply) {
      if (reply.request.connection === connection) reply.rst()
      else good.answer(reply)
    },
  }
  const { status, text } = await new Sent(alone.origin, { key, format: 'chat', body }).whole()
  assert.equal(status, 200, text)
  assert.equal(times()[0], 3)
})
