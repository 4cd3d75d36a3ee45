/**
 * Streams that no real upstream sends, read in every format and written in every format: their cost is
 * linear in their length, buffered memory is reported, and none breaks a reader. Ratios within one run.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noTokens } from '../../contract/meters.ts'
import type { TapOptions } from '../../src/wire/format.ts'
import type { StreamDecoder } from '../../src/wire/translation/codec.ts'
import type { Frame, ResponseCost, ResponseEvent, ToolNames } from '../../src/wire/translation/neutral.ts'
import { StreamTranslator, translateResponse } from '../../src/wire/translation/translate.ts'
import { costRatio } from '../support/cost-ratio.ts'
import { repeated } from '../support/sampled.ts'
import { type PiecewiseFormat, upstreamEvents } from '../support/upstream-events.ts'
import { type Codec, codecs, wireFormats } from '../support/wire-formats.ts'

const formats = ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const
const piecewise: readonly PiecewiseFormat[] = ['openai-chat', 'openai-responses', 'anthropic']
const eventBytesMax = 16 * 1024 * 1024
const encoder = new TextEncoder()

function codec(format: (typeof formats)[number]): Codec {
  const found = codecs[format]
  assert.ok(found !== null)
  return found
}

const frame: Frame = {
  requestId: 'req_1',
  model: 'm',
  createdSeconds: 1,
  responseOptions: { includeUsage: true, echo: [], tools: [], logprobs: false },
}
const tally: ResponseCost = {
  usage: {
    ...noTokens,
    inputUncached: 1,
    output: 1,
    fees: {},
    servedOptions: [],
    unknown: [],
  },
  cost: '0.000001',
}
const watching: TapOptions = {
  usageEvent: 'relay',
  choices: 1,
  eventBytesMax,
  sampleCharactersMax: 1_000,
}
const plain: ToolNames = new Map()
const wrapped: ToolNames = new Map([['f', { name: 'f', namespace: null, wrapped: true }]])

function translator(from: Codec, to: Codec, names: ToolNames = plain): StreamTranslator {
  return new StreamTranslator(from, to, { frame, names, eventBytesMax })
}

/** Four times as much may take this many times as long; quadratic work takes sixteen times. */
const fourfoldMax = 8

function assertLinear(what: string, run: (size: number) => void, size: number): void {
  run(size)
  const ratio = costRatio(fourfoldMax, { small: () => run(size), large: () => run(size * 4) })
  assert.ok(ratio < fourfoldMax, `${what}: ${ratio.toFixed(1)} times the work for four times as much`)
}

function inPieces(bytes: Uint8Array, pieceBytes: number, push: (piece: Uint8Array) => void): void {
  for (let at = 0; at < bytes.length; at += pieceBytes) push(bytes.subarray(at, at + pieceBytes))
}

const words = 'Words, "quotes", \\ and é: '

test('the cost of one large event in small chunks is linear in its length, in every format', () => {
  for (const format of formats) {
    const events = upstreamEvents[format]
    const read = (megabytes: number): void => {
      const text = words.repeat(Math.floor((megabytes * 1_000_000) / words.length))
      const decoder = codec(format).decodeStream(eventBytesMax)
      let characters = 0
      inPieces(encoder.encode(events.start + events.openText(0) + events.text(0, text)), 4_096, (piece) => {
        for (const event of decoder.push(piece)) if (event.kind === 'delta') characters += event.text.length
      })
      assert.equal(characters, text.length, format)
      assert.equal(decoder.waitingBytes, 0, format)
    }
    assertLinear(format, read, repeated(1, 1, 2))
  }
})

