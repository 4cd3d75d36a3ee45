/**
 * Silence in a stream of Responses. Agents measure it in events and do not see comments, so that a comment keeps only the
 * connection open; libraries expect `response.created` as the first event, so that a comment is all that can precede it.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import OpenAI from 'openai'
import { chunkedHead, httpChunk } from '../support/fault-upstream.ts'
import { silentGateway, turns } from '../support/silent-gateway.ts'
import { upstreamEvents } from '../support/upstream-events.ts'

const silent = await silentGateway()
after(() => silent.close())
const { time } = silent
const seconds = 1_000
const comment = ': keepalive\n\n'
const sign = /^event: keepalive\ndata: (\{.*\})\n\n/gm

async function passes(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += seconds) {
    time.advance(seconds)
    await turns()
  }
}

/** What the official library makes of the stream, with its check of the order of events. */
async function libraryReads(stream: string): Promise<string> {
  const client = new OpenAI({
    ...{ apiKey: 'k', baseURL: 'http://127.0.0.1', maxRetries: 0 },
    fetch: () => Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } })),
  })
  const { output } = await client.responses.stream({ model: 'm', input: 'hello' }).finalResponse()
  return output
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map((part) => (part.type === 'output_text' ? part.text : ''))
    .join('')
}

for (const [name, format] of [
  ['responses', 'openai-responses'],
  ['messages', 'anthropic'],
] as const) {
  test(`a silent stream of ${format} shows life by events once it has begun`, async () => {
    const events = upstreamEvents[format]
    const model = `${name}-stream`
    const { sent, reply } = await silent.begin({
      format: '/v1/responses',
      body: { model, input: 'hello', stream: true },
    })
    await passes(40 * seconds)
    assert.ok(sent.text.length > comment.length, 'the connection is kept')
    assert.equal(sent.text.replaceAll(comment, ''), '')
    reply.send(chunkedHead)
    reply.send(httpChunk(events.start + events.openText(0) + events.text(0, 'one ')))
    await sent.until((text) => text.includes('one '))
    const begun = sent.text.length
    await passes(40 * seconds)
    const signs = [...sent.text.slice(begun).matchAll(sign)]
    assert.equal(signs.length, 3)
    assert.equal(sent.text.slice(begun).replaceAll(sign, ''), '')
    for (const [, data] of signs) {
      assert.deepEqual(JSON.parse(data ?? ''), { type: 'keepalive', sequence_number: 0 })
    }
    reply.send(httpChunk(events.text(0, 'two') + events.closeText(0) + events.end(false)))
    reply.send(httpChunk())
    const { text } = await sent.whole()
    if (format === 'anthropic') assert.equal(await libraryReads(text), 'one two')
  })
}
