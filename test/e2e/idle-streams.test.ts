/**
 * What happens while an upstream is silent: the client gets keep-alives in its own format, another upstream may
 * still serve it, and a silence that lasts too long ends with an error and a charge for what was delivered. The
 * test controls time, so the limits are the defaults.
 */
import assert from 'node:assert/strict'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import { anthropic } from '../../src/wire/anthropic/index.ts'
import { openaiChat } from '../../src/wire/openai-chat/index.ts'
import {
  chunkedHead,
  faultUpstream,
  hangs,
  httpChunk,
  type Reply,
  wholeAnswer,
} from '../support/fault-upstream.ts'
import type { TestAccount } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { type Format, formats, rejectionIn, type Sent } from '../support/paying-client.ts'
import { type Begun, silentGateway, turns } from '../support/silent-gateway.ts'
import { rejects, standInWhole, standsIn, streams } from '../support/stand-in.ts'

const rich = 1_000_000_000n
const seconds = 1_000
const peekMs = 8 * seconds
const keepAliveMs = 12 * seconds
const silenceMs = 300 * seconds
const contentGapMs = 300 * seconds
const contentGapReasoningMs = 1_200 * seconds
const totalMs = 3_600 * seconds

const alive: Readonly<Record<Format, string>> = {
  chat: openaiChat.keepAlive ?? '',
  messages: anthropic.keepAlive ?? '',
}
const success = /\[DONE\]|"finish_reason":"|message_stop|"stop_reason":"/

const spare = await faultUpstream(() => hangs)
const silent = await silentGateway({
  upstreams: formats.map((format) => ({
    name: `spare-${format}`,
    provider: format === 'chat' ? 'openai' : 'anthropic',
    url: spare.origin,
    credential: 'spare',
    weight: 0,
  })),
  // A client may be as slow as it likes here, and a silent upstream is waited for, though there is another one.
  limits: {
    ...{ unmeteredBytes: 0, slowReaderMs: 100 * totalMs },
    ...{ firstContentMs: 0, firstContentReasoningMs: 0 },
  },
})
after(async () => {
  await silent.close()
  await spare.close()
})
const { time, upstream, gateway } = silent

function begin(format: Format, more: object = {}, model = 'stream'): Promise<Begun> {
  return silent.begin({ format, body: bodyOf(format, more, model) })
}

function bodyOf(format: Format, more: object, model: string): object {
  return {
    model: `${format}-${model}`,
    max_tokens: 300,
    stream: true,
    ...(format === 'chat' ? { stream_options: { include_usage: true } } : {}),
    messages: [{ role: 'user', content: 'hello' }],
    ...more,
  }
}

const whole = { stream: false, stream_options: undefined }

function says(reply: Reply, ...texts: readonly string[]): void {
  reply.send(texts.map(httpChunk).join(''))
}

/** Resolves when the gateway has read this many bytes that it does not relay. */
async function keptBack(bytes: number): Promise<void> {
  const { events } = gateway.gateway.deps
  await eventually(
    `${bytes} bytes wait in the gateway`,
    () => events.used,
    (taken) => taken === bytes,
  )
}

async function comes(sent: Sent, expected: string): Promise<void> {
  await sent.until((text) => text.length >= expected.length)
  assert.equal(sent.text, expected)
}

async function onlyReceipt(account: TestAccount) {
  const { ledger } = gateway.gateway.services
  const receipts = await eventually(
    'there is a receipt',
    () => ledger.receipts(account.id, 10, null),
    ({ length }) => length > 0,
  )
  assert.equal(receipts.length, 1)
  const receipt = receipts[0]!
  const { posted, held, openHolds } = await gateway.balance(account.id)
  assert.deepEqual([posted, held, openHolds], [rich - receipt.charged, 0n, 0])
  return receipt
}

