/**
 * A slow upstream of one format, and a client of another: whatever the upstream sends in the
 * meantime that is not relayed to this client, the client receives keep-alives, between events, and an upstream
 * that never produces content is canceled. The test controls time.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { clientFormats } from '../../src/wire/formats.ts'
import { chunkedHead, httpChunk } from '../support/fault-upstream.ts'
import { type FormatClient, formatClients, streamedText } from '../support/format-clients.ts'
import type { UpstreamName } from '../support/metered-gateway.ts'
import type { Path, Sent } from '../support/paying-client.ts'
import { sampled } from '../support/sampled.ts'
import { type Begun, silentGateway, turns } from '../support/silent-gateway.ts'
import { upstreamEvents } from '../support/upstream-events.ts'

const seconds = 1_000
/** Proxies between us and a client are known to time out after this long without a byte. */
const unheardMsMax = 15 * seconds
const contentGapMs = 300 * seconds
const contentGapReasoningMs = 1_200 * seconds

const upstreamFormats: Readonly<Record<UpstreamName, ConversationFormat>> = {
  chat: 'openai-chat',
  responses: 'openai-responses',
  messages: 'anthropic',
  gemini: 'gemini',
}
const pairs = sampled(
  Object.entries(upstreamFormats).flatMap(([name, format]) =>
    formatClients
      .filter((client) => client.format !== format)
      .map((client) => ({ client, format, name: name as UpstreamName })),
  ),
  6,
)

const silent = await silentGateway()
after(() => silent.close())
const { time, endOf } = silent

function begin(client: FormatClient, model: string): Promise<Begun> {
  return silent.begin({
    format: client.path(model, true) as Path,
    body: client.body(model, 'hello', true),
  })
}

/** A client's timeout: it must receive something within each interval. */
class Listener {
  readonly #sent: Sent
  #heard = 0
  #unheardMs = 0

  constructor(sent: Sent) {
    this.#sent = sent
    sent.head.then(
      () => {
        this.#unheardMs = 0
      },
      () => undefined,
    )
  }

  async hears(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += seconds) {
      time.advance(seconds)
      await turns()
      this.#unheardMs = this.#sent.text.length > this.#heard ? 0 : this.#unheardMs + seconds
      this.#heard = this.#sent.text.length
      assert.ok(this.#unheardMs < unheardMsMax, `nothing was heard for ${this.#unheardMs} ms`)
    }
  }
}

/** Padding, where the format has it, precedes the JSON of an event, whose line may still be open. */
function withoutKeepAlive(format: ConversationFormat, text: string): string {
  const { keepAlive, keepAliveFirst } = clientFormats[format]
  if (keepAlive !== null) return text.replaceAll(keepAlive, '').replaceAll(keepAliveFirst ?? keepAlive, '')
  return text.replace(/(?<=^|\n)data: *$/, '').replaceAll(/(?<=^|\n)data: +/g, 'data: ')
}

for (const { client, format, name } of pairs) {
  const events = upstreamEvents[format]
  const without = (text: string) => withoutKeepAlive(client.format, text)

  test(`${client.format} → ${format}: keep-alives until there is something to send, and only between events`, async () => {
    const { account, sent, reply } = await begin(client, `${name}-stream`)
    const listener = new Listener(sent)
    await listener.hears(30 * seconds)
    reply.send(chunkedHead)
    reply.send(httpChunk(events.start + events.ping))
    await listener.hears(30 * seconds)
    assert.equal(without(sent.text), '', 'nothing was said yet')
    reply.send(httpChunk(events.hidden(0)))
    await listener.hears(60 * seconds)
    reply.send(httpChunk(events.openText(1) + events.text(1, ' \n')))
    await listener.hears(30 * seconds)
    const [one, two] = [events.text(1, 'one '), events.text(1, 'two')]
    reply.send(httpChunk(one + two.slice(0, 20)))
    await listener.hears(30 * seconds)
    assert.equal(streamedText(client, without(sent.text)).trim(), 'one')
    reply.send(httpChunk(two.slice(20) + events.closeText(1) + events.end(false)))
    reply.send(httpChunk())
    const { status, text, broken } = await sent.whole()
    assert.deepEqual([status, broken], [200, null])
    assert.equal(streamedText(client, without(text)).trim(), 'one two')
    assert.ok(text.includes(client.successMark))
    for (const block of without(text).split(/(?<=\r?\n\r?\n)/))
      assert.match(block, /^(event: [\w.]+\n)?data: .*\r?\n\r?\n$/)
    assert.equal(await endOf(account), 'complete')
  })
}

for (const { client, format, name } of pairs) {
  const events = upstreamEvents[format]
  const notRelayed = { thoughts: events.hidden(0), blanks: events.openText(0) + events.text(0, ' \n') }

  // Just before a keep-alive is due, which the next event delays.
  for (const atMs of [7 * seconds, 19 * seconds]) {
    for (const [what, first] of Object.entries(notRelayed)) {
      test(`${client.format} → ${format}: ${what} after ${atMs / seconds} s, possibly not relayed, delay no keep-alive`, async () => {
        const { sent, reply } = await begin(client, `${name}-stream`)
        const listener = new Listener(sent)
        await listener.hears(atMs)
        reply.send(chunkedHead)
        reply.send(httpChunk(events.start + first))
        await turns()
        await listener.hears(30 * seconds)
        const { status } = await sent.head
        assert.equal(status, 200)
        sent.leave()
      })
    }
  }
}

for (const [name, format] of Object.entries(upstreamFormats)) {
  const events = upstreamEvents[format]
  const client = formatClients.find((one) => one.format !== format)!

  for (const [model, gapMs] of [
    ['stream', contentGapMs],
    ['think', contentGapReasoningMs],
  ] as const) {
    test(`${name}-${model}: only keep-alive events are canceled after ${gapMs / seconds} s, relayed or not`, async () => {
      const { account, sent, reply } = await begin(client, `${name}-${model}`)
      reply.send(chunkedHead)
      reply.send(httpChunk(events.start + events.hidden(0)))
      const stepMs = 100 * seconds
      for (let passed = 0; passed + stepMs < gapMs; passed += stepMs) {
        reply.send(httpChunk(events.ping))
        await turns()
        time.advance(stepMs)
      }
      await turns()
      assert.ok(!/timed?.?out/i.test(sent.text), sent.text)
      reply.send(httpChunk(events.ping))
      await turns()
      time.advance(stepMs)
      const { text } = await sent.whole()
      assert.match(text, /upstream_timeout|timed? ?out|DEADLINE/i)
      assert.ok(!text.includes(client.successMark))
      assert.equal(await endOf(account), 'timeout')
    })
  }
}
