/**
 * What the vendors' own libraries read of a stream that was kept alive while its upstream was silent: the complete response
 * or an error. When the server keeps a stream alive or cancels it is tested in test/e2e/idle-streams.test.ts. The test
 * controls time.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { chunkedHead, httpChunk } from '../support/fault-upstream.ts'
import { type Format, formats, type Sent } from '../support/paying-client.ts'
import { type Begun, silentGateway, turns } from '../support/silent-gateway.ts'

const silent = await silentGateway()
after(() => silent.close())
const { time, gateway, endOf } = silent

interface Wire {
  readonly keepAlive: string
  readonly beginning: string
  readonly content: (text: string) => string
  readonly ending: string
  readonly read: (bytes: string) => Promise<string | null>
}

const event = (value: { readonly type: string }) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`
const chunk = (delta: object, reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'x', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`

/** What the library reads of the received bytes. */
function answering(bytes: string) {
  return () =>
    Promise.resolve(new Response(bytes, { status: 200, headers: { 'content-type': 'text/event-stream' } }))
}

const wires: Readonly<Record<Format, Wire>> = {
  chat: {
    keepAlive: ': keepalive\n\n',
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

function begin(format: Format): Promise<Begun> {
  const messages = [{ role: 'user', content: 'hi' }]
  return silent.begin({
    format,
    body: { model: `${format}-stream`, max_tokens: 100, stream: true, messages },
  })
}

const stepMs = 1_000

/** Advances time until the condition is true of what the client has; false when its response ends before. */
async function passUntil(sent: Sent, holds: (text: string) => boolean): Promise<boolean> {
  let isOver = false
  const done = sent.until(holds).finally(() => {
    isOver = true
  })
  while (!isOver) {
    time.advance(stepMs)
    await turns()
  }
  return done
}

for (const format of formats) {
  const wire = wires[format]
  const keptAlive = (times: number) => (text: string) => text.split(wire.keepAlive).length > times
  const without = (text: string) => text.replaceAll(wire.keepAlive, '')

  test(`${format}: a response after an idle period is read completely`, async () => {
    const { account, sent, reply } = await begin(format)
    assert.equal(await passUntil(sent, keptAlive(2)), true)
    assert.equal(without(sent.text), '')
    reply.send(chunkedHead)
    reply.send(httpChunk(wire.beginning + wire.content('late') + wire.ending))
    reply.send(httpChunk())
    const { text } = await sent.whole()
    assert.equal(without(text), wire.beginning + wire.content('late') + wire.ending)
    assert.equal(await wire.read(text), 'late')
    assert.equal(await endOf(account), 'complete')
  })

  for (const [status, theirs, message] of [
    [400, 'what the provider says', /what the provider says/],
    [401, 'invalid x-api-key', /upstream_unavailable/],
    [500, 'a stack of calls', /upstream_error/],
  ] as const) {
    test(`${format}: a ${status} after an idle period is read as an error`, async () => {
      const { account, sent, reply } = await begin(format)
      assert.equal(await passUntil(sent, keptAlive(1)), true)
      const body = JSON.stringify({ error: { message: theirs, type: 'any' } })
      reply.send(
        `HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
      )
      reply.send(body)
      const answer = await sent.whole()
      assert.deepEqual([answer.status, answer.broken], [200, null])
      assert.match(without(answer.text), /^(event: error\n)?data: \{[^\n]*\}\n\n$/)
      assert.match(answer.text, message)
      if (status !== 400) assert.ok(!answer.text.includes(theirs))
      await assert.rejects(wire.read(answer.text))
      assert.equal(await endOf(account), 'upstream_error')
      assert.equal((await gateway.balance(account.id)).posted, 1_000_000_000n)
    })
  }

  test(`${format}: an idle period within an event does not change what is read`, async () => {
    const { sent, reply } = await begin(format)
    const [one, two] = [wire.content('one '), wire.content('two')]
    reply.send(chunkedHead)
    reply.send(httpChunk(wire.beginning + one + two.slice(0, 30)))
    assert.equal(await sent.until((text) => text.includes('one')), true)
    assert.equal(await passUntil(sent, keptAlive(2)), true)
    assert.equal(without(sent.text), wire.beginning + one)
    reply.send(httpChunk(two.slice(30) + wire.ending))
    reply.send(httpChunk())
    const { text } = await sent.whole()
    assert.equal(without(text), wire.beginning + one + two + wire.ending)
    assert.equal(await wire.read(text), 'one two')
  })

  for (const [when, opening] of [
    ['never begins', ''],
    ['stops before content', wire.beginning],
    ['stops after content', wire.beginning + wire.content('one')],
  ] as const) {
    test(`${format}: an upstream that ${when} is read as an error`, async () => {
      const { account, sent, reply } = await begin(format)
      if (opening !== '') {
        reply.send(chunkedHead)
        reply.send(httpChunk(opening))
      }
      await passUntil(sent, () => false)
      const { status, text, broken } = await sent.whole()
      assert.deepEqual([status, broken], [200, null])
      assert.match(text, /\n\n(event: error\n)?data: \{.*upstream_timeout.*\}\n\n$/)
      await assert.rejects(wire.read(text))
      assert.equal(await endOf(account), 'timeout')
      await reply.closed
    })
  }
}