for (const format of formats) {
  const stream = streams[format]
  const ping = alive[format]
  const answer = (text: string) => stream.opening + stream.content(text) + stream.finish

  test(`${format}: a client waits ${peekMs} ms for its status and receives a keep-alive every ${keepAliveMs} ms`, async () => {
    const { account, sent, reply } = await begin(format)
    let hasHead = false
    const head = sent.head.then((response) => {
      hasHead = true
      return response
    })
    time.advance(peekMs - 1)
    await turns()
    assert.equal(hasHead, false)
    time.advance(1)
    const { status, headers } = await head
    assert.deepEqual([status, headers['content-type']], [200, 'text/event-stream; charset=utf-8'])
    assert.match(String(headers['x-request-id']), /^req_/)
    await comes(sent, ping)
    time.advance(keepAliveMs - 1)
    await turns()
    assert.equal(sent.text, ping)
    time.advance(1)
    await comes(sent, ping + ping)

    rejects(500).answer(reply)
    standsIn('late').answer(await spare.nextRequest())
    const { text } = await sent.whole()
    assert.equal(text, ping + ping + answer('late'), 'and nobody sees who served it')
    const receipt = await onlyReceipt(account)
    assert.deepEqual(
      [receipt.endReason, receipt.attempts.length, receipt.upstream],
      ['complete', 2, `spare-${format}`],
    )
    assert.equal(receipt.endedMs - receipt.startedMs, peekMs + keepAliveMs)
  })

  test(`${format}: the wait is per request, however many upstreams share it`, async () => {
    const { sent, reply } = await begin(format)
    time.advance(peekMs - 2 * seconds)
    rejects(500).answer(reply)
    const second = await spare.nextRequest()
    time.advance(2 * seconds)
    await turns()
    const early = sent.text
    standsIn('late').answer(second)
    const { text } = await sent.whole()
    assert.equal(early, ping)
    assert.equal(text, ping + answer('late'))
  })

  test(`${format}: between two upstreams no pause is longer than ${keepAliveMs} ms`, async () => {
    const { sent, reply } = await begin(format)
    time.advance(peekMs)
    await comes(sent, ping)
    time.advance(keepAliveMs - 1)
    rejects(500).answer(reply)
    const second = await spare.nextRequest()
    time.advance(1)
    await turns()
    const early = sent.text
    standsIn('late').answer(second)
    await sent.whole()
    assert.equal(early, ping + ping)
  })

  test(`${format}: an opening without content still allows a retry`, async () => {
    const { account, sent, reply } = await begin(format)
    reply.send(chunkedHead)
    says(reply, stream.opening)
    await keptBack(stream.opening.length)
    time.advance(peekMs)
    await comes(sent, ping)
    says(
      reply,
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy."}}\n\n',
    )
    standsIn('late').answer(await spare.nextRequest())
    const { text } = await sent.whole()
    assert.equal(text, ping + answer('late'))
    await onlyReceipt(account)
  })

  test(`${format}: after a wait without success an error ends the started response`, async () => {
    const { account, sent, reply } = await begin(format)
    time.advance(peekMs)
    await comes(sent, ping)
    rejects(500).answer(reply)
    rejects(400).answer(await spare.nextRequest())
    const { text, status } = await sent.whole()
    assert.equal(status, 200)
    assert.ok(text.startsWith(ping))
    const frame = text.slice(ping.length)
    assert.match(frame, format === 'chat' ? /^data: \{"error":/ : /^event: error\ndata: \{"type":"error"/)
    assert.doesNotMatch(text, success)
    const receipt = await onlyReceipt(account)
    assert.deepEqual([receipt.charged, receipt.attempts.length], [0n, 2])
  })

  test(`${format}: keep-alives are sent between events and never inside one`, async () => {
    const { account, sent, reply } = await begin(format)
    const [one, two] = [stream.content('one'), stream.content('two')]
    reply.send(chunkedHead)
    says(reply, stream.opening + one)
    let expected = stream.opening + one
    await comes(sent, expected)
    // Cut at every significant position: before the data, in it, and between the two line ends.
    for (const cut of [3, Math.floor(two.length / 2), two.length - 1]) {
      says(reply, two.slice(0, cut))
      await keptBack(cut)
      time.advance(keepAliveMs)
      await comes(sent, expected + ping)
      time.advance(keepAliveMs)
      await comes(sent, expected + ping + ping)
      says(reply, two.slice(cut))
      expected += ping + ping + two
      await comes(sent, expected)
    }
    says(reply, stream.finish)
    reply.send(httpChunk())
    const { text } = await sent.whole()
    assert.equal(text, expected + stream.finish)
    assert.equal((await onlyReceipt(account)).endReason, 'complete')
  })

  test(`${format}: an upstream without a byte for ${silenceMs} ms is canceled, whatever its model`, async () => {
    const { account, sent, reply } = await begin(format, {}, 'think')
    reply.send(chunkedHead)
    says(reply, stream.opening + stream.content('one'))
    await comes(sent, stream.opening + stream.content('one'))
    time.advance(silenceMs - 1)
    await turns()
    assert.doesNotMatch(sent.text, /"error"/)
    time.advance(1)
    const { text } = await sent.whole()
    assert.match(text, /stopped sending/)
    assert.match(text, format === 'chat' ? /\n\ndata: \{"error".*\n\n$/ : /\n\nevent: error\ndata: .*\n\n$/)
    assert.doesNotMatch(text, success)
    assert.equal(text.split(ping).length - 1, 24, 'a sign every 12 seconds until the last')
    await reply.closed
    const receipt = await onlyReceipt(account)
    assert.deepEqual([receipt.endReason, receipt.output, receipt.attempts.length], ['timeout', 1, 1])
    assert.ok(receipt.charged > 0n)
  })

  test(`${format}: only keep-alive events for ${contentGapMs} ms are canceled too`, async () => {
    const { account, sent, reply } = await begin(format)
    reply.send(chunkedHead)
    says(reply, stream.opening + stream.content('one'))
    await sent.until((text) => text.includes('one'))
    for (let minute = 1; minute < 5; minute += 1) {
      time.advance(60 * seconds)
      says(reply, `: minute ${minute}\n\n`)
      await sent.until((text) => text.includes(`minute ${minute}`))
    }
    assert.doesNotMatch(sent.text, /"error"/)
    time.advance(60 * seconds)
    const { text } = await sent.whole()
    assert.match(text, /sent only keep-alive events/)
    assert.doesNotMatch(text, success)
    await reply.closed
    const receipt = await onlyReceipt(account)
    assert.deepEqual([receipt.endReason, receipt.output], ['timeout', 1])
  })

  test(`${format}: keep-alives before any content are canceled alike, and no other upstream is called`, async () => {
    const { account, sent, reply } = await begin(format)
    const arrived = spare.requests.length
    reply.send(chunkedHead)
    says(reply, stream.opening)
    await keptBack(stream.opening.length)
    time.advance(contentGapMs / 2)
    says(reply, ping)
    await keptBack(stream.opening.length + ping.length)
    time.advance(contentGapMs / 2)
    const { text, status } = await sent.whole()
    assert.equal(status, 200)
    assert.match(text, /"error"/)
    assert.doesNotMatch(text, success)
    const receipt = await onlyReceipt(account)
    assert.deepEqual([receipt.endReason, receipt.charged], ['timeout', 0n])
    assert.deepEqual([receipt.attempts.length, spare.requests.length], [1, arrived])
  })

  test(`${format}: a model that reasons may take ${contentGapReasoningMs} ms between two words`, async () => {
    for (const [minutes, ends] of [
      [19, 'complete'],
      [20, 'timeout'],
    ] as const) {
      const { account, sent, reply } = await begin(format, {}, 'think')
      reply.send(chunkedHead)
      says(reply, stream.opening + stream.content('one'))
      await sent.until((text) => text.includes('one'))
      for (let minute = 1; minute <= minutes; minute += 1) {
        time.advance(60 * seconds)
        if (minute === 20) break
        says(reply, `: minute ${minute}.\n\n`)
        await sent.until((text) => text.includes(`minute ${minute}.`))
      }
      if (ends === 'complete') reply.send(httpChunk(stream.content('two') + stream.finish) + httpChunk())
      const { text } = await sent.whole()
      assert.equal(success.test(text), ends === 'complete', text)
      assert.equal((await onlyReceipt(account)).endReason, ends)
    }
  })

  test(`${format}: a response that is not streamed may take longer`, async () => {
    const { account, sent, reply } = await begin(format, whole)
    time.advance(contentGapReasoningMs - 1)
    await turns()
    assert.equal(sent.text, '')
    const json = standInWhole(format, 'slow')
    wholeAnswer(200, json, ['content-type: application/json']).answer(reply)
    const { status, text } = await sent.whole()
    assert.deepEqual([status, text], [200, json], 'nothing was put before it')
    assert.equal((await onlyReceipt(account)).endReason, 'complete')

    const lost = await begin(format, whole)
    time.advance(contentGapReasoningMs)
    const rejected = await lost.sent.whole()
    assert.deepEqual([rejected.status, rejectionIn(rejected.text).code], [504, 'upstream_timeout'])
    const receipt = await onlyReceipt(lost.account)
    assert.deepEqual([receipt.endReason, receipt.charged], ['timeout', 0n])
  })

  test(`${format}: after ${totalMs} ms a request ends, however much it still sends`, async () => {
    const { account, sent, reply } = await begin(format)
    reply.send(chunkedHead)
    says(reply, stream.opening)
    const steps = 36
    for (let step = 1; step < steps; step += 1) {
      says(reply, stream.content(`${step}.`))
      await sent.until((text) => text.includes(`"${step}."`))
      time.advance(totalMs / steps)
    }
    await turns()
    assert.doesNotMatch(sent.text, /"error"/)
    time.advance(totalMs / steps)
    const { text } = await sent.whole()
    assert.match(text, /exceeded this server's time limit/)
    assert.doesNotMatch(text, success)
    await reply.closed
    const receipt = await onlyReceipt(account)
    assert.equal(receipt.endReason, 'timeout')
    assert.ok(receipt.output >= steps - 1 && receipt.output <= 2 * steps, `${receipt.output} tokens`)
  })

  test(`${format}: an upstream that waits for a slow client is not silent`, async () => {
    const account = await gateway.account('1')
    const paused = Promise.withResolvers<IncomingMessage>()
    const asked = httpRequest(
      `${gateway.origin}${format === 'chat' ? '/v1/chat/completions' : '/v1/messages'}`,
      {
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${account.key}` },
      },
    )
    asked.on('error', paused.reject)
    asked.on('response', paused.resolve)
    asked.end(JSON.stringify(bodyOf(format, {}, 'stream')))
    const reply = await upstream.nextRequest()
    const events = Array.from({ length: 256 }, () => stream.content('x'.repeat(64 * 1_024)))
    reply.send(chunkedHead + httpChunk(stream.opening + events.join('') + stream.finish) + httpChunk())
    const response = await paused.promise
    const waiting: number[] = []
    await eventually(
      'the upstream has to wait',
      () => waiting.push(reply.unsentBytes()),
      () => waiting.length > 20 && waiting.at(-1)! > 0 && waiting.at(-1) === waiting.at(-20),
    )
    await turns()
    time.advance(contentGapMs + silenceMs)
    let bytes = 0
    let tail = ''
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length
      tail = (tail + (chunk as Buffer).toString('latin1')).slice(-1_000)
    }
    assert.match(tail, success)
    assert.ok(bytes > events.length * 64 * 1_024)
    assert.equal((await onlyReceipt(account)).endReason, 'complete')
  })
}
