/**
 * Upstreams that take their time: a stream's client is told that it was heard and is kept alive in its own
 * format, between events and never within one; an upstream that says nothing, or nothing but that it lives,
 * ends with an error. Whole answers are waited for in silence.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { systemClock } from '../../src/base/clock.ts'
import { type FaultUpstream, faultUpstream, httpChunk, type Reply, sends } from '../support/fault-upstream.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { type Format, formats, Sent } from '../support/paying-client.ts'

let upstream: FaultUpstream
let tollgate: TestGateway

const limits = {
  peekMs: 60,
  keepAliveMs: 60,
  silenceMs: 700,
  contentGapMs: 700,
  contentGapReasoningMs: 700,
}

before(async () => {
  upstream = await faultUpstream(() => sends())
  tollgate = await testGateway({
    openai: upstream.origin,
    anthropic: upstream.origin,
    models: formats.map((format) => ({
      id: `${format}-model`,
      provider: format === 'chat' ? 'openai' : 'anthropic',
      context: 10_000,
      maxOutput: 1_000,
      prices: [{ input: '3', output: '15' }],
    })),
    limits,
  })
})
after(async () => {
  await tollgate.close()
  await upstream.close()
})

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'

interface Wire {
  readonly keepAlive: string
  /** What the provider itself sends to stay in touch. */
  readonly ping: string
  readonly beginning: string
  readonly content: (text: string) => string
  readonly ending: string
  readonly read: (bytes: string) => Promise<string | null>
}

const event = (value: { readonly type: string }) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`
const chunk = (delta: object, reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'x', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`

/** The library's own reading of what came. */
function answering(bytes: string) {
  return () =>
    Promise.resolve(new Response(bytes, { status: 200, headers: { 'content-type': 'text/event-stream' } }))
}

const wires: Readonly<Record<Format, Wire>> = {
  chat: {
    keepAlive: ': keepalive\n\n',
    ping: ': from the upstream\n\n',
    beginning: chunk({ role: 'assistant', content: '' }),
    content: (content) => chunk({ content }),
    ending: `${chunk({}, 'stop')}data: [DONE]\n\n`,
    async read(bytes) {
      const client = new OpenAI({ apiKey: 'any', maxRetries: 0, fetch: answering(bytes) })
      const stream = client.chat.completions.stream({ model: 'x', messages: [] })
      return (await stream.finalChatCompletion()).choices[0]?.message.content ?? null
    },
  },
  messages: {
    keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
    ping: 'event: ping\ndata: {"type":"ping","from":"upstream"}\n\n',
    beginning:
      'event: message_start\ndata: {"type":"message_start","message":{"id":"x","type":"message","role":"assistant","content":[],"usage":{"input_tokens":7,"output_tokens":1}}}\n\n' +
      'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
    content: (text) =>
      `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })}\n\n`,
    ending:
      event({ type: 'content_block_stop' }).replace('}', ',"index":0}') +
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}\n\n' +
      event({ type: 'message_stop' }),
    async read(bytes) {
      const client = new Anthropic({ apiKey: 'any', maxRetries: 0, fetch: answering(bytes) })
      const stream = client.messages.stream({ model: 'x', max_tokens: 1, messages: [] })
      const [block] = (await stream.finalMessage()).content
      return block?.type === 'text' ? block.text : null
    },
  },
}

interface Exchange {
  readonly account: TestAccount
  readonly sent: Sent
  /** The upstream's side, in the test's hands. */
  readonly reply: Reply
}

async function begun(format: Format, stream: boolean): Promise<Exchange> {
  const account = await tollgate.account('1')
  const body = {
    model: `${format}-model`,
    max_tokens: 100,
    stream,
    messages: [{ role: 'user', content: 'hi' }],
  }
  const replying = upstream.nextRequest()
  const sent = new Sent(tollgate.origin, { key: account.key, format, body })
  return { account, sent, reply: await replying }
}

const endOf = async (account: TestAccount) => {
  const [receipt] = await eventually(
    'the receipt',
    () => tollgate.gateway.services.ledger.receipts(account.id, 2, null),
    ({ length }) => length > 0,
  )
  return receipt?.endReason
}