test('an endless event is reported as buffered memory, and one that is too large is never read', () => {
  for (const format of formats) {
    const { start, openText, text } = upstreamEvents[format]
    const before = encoder.encode(start + openText(0))
    const event = encoder.encode(text(0, 'x'.repeat(100_000)))
    const waiting = codec(format).decodeStream(eventBytesMax)
    waiting.push(before)
    waiting.push(event.subarray(0, 90_000))
    assert.equal(waiting.waitingBytes, 90_000, format)
    const bounded = codec(format).decodeStream(10_000)
    bounded.push(before)
    const events: ResponseEvent[] = []
    inPieces(event, 1_000, (piece) => events.push(...bounded.push(piece)))
    assert.deepEqual(events, [], format)
    assert.ok(bounded.waitingBytes > 10_000, `${format}: it is told until the stream is cut`)
  }
})

for (const format of piecewise) {
  const events = upstreamEvents[format]

  test(`${format}: the cost of a call's input in single letters is linear in its length, in every format and wrapped`, () => {
    const letter = encoder.encode(events.input(0, 'w'))
    const last = encoder.encode(events.closeCall(0) + events.end(true))
    for (const to of formats) {
      for (const names of to === 'anthropic' ? [plain, wrapped] : [plain]) {
        const run = (letters: number): void => {
          const translated = translator(codec(format), codec(to), names)
          translated.push(encoder.encode(events.start + events.openCall(0, 'f')))
          for (let count = 0; count < letters; count += 1) translated.push(letter)
          translated.push(last)
          assert.ok(translated.close(tally).length > 0)
        }
        assertLinear(`${format} → ${to}`, run, repeated(4_000, 4_000, 8_000))
      }
    }
  })

  test(`${format}: what is buffered to be repeated is reported as memory`, () => {
    const letters = encoder.encode(events.input(0, 'w'.repeat(1_000)).repeat(100))
    const bufferedCharacters = (to: (typeof formats)[number], names: ToolNames): number => {
      const translated = translator(codec(format), codec(to), names)
      translated.push(encoder.encode(events.start + events.openCall(0, 'f')))
      translated.push(letters)
      return translated.waitingBytes
    }
    for (const to of ['openai-responses', 'gemini'] as const)
      assert.ok(bufferedCharacters(to, plain) >= 100_000, to)
    for (const to of formats) assert.ok(bufferedCharacters(to, wrapped) >= 100_000, `${to}, wrapped`)
    for (const to of ['openai-chat', 'anthropic'] as const)
      assert.ok(bufferedCharacters(to, plain) < 1_000, to)
  })

  test(`${format}: parts that begin and never end are reported as memory, and end without an error`, () => {
    const parts = 70_000
    const decoder = codec(format).decodeStream(eventBytesMax)
    decoder.push(encoder.encode(events.start + events.openCall(0, 'f') + events.input(0, '{')))
    for (let index = 1; index <= parts; index += 1) decoder.push(encoder.encode(events.openCall(index, 'f')))
    assert.ok(decoder.waitingBytes >= parts * 256, `${decoder.waitingBytes}`)
    const last = decoder.push(encoder.encode(events.end(true)))
    assert.equal(opened(last), parts)
    assert.equal(last.at(-1)?.kind, 'finish')
  })

  test(`${format}: the cost of ending many parts is linear in their number`, () => {
    assertLinear(
      format,
      (parts) => {
        const decoder = startedDecoder(format, parts)
        decoder.push(encoder.encode(events.end(true)))
      },
      5_000,
    )
  })

  test(`${format}: queued content is sent in one piece`, () => {
    const letters = 150_000
    const decoder = codec(format).decodeStream(eventBytesMax)
    const input = encoder.encode(events.input(1, 'w').repeat(1_000))
    decoder.push(encoder.encode(events.start + events.openCall(0, 'f') + events.input(0, '{')))
    decoder.push(encoder.encode(events.openCall(1, 'f')))
    for (let count = 0; count < letters; count += 1_000) decoder.push(input)
    assert.ok(
      decoder.waitingBytes >= letters && decoder.waitingBytes < letters * 2,
      `${decoder.waitingBytes}`,
    )
    const freed = decoder.push(encoder.encode(events.input(0, '}') + events.closeCall(0)))
    const texts = freed.flatMap((event) => (event.kind === 'delta' ? [event.text] : []))
    assert.deepEqual(texts, ['}', 'w'.repeat(letters)])
    assert.ok(decoder.waitingBytes < 1_000, `${decoder.waitingBytes}`)
  })
}

