/** Frames of AWS event streams: cut anywhere, verified, bounded, and whatever else comes is rejected without a throw. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { frame, rawFrame } from '../../../test/support/event-stream-frames.ts'
import { EventStreamParser } from './event-stream.ts'

const eventBytesMax = 4_096

interface Read {
  readonly frames: readonly {
    readonly headers: object
    readonly text: string
    readonly start: number
    readonly end: number
  }[]
  readonly isBroken: boolean
  readonly isTooLarge: boolean
}

function read(bytes: Uint8Array, cuts: readonly number[] = []): Read {
  const parser = new EventStreamParser(eventBytesMax)
  const frames: Read['frames'][number][] = []
  const places = [0, ...[...cuts].sort((one, other) => one - other), bytes.length]
  for (const [index, place] of places.entries()) {
    parser.push(bytes.subarray(places[index - 1] ?? 0, place))
    while (parser.next()) {
      const { headers, start, end } = parser
      frames.push({ headers: Object.fromEntries(headers), text: parser.dataText(), start, end })
    }
  }
  parser.close()
  assert.equal(parser.next(), false)
  return { frames, isBroken: parser.isBroken, isTooLarge: parser.isTooLarge }
}

const first = frame({ ':event-type': 'messageStart', ':message-type': 'event' }, '{"role":"assistant"}')
const second = frame({ ':event-type': 'messageStop' }, '{"stopReason":"end_turn"}')
const both = Buffer.concat([first, second])

test('frames have headers, payload and their place in the stream, wherever the chunks are cut', () => {
  const whole = read(both)
  assert.deepEqual(whole, {
    frames: [
      {
        headers: { ':event-type': 'messageStart', ':message-type': 'event' },
        text: '{"role":"assistant"}',
        start: 0,
        end: first.length,
      },
      {
        headers: { ':event-type': 'messageStop' },
        text: '{"stopReason":"end_turn"}',
        start: first.length,
        end: both.length,
      },
    ],
    isBroken: false,
    isTooLarge: false,
  })
  for (let cut = 0; cut <= both.length; cut += 1) assert.deepEqual(read(both, [cut]), whole, `cut at ${cut}`)
  assert.deepEqual(read(both, [...both.keys()]), whole)
})

test('the frame without headers and payload has the checksums of the specification', () => {
  const empty = Buffer.from('000000100000000005c248eb7d98c8ff', 'hex')
  assert.deepEqual(rawFrame(new Uint8Array(0), new Uint8Array(0)), empty)
  assert.deepEqual(read(empty).frames, [{ headers: {}, text: '', start: 0, end: 16 }])
})

test('headers of every type are passed over by their length', () => {
  const header = (name: string, ...rest: readonly number[]) =>
    Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from(rest)])
  const zeros = (count: number) => Array.from({ length: count }, () => 0)
  const headers = Buffer.concat([
    ...[header('t', 0), header('f', 1), header('b', 2, 9), header('s', 3, 0, 1), header('i', 4, ...zeros(4))],
    ...[header('l', 5, ...zeros(8)), header('y', 6, 0, 2, 1, 2), header('x', 7, 0, 2, 0x68, 0x69)],
    ...[header('d', 8, ...zeros(8)), header('u', 9, ...zeros(16))],
  ])
  assert.deepEqual(read(rawFrame(headers, Buffer.from('p'))).frames[0]?.headers, { x: 'hi' })
})

const brokenHeaders: Readonly<Record<string, readonly number[]>> = {
  'a name behind the end': [5, 0x61],
  'an empty name': [0, 0],
  'a type that does not exist': [1, 0x61, 10],
  'a value behind the end': [1, 0x61, 7, 0, 9, 0x62],
  'no room for the length': [1, 0x61, 7, 0],
  'a name that comes twice': [1, 0x61, 0, 1, 0x61, 1],
}

for (const [what, headers] of Object.entries(brokenHeaders)) {
  test(`rejected: ${what}`, () => {
    const { frames, isBroken } = read(rawFrame(Uint8Array.from(headers), Buffer.from('p')))
    assert.deepEqual([frames, isBroken], [[], true])
  })
}

test('a frame larger than allowed is rejected as soon as its length is known', () => {
  const large = frame({}, 'x'.repeat(eventBytesMax))
  const { frames, isTooLarge } = read(large.subarray(0, 12))
  assert.deepEqual([frames, isTooLarge], [[], true])
  const parser = new EventStreamParser(eventBytesMax)
  parser.push(large.subarray(0, 12))
  assert.equal(parser.next(), false)
  parser.push(large.subarray(12))
  assert.equal(parser.next(), false)
})

test('the rest of a frame after a cut connection is ignored', () => {
  const { frames, isBroken } = read(both.subarray(0, both.length - 1))
  assert.deepEqual([frames.length, isBroken], [1, false])
})

test('fuzzed: no byte can be changed unnoticed, and nothing throws', (context) => {
  const seed = process.pid
  context.diagnostic(`seed ${seed}`)
  const bytes = fc.uint8Array({ maxLength: 200 })
  const words = fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), fc.string({ maxLength: 40 }), {
    maxKeys: 5,
  })
  const cuts = fc.array(fc.nat(400), { maxLength: 8 })
  const isShort = (headers: Readonly<Record<string, string>>) =>
    Object.keys(headers).every((name) => Buffer.byteLength(name) < 256)
  fc.assert(
    fc.property(
      words.filter(isShort),
      bytes,
      cuts,
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (...given) => {
        const [headers, payload, places, at, mask] = given
        const message = frame(headers, payload)
        const within = places.filter((place) => place <= message.length)
        assert.equal(read(message, within).frames.length, 1)
        const changed = Buffer.from(message)
        const place = at % message.length
        changed[place] = changed[place]! ^ mask
        // A larger length waits for bytes that do not come, or is rejected by its checksum.
        assert.deepEqual(read(changed, within).frames, [])
      },
    ),
    { seed, numRuns: 2_000 },
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), cuts, (noise, places) => {
      const within = places.filter((place) => place <= noise.length)
      assert.deepEqual(read(noise, within), read(noise))
      const valid = Buffer.concat([first, noise])
      assert.equal(read(valid, within).frames[0]?.text, '{"role":"assistant"}')
    }),
    { seed, numRuns: 2_000 },
  )
})
