/** Sizes are read from file headers of real layouts, and from nothing else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type PictureSize, pictureSize } from './media.ts'

function bytes(...pieces: readonly (string | readonly number[])[]): Buffer {
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : Buffer.from(piece))),
  )
}

const png = (width: number, height: number) =>
  bytes([0x89], 'PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [
    0,
    0,
    width >> 8,
    width & 255,
    0,
    0,
    height >> 8,
    height & 255,
  ])
const start = [0xff, 0xd8]
const segment = (marker: number, length: number) => [0xff, marker, 0, length + 2, ...Array(length).fill(0)]
const frame = (marker: number) => [
  0xff,
  marker,
  0,
  17,
  8,
  0x02,
  0x36,
  0x02,
  0x55,
  3,
  1,
  2,
  3,
  4,
  5,
  6,
  7,
  8,
  9,
]
const riff = ['RIFF', [0, 0, 0, 0], 'WEBP'] as const
const rest = Array(20).fill(0)

const cases: readonly (readonly [name: string, head: Buffer, size: PictureSize | undefined])[] = [
  ['a PNG', png(800, 600), { width: 800, height: 600 }],
  ['a JPEG', bytes(start, frame(0xc0)), { width: 597, height: 566 }],
  [
    'a progressive JPEG behind other segments',
    bytes(start, segment(0xe0, 14), segment(0xc4, 40), frame(0xc2)),
    { width: 597, height: 566 },
  ],
  ['a GIF', bytes('GIF89a', [0x20, 0x03, 0x58, 0x02], rest), { width: 800, height: 600 }],
  [
    'a lossy WebP',
    bytes(...riff, 'VP8 ', [0, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a, 0x20, 0x03, 0x58, 0x02]),
    { width: 800, height: 600 },
  ],
  [
    'a lossless WebP',
    bytes(...riff, 'VP8L', [0, 0, 0, 0, 0x2f, 0x1f, 0xc3, 0x95, 0x00], rest),
    { width: 800, height: 600 },
  ],
  [
    'an extended WebP',
    bytes(...riff, 'VP8X', [10, 0, 0, 0, 0, 0, 0, 0, 0x1f, 0x03, 0, 0x57, 0x02, 0]),
    { width: 800, height: 600 },
  ],
  ['a PNG of no size', png(0, 600), undefined],
  ['a JPEG that ends before its frame', bytes(start, segment(0xe0, 14)), undefined],
  ['a JPEG whose segments break off', bytes(start, [0xff, 0xe0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9]), undefined],
  ['a WebP of no kind that is known', bytes(...riff, 'VP9 ', rest), undefined],
  ['a text', bytes('not a picture'), undefined],
  ['nothing', bytes(), undefined],
]

for (const [name, head, size] of cases) {
  test(`the size of ${name}`, () => assert.deepEqual(pictureSize(head.toString('base64')), size))
}

test('whatever the bytes are, there is a size that can be true or none', () => {
  const beginnings = [
    [],
    start,
    [...Buffer.from('GIF89a')],
    [...Buffer.from('RIFF0000WEBPVP8X')],
    [...png(1, 1).subarray(0, 16)],
  ]
  fc.assert(
    fc.property(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 64 }), (beginning, tail) => {
      const size = pictureSize(Buffer.concat([Buffer.from(beginning), tail]).toString('base64'))
      return size === undefined || (size.width > 0 && size.height > 0)
    }),
  )
})