/** Deeper than a recursive function can go. */
const nested = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
const call = '"type":"function_call","call_id":"c","name":"f"'
const nestedAnswers: readonly (readonly [format: (typeof formats)[number], event: string, answer: string])[] =
  [
    [
      'openai-chat',
      `{"choices":[{"index":0,"delta":{"content":"x","annotations":[${nested}]},"logprobs":{"content":[${nested}]}}]}`,
      `{"choices":[{"index":0,"message":{"content":"x"},"logprobs":{"content":[${nested}]}}],"usage":${nested}}`,
    ],
    [
      'openai-responses',
      `{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"x","logprobs":[${nested}]}`,
      `{"status":"completed","output":[{${call},"arguments":${nested}},{"type":"message","content":[{"type":"output_text","text":"x","logprobs":[${nested}]}]}]}`,
    ],
    [
      'anthropic',
      `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"f","input":${nested}}}\n\ndata: {"type":"content_block_stop","index":0}`,
      `{"type":"message","content":[{"type":"tool_use","id":"c","name":"f","input":${nested}}],"stop_reason":"tool_use"}`,
    ],
    [
      'gemini',
      `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${nested}}}]},"groundingMetadata":${nested}}]}`,
      `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${nested}}}]}}]}`,
    ],
  ]

for (const [format, event, answer] of nestedAnswers) {
  test(`${format}: nesting deeper than the stack breaks no reader, and calls keep it`, () => {
    const bytes = encoder.encode(`data: ${event}\n\n`)
    const watch = wireFormats[format].tapStream(watching)
    watch.push(bytes)
    watch.end()
    wireFormats[format].extractResponse(encoder.encode(answer), 1_000)
    for (const to of formats.filter((other) => other !== format)) {
      const stream = translator(codec(format), codec(to))
      const written = stream.push(bytes) + stream.end() + stream.close(tally)
      const neutral = translateResponse(codec(format), encoder.encode(answer), tally.usage, plain)
      const whole = codec(to).encodeResponse(neutral, frame, tally)
      if (format !== 'anthropic' && format !== 'gemini') continue
      for (const text of [written, whole])
        assert.ok(text.replaceAll('\\', '').includes(nested), `${to}: the input is lost`)
    }
  })
}

test('gemini: a call with an unusual spelling of its index or text keeps its input', () => {
  const parts = '{"parts":[{"functionCall":{"name":"f","args":{"a":1}}}]}'
  for (const payload of [
    `{"candidates":[{"index":-0,"content":${parts}}]}`,
    `{"candidates":[{"index":0.0,"content":${parts}}]}`,
    `\ufeff{"candidates":[{"content":${parts}}]}`,
  ]) {
    const decoder = codec('gemini').decodeStream(eventBytesMax)
    const events = decoder.push(encoder.encode(`data: ${payload}\n\n`))
    assert.deepEqual(
      events.flatMap((event) => (event.kind === 'delta' ? [event.text] : [])),
      ['{"a":1}'],
      payload,
    )
  }
})

function startedDecoder(format: PiecewiseFormat, parts: number): StreamDecoder {
  const { start, openCall, input } = upstreamEvents[format]
  const decoder = codec(format).decodeStream(eventBytesMax)
  const calls = Array.from({ length: parts }, (_, index) => openCall(index + 1, 'f'))
  decoder.push(encoder.encode(start + openCall(0, 'f') + input(0, '{') + calls.join('')))
  return decoder
}

function opened(events: readonly ResponseEvent[]): number {
  return events.filter(({ kind }) => kind === 'open').length
}
