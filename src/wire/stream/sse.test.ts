/** The parser finds the same events however the stream is cut, and reports their exact positions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import { SseParser } from './sse.ts'

interface ParsedEvent {
  readonly start: number
  readonly end: number
  readonly data: string | null
  readonly isError: boolean
  readonly isWhole: boolean
}

const encoder = new TextEncoder()

function parse(chunks: readonly Uint8Array[], eventBytesMax = 1 << 20): readonly ParsedEvent[] {
  const parser = new SseParser(eventBytesMax)
  const seen: ParsedEvent[] = []
  const drain = () => {
    while (parser.next()) {
      const { start, end, isWhole } = parser
      seen.push({
        start,
        end,
        data: parser.hasData ? parser.dataText() : null,
        isError: parser.isNamed('error'),
        isWhole,
      })
    }
  }
  for (const chunk of chunks) {
    parser.push(chunk)
    drain()
  }
  parser.close()
  drain()
  assert.equal(parser.isTooLarge, false)
  return seen
}

/** `bytes` in pieces of the given lengths, taken in turn. */
function cut(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = Math.max(1, lengths[turn % lengths.length] ?? 1)
    chunks.push(bytes.slice(at, at + length))
    at += length
  }
  return chunks
}

/** The specification's algorithm, line by line over decoded text. */
function dispatched(text: string): readonly { data: string; name: string }[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  const events: { data: string; name: string }[] = []
  let data: string[] = []
  let name = ''
  for (const line of lines) {
    if (line === '') {
      if (data.length > 0) events.push({ data: data.join('\n'), name })
      data = []
      name = ''
      continue
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(line) ?? []
    if (field === 'data') data.push(value)
    if (field === 'event') name = value
  }
  if (data.length > 0) events.push({ data: data.join('\n'), name })
  return events
}

const lines = fc.constantFrom(
  'data: {"a":1}',
  'data:no space',
  'data:  two spaces',
  'data',
  'data:',
  'data: é€😀',
  `data: ${'long '.repeat(40)}`,
  'event: error',
  'event: message',
  'event',
  ': comment',
  ':',
  'id: 7',
  'retry: 10',
  'database: x',
  'dat',
  '',
  '',
)
const streams = fc.tuple(
  fc.array(lines, { maxLength: 30 }),
  fc.constantFrom('\n', '\r\n', '\r'),
  fc.boolean(),
  fc.boolean(),
)

test('events are those of the specification, whatever the line ends, cut anywhere', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(streams, lengths, ([all, end, hasMark, isClosed], sizes) => {
      const text = `${hasMark ? '\uFEFF' : ''}${all.join(end)}${isClosed ? end + end : ''}`
      const bytes = encoder.encode(text)
      const seen = parse(cut(bytes, sizes))
      assert.deepEqual(
        seen.flatMap(({ data, isError }) => (data === null ? [] : [{ data, isError }])),
        dispatched(text).map(({ data, name }) => ({ data, isError: name === 'error' })),
      )
      let at = 0
      for (const { start, end: until } of seen) {
        assert.equal(start, at)
        assert.ok(until > start)
        at = until
      }
      assert.equal(at, bytes.length)
    }),
    { numRuns: 1_000 },
  )
})

test('the same blocks come from one byte at a time as from the whole, but for bare carriage returns', () => {
  fc.assert(
    fc.property(streams, ([all, end]) => {
      const bytes = encoder.encode(all.join(end === '\r' ? '\r\n' : end))
      assert.deepEqual(parse(cut(bytes, [1])), parse([bytes]))
    }),
    { numRuns: 300 },
  )
})

test('recorded streams come apart the same in any chunks', () => {
  for (const provider of ['anthropic', 'openai-chat', 'openai-responses', 'gemini'] as const) {
    for (const { name, kind, response } of fixtureCases(provider)) {
      if (kind !== 'stream') continue
      const whole = parse([response])
      assert.deepEqual(parse(cut(response, [1])), whole, name)
      assert.deepEqual(parse(cut(response, [7])), whole, name)
      assert.deepEqual(parse(cut(response, [1000, 3])), whole, name)
      assert.equal(whole.at(-1)?.end, response.length, name)
    }
  }
})

test('an event is given as soon as its blank line has come', () => {
  const parser = new SseParser(1000)
  for (const [end, blank] of [
    ['\n', '\n'],
    ['\r\n', '\r\n'],
  ]) {
    parser.push(encoder.encode(`data: x${end}${blank}`))
    assert.equal(parser.next(), true)
    assert.equal(parser.dataText(), 'x')
    assert.equal(parser.next(), false)
  }
})

test('an event that is too large ends the reading, in one chunk or many', () => {
  const large = encoder.encode(`data: ${'x'.repeat(2_000)}\n\n`)
  for (const chunks of [[large], cut(large, [100]), cut(large.subarray(0, 1_500), [1])]) {
    const parser = new SseParser(1_000)
    for (const chunk of chunks) {
      parser.push(chunk)
      assert.equal(parser.next(), false)
    }
    assert.equal(parser.isTooLarge, true)
  }
  assert.equal(parse(cut(encoder.encode(`data: ${'x'.repeat(900)}\n\n`.repeat(9)), [400]), 1_000).length, 9)
})

test('a huge event in small chunks is one event', () => {
  const text = 'QUJD'.repeat(2_500_000)
  const stream = encoder.encode(`data: a\n\ndata: ${text}\n\ndata: b\n\n`)
  const seen = parse(cut(stream, [4096]), 1 << 24)
  assert.deepEqual(
    seen.map(({ data }) => data?.length),
    [1, text.length, 1],
  )
})
