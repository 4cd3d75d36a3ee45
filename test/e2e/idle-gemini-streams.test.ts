/**
 * Idle Gemini streams: only the head is sent before a response, and the stream is kept alive by padding
 * inside the next event, which then continues on its line, whether it is the provider's own, ours, the last one or an
 * error. The test controls time.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { chunkedHead, httpChunk, wholeAnswer } from '../support/fault-upstream.ts'
import { eventsIn } from '../support/format-clients.ts'
import type { Sent } from '../support/paying-client.ts'
import { type Begun, silentGateway, turns } from '../support/silent-gateway.ts'
import { upstreamEvents } from '../support/upstream-events.ts'

const peekMs = 8_000
const keepAliveMs = 12_000

const silent = await silentGateway()
after(() => silent.close())
const { time, endOf } = silent

function begin(model: string, query = '?alt=sse'): Promise<Begun> {
  return silent.begin({
    format: `/v1beta/models/${model}:streamGenerateContent${query}`,
    body: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
  })
}

/** What the client has received after this much idle time. */
async function silentFor(sent: Sent, ms: number): Promise<string> {
  time.advance(ms)
  await turns()
  await turns()
  return sent.text
}

const crlf = (events: string): string => events.replaceAll('\n', '\r\n')
const { gemini, anthropic } = upstreamEvents
const one = crlf(gemini.text(0, 'one '))
const two = crlf(gemini.text(0, 'two'))
const end = crlf(gemini.end(false))
const opened = (event: string): string => event.slice('data: '.length)

test('without idle time no byte is added, not even if the first event is the last', async () => {
  for (const events of [one + two + end, end, `: from the upstream\r\n\r\n${one}${end}`]) {
    const { sent, reply } = await begin('gemini-stream')
    reply.send(chunkedHead + httpChunk(events) + httpChunk())
    const { text, status } = await sent.whole()
    assert.deepEqual([status, text], [200, events])
  }
})

test('each idle period opens the event that ends it, and nothing else of the stream changes', async () => {
  const { account, sent, reply } = await begin('gemini-stream')
  assert.equal(await silentFor(sent, peekMs), '')
  assert.equal((await sent.head).status, 200, 'the head is enough')
  assert.equal(await silentFor(sent, keepAliveMs), 'data: ')
  assert.equal(await silentFor(sent, keepAliveMs), 'data:  ')
  reply.send(chunkedHead + httpChunk(`: from the upstream\r\n\r\n${one.slice(0, 9)}`))
  assert.equal(await silentFor(sent, keepAliveMs), 'data:   ')
  reply.send(httpChunk(one.slice(9) + two))
  let expected = `data:   ${opened(one)}${two}`
  await sent.until((text) => text.length >= expected.length)
  assert.equal(await silentFor(sent, keepAliveMs - 1), expected)
  expected += 'data: '
  assert.equal(await silentFor(sent, 1), expected)
  reply.send(httpChunk(two))
  expected += opened(two)
  await sent.until((text) => text.length >= expected.length)
  assert.equal(sent.text, expected)
  // The last event, too, and one without its blank line.
  assert.equal(await silentFor(sent, keepAliveMs), `${expected}data: `)
  reply.send(httpChunk(end.trimEnd()) + httpChunk())
  const { text } = await sent.whole()
  assert.equal(text, `${expected}data: ${opened(end.trimEnd())}\n\n`)
  assert.equal(await endOf(account), 'complete')
})

for (const [name, model] of [
  ['passed through', 'gemini-stream'],
  ['translated', 'messages-stream'],
] as const) {
  const events = model === 'gemini-stream' ? gemini : anthropic

  test(`${name}: an error continues in the event that was opened, before the response and in it`, async () => {
    for (const first of ['', events.start + events.openText(0) + events.text(0, 'one')]) {
      const { sent, reply } = await begin(model)
      if (first !== '') {
        reply.send(chunkedHead + httpChunk(first))
        await sent.until((text) => text.includes('one'))
      }
      await silentFor(sent, peekMs)
      await silentFor(sent, keepAliveMs)
      assert.match(await silentFor(sent, keepAliveMs), /(?:^|\n\n)data: +$/)
      if (first === '')
        wholeAnswer(400, '{"error":{"message":"no"}}', ['content-type: application/json']).answer(reply)
      else reply.rst()
      const { text } = await sent.whole()
      assert.match(text, /(?:^|\n\n)data: {2,}\{"error":\{.*\}\}\r\n\r\n$/)
      assert.equal(eventsIn(text).length, first === '' ? 1 : 2)
    }
  })
}

test('a call that a translated model writes slowly arrives whole after one idle period', async () => {
  const { account, sent, reply } = await begin('messages-stream')
  reply.send(
    chunkedHead + httpChunk(anthropic.start + anthropic.openCall(0, 'f') + anthropic.input(0, '{"a":')),
  )
  await turns()
  assert.equal((await sent.head).status, 200)
  assert.equal(sent.text, '')
  assert.equal(await silentFor(sent, keepAliveMs), 'data: ')
  reply.send(httpChunk(anthropic.input(0, '1}') + anthropic.closeCall(0) + anthropic.end(true)) + httpChunk())
  const { text } = await sent.whole()
  assert.match(text, /^data: \{"candidates":.*"functionCall":.*\n\ndata: \{.*"finishReason":"STOP".*\n\n$/)
  assert.equal(await endOf(account), 'complete')
})

test('an array stays an array: spaces are between its elements', async () => {
  const { sent, reply } = await begin('gemini-stream', '')
  assert.equal(await silentFor(sent, peekMs), '')
  assert.equal(await silentFor(sent, keepAliveMs), '\n')
  reply.send(chunkedHead + httpChunk(one))
  await sent.until((text) => text.includes('one'))
  await silentFor(sent, keepAliveMs)
  reply.send(httpChunk(two + end) + httpChunk())
  const { text } = await sent.whole()
  assert.equal((JSON.parse(text) as unknown[]).length, 3)
})
