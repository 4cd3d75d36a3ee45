/**
 * Every recorded request of every format, written for Converse, is one that Bedrock takes; and whatever is in the frames of a
 * stream, reading it does not throw and does not depend on where its chunks are cut.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { connectorOf } from '../../src/providers/registry.ts'
import { toUsage } from '../../src/wire/bedrock-converse/extract-usage.ts'
import { bedrockConverseCodec } from '../../src/wire/bedrock-converse/index.ts'
import { tapStream } from '../../src/wire/bedrock-converse/tap-stream.ts'
import { converseMistake } from '../support/converse-rules.ts'
import { frame } from '../support/event-stream-frames.ts'
import { formats, recordedRequests, sandboxTarget, sent, type TargetOf } from '../support/translation.ts'

const converse: TargetOf = { name: 'bedrock-converse', codec: bedrockConverseCodec }
const { capabilities } = connectorOf('bedrock')
const models = ['amazon.nova-pro-v1:0', 'amazon.nova-2-lite-v1:0', 'meta.llama3-3-70b-instruct-v1:0']
const targets = [sandboxTarget, ...models.map((model) => ({ model, capabilities: capabilities(model) }))]

for (const format of formats) {
  test(`recorded requests of ${format.name} become requests that Converse takes`, (context) => {
    let written = 0
    let rejected = 0
    for (const request of recordedRequests(format)) {
      for (const target of targets) {
        const outcome = sent(format, converse, request, target)
        if (outcome.kind === 'rejected') {
          rejected += 1
          continue
        }
        written += 1
        const body = JSON.parse(outcome.text) as Record<string, unknown>
        assert.equal(converseMistake(body), '', `${request.name} for ${target.model}: ${outcome.text}`)
      }
    }
    context.diagnostic(`${written} written, ${rejected} rejected`)
  })
}

const word = fc.constantFrom('', 'text', 'look', 'end_turn', '{"a"', 'default')
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    word,
    fc.integer(),
    fc.constant(null),
    fc.boolean(),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        'delta',
        'text',
        'toolUse',
        'input',
        'start',
        'usage',
        'inputTokens',
        'outputTokens',
        'stopReason',
        'reasoningContent',
        'cacheDetails',
        'ttl',
      ),
      tie('any'),
      { maxKeys: 4 },
    ),
  ),
})).any
const type = fc.constantFrom(
  'messageStart',
  'contentBlockStart',
  'contentBlockDelta',
  'contentBlockStop',
  'messageStop',
  'metadata',
  'other',
)
const kind = fc.constantFrom('event', 'event', 'event', 'event', 'exception', 'error', 'x')
const frames = fc.array(fc.tuple(kind, type, value), { maxLength: 8 })
const options = {
  usageEvent: 'relay',
  choices: 1,
  eventBytesMax: 1 << 20,
  sampleCharactersMax: 1_000,
} as const

test('fuzzed: frames of any content are read without a throw, the same however they are cut', (context) => {
  const seed = process.pid
  context.diagnostic(`seed ${seed}`)
  const read = (bytes: Uint8Array, chunkBytes: number) => {
    const [tap, decoder] = [tapStream(options), bedrockConverseCodec.decodeStream(1 << 20)]
    const kinds: string[] = []
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      const chunk = bytes.subarray(at, at + chunkBytes)
      tap.push(chunk)
      kinds.push(...decoder.push(chunk).map((event) => event.kind))
    }
    tap.end()
    kinds.push(...decoder.end().map((event) => event.kind))
    const usage = toUsage(tap.rawUsage)
    return { state: tap.state, problem: tap.problem, usage, kinds, text: tap.sample.text }
  }
  fc.assert(
    fc.property(frames, fc.integer({ min: 1, max: 50 }), (given, chunkBytes) => {
      const bytes = Buffer.concat(
        given.map(([messageType, eventType, body]) =>
          frame({ ':message-type': messageType, ':event-type': eventType }, JSON.stringify(body)),
        ),
      )
      const whole = read(bytes, Math.max(1, bytes.length))
      assert.deepEqual(read(bytes, chunkBytes), whole)
      const counts = [
        whole.usage.inputUncached,
        whole.usage.cacheRead,
        whole.usage.cacheWrite5m,
        whole.usage.output,
      ]
      assert.ok(counts.every((count) => Number.isInteger(count) && count >= 0))
      // What is opened is closed, once.
      let open = 0
      for (const event of whole.kinds) {
        if (event === 'open') open += 1
        if (event === 'close') open -= 1
        assert.ok(open === 0 || open === 1)
        if (event === 'delta') assert.equal(open, 1)
      }
      assert.equal(open, 0)
    }),
    { seed, numRuns: 1_000 },
  )
})