for (const format of formats) {
  const wire = wires[format]
  const keptAlive = (times: number) => (text: string) => text.split(wire.keepAlive).length > times
  const without = (text: string) => text.replaceAll(wire.keepAlive, '')

  test(`${format}: an upstream that says nothing yet: 200 and signs of life, then the answer`, async () => {
    const { account, sent, reply } = await begun(format, true)
    assert.equal(await sent.until(keptAlive(2)), true)
    const { status, headers } = await sent.head
    assert.equal(status, 200)
    assert.match(headers['content-type'] ?? '', /^text\/event-stream/)
    assert.match(String(headers['x-request-id']), /^req_/)
    assert.equal(without(sent.text), '')
    reply.send(head)
    reply.send(httpChunk(wire.beginning + wire.content('late') + wire.ending))
    reply.send(httpChunk())
    const { text } = await sent.whole()
    assert.equal(without(text), wire.beginning + wire.content('late') + wire.ending)
    assert.equal(await wire.read(text), 'late')
    assert.equal(await endOf(account), 'complete')
  })

  for (const [status, theirs, told] of [
    [400, 'what the provider says', /what the provider says/],
    [401, 'invalid x-api-key', /upstream_unavailable/],
    [500, 'a stack of calls', /a stack of calls/],
  ] as const) {
    test(`${format}: a late ${status} ends the stream that was begun with an error`, async () => {
      const { account, sent, reply } = await begun(format, true)
      assert.equal(await sent.until(keptAlive(1)), true)
      const body = JSON.stringify({ error: { message: theirs, type: 'any' } })
      reply.send(
        `HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
      )
      reply.send(body)
      const answer = await sent.whole()
      assert.deepEqual([answer.status, answer.broken], [200, null])
      assert.match(without(answer.text), /^(event: error\n)?data: \{[^\n]*\}\n\n$/)
      assert.match(answer.text, told)
      if (status === 401) assert.ok(!answer.text.includes(theirs))
      await assert.rejects(wire.read(answer.text))
      assert.equal(await endOf(account), 'upstream_error')
      assert.equal((await tollgate.balance(account.id)).posted, 1_000_000_000n)
    })
  }

  test(`${format}: signs of life stand between events, never in one`, async () => {
    const { sent, reply } = await begun(format, true)
    const [one, two] = [wire.content('one '), wire.content('two')]
    reply.send(head)
    reply.send(httpChunk(wire.beginning + one + two.slice(0, 30)))
    // Half an event has come: what was whole is sent, the half waits, and the client hears of life.
    assert.equal(await sent.until((text) => text.includes('one') && keptAlive(2)(text)), true)
    assert.equal(without(sent.text), wire.beginning + one)
    reply.send(httpChunk(two.slice(30) + wire.ending))
    reply.send(httpChunk())
    const { text } = await sent.whole()
    assert.equal(without(text), wire.beginning + one + two + wire.ending)
    assert.equal(await wire.read(text), 'one two')
  })

  test(`${format}: a whole answer is waited for without a byte`, async () => {
    const { sent, reply } = await begun(format, false)
    const gap = Promise.withResolvers<void>()
    systemClock.after(limits.keepAliveMs * 4, gap.resolve)
    await gap.promise
    const body = format === 'chat' ? '{"choices":[{"message":{"content":"x"}}]}' : '{"content":[]}'
    reply.send(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`)
    reply.send(body)
    const { status, text } = await sent.whole()
    assert.deepEqual([status, text], [200, body])
  })

  test(`${format}: an upstream that never begins ends with an error, in the stream that was begun`, async () => {
    const { account, sent } = await begun(format, true)
    const { status, text, broken } = await sent.whole()
    assert.deepEqual([status, broken], [200, null])
    assert.match(without(text), /^(event: error\n)?data: \{.*upstream_timeout.*\}\n\n$/)
    await assert.rejects(wire.read(text))
    assert.equal(await endOf(account), 'timeout')
    assert.deepEqual(await tollgate.balance(account.id), { posted: 1_000_000_000n, held: 0n, openHolds: 0 })
  })

  test(`${format}: an upstream that falls silent after content ends with an error`, async () => {
    const { account, sent, reply } = await begun(format, true)
    reply.send(head)
    reply.send(httpChunk(wire.beginning + wire.content('one')))
    const { text } = await sent.whole()
    assert.ok(without(text).startsWith(wire.beginning + wire.content('one')))
    assert.match(text, /upstream_timeout/)
    await assert.rejects(wire.read(text))
    assert.equal(await endOf(account), 'timeout')
    await reply.closed
  })

  for (const [when, opening] of [
    ['before content', wire.beginning],
    ['after content', wire.beginning + wire.content('one')],
  ] as const) {
    test(`${format}: ${when}, an upstream that only says that it lives ends with an error`, async () => {
      const { account, sent, reply } = await begun(format, true)
      reply.send(head)
      reply.send(httpChunk(opening))
      const pinging = pingEvery(limits.silenceMs / 10, () => reply.send(httpChunk(wire.ping)))
      const { text } = await sent.whole()
      pinging.stop()
      assert.match(text, /upstream_timeout/)
      await assert.rejects(wire.read(text))
      assert.equal(await endOf(account), 'timeout')
    })
  }

  test(`${format}: content now and then is enough, however long it takes in all`, async () => {
    const { account, sent, reply } = await begun(format, true)
    reply.send(head)
    reply.send(httpChunk(wire.beginning))
    let said = 0
    const slow = pingEvery(limits.contentGapMs / 2, () => {
      said += 1
      if (said < 4) reply.send(httpChunk(wire.content(`${said} `)))
      else if (said === 4) {
        reply.send(httpChunk(wire.ending))
        reply.send(httpChunk())
      }
    })
    const { text } = await sent.whole()
    slow.stop()
    assert.equal(await wire.read(text), '1 2 3 ')
    assert.equal(await endOf(account), 'complete')
  })
}

function pingEvery(everyMs: number, run: () => void): { stop(): void } {
  let timer = systemClock.after(everyMs, next)
  function next(): void {
    run()
    timer = systemClock.after(everyMs, next)
  }
  return { stop: () => timer.cancel() }
}
