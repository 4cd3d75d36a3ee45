/**
 * Shrinks PNGs: a browser's PNG with millions of colors becomes one with at most 256, which is enough for pages of text
 * and lines. Reads only what browsers write: eight bits per channel, not interlaced.
 */
import assert from 'node:assert/strict'
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const colorsMax = 256

interface Picture {
  readonly width: number
  readonly height: number
  /** 0xRRGGBB of each pixel, row by row. */
  readonly colors: Uint32Array
}

export function withPalette(png: Buffer): Buffer {
  const picture = read(png)
  const palette = paletteOf(picture.colors)
  const places = new Map<number, number>(palette.map((color, place) => [color, place]))
  const { width, height, colors } = picture
  const rows = Buffer.alloc((width + 1) * height)
  for (let at = 0; at < colors.length; at += 1) {
    const color = colors[at] ?? 0
    const place = places.get(color) ?? nearest(palette, color)
    places.set(color, place)
    rows[at + Math.floor(at / width) + 1] = place
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const plte = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', plte),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body])
  const whole = Buffer.alloc(named.length + 8)
  whole.writeUInt32BE(body.length, 0)
  named.copy(whole, 4)
  whole.writeUInt32BE(crc32(named), named.length + 4)
  return whole
}

function read(png: Buffer): Picture {
  assert.ok(png.subarray(0, 8).equals(signature), 'no PNG')
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; ) {
    const size = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + size))
    at += size + 12
  }
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const [depth, kind, , , interlaced] = png.subarray(24, 29)
  assert.ok(depth === 8 && (kind === 2 || kind === 6) && interlaced === 0, 'another kind of PNG')
  const channels = kind === 2 ? 3 : 4
  const bytes = unfiltered(inflateSync(Buffer.concat(parts)), width * channels, channels)
  const colors = new Uint32Array(width * height)
  for (let at = 0; at < colors.length; at += 1) {
    const from = at * channels
    colors[at] = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0)
  }
  return { width, height, colors }
}

/** Each row is stored as the difference from the pixel to the left, the one above, or both: see the PNG specification, 9.2. */
function unfiltered(rows: Buffer, rowBytes: number, step: number): Buffer {
  const height = rows.length / (rowBytes + 1)
  const plain = Buffer.alloc(rowBytes * height)
  for (let row = 0; row < height; row += 1) {
    const filter = rows[row * (rowBytes + 1)] ?? 0
    for (let column = 0; column < rowBytes; column += 1) {
      const at = row * rowBytes + column
      const left = column < step ? 0 : (plain[at - step] ?? 0)
      const above = row === 0 ? 0 : (plain[at - rowBytes] ?? 0)
      const corner = row === 0 || column < step ? 0 : (plain[at - rowBytes - step] ?? 0)
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter]
      assert.ok(guess !== undefined, 'an unknown filter')
      plain[at] = ((rows[row * (rowBytes + 1) + 1 + column] ?? 0) + guess) & 255
    }
  }
  return plain
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner
  const [toLeft, toAbove, toCorner] = [
    Math.abs(guess - left),
    Math.abs(guess - above),
    Math.abs(guess - corner),
  ]
  if (toLeft <= toAbove && toLeft <= toCorner) return left
  return toAbove <= toCorner ? above : corner
}

/** The most frequent color of each kind, then the most frequent overall: no small mark loses its color to shades of gray. */
function paletteOf(colors: Uint32Array): readonly number[] {
  const counts = new Map<number, number>()
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1)
  const byCount = [...counts].sort(([a, countA], [b, countB]) => countB - countA || a - b)
  const kinds = new Map<number, number>()
  for (const [color] of byCount) {
    const kind = color & 0xe0e0e0
    if (!kinds.has(kind)) kinds.set(kind, color)
  }
  const chosen = new Set([...kinds.values()].slice(0, colorsMax))
  for (const [color] of byCount) {
    if (chosen.size >= colorsMax) break
    chosen.add(color)
  }
  return [...chosen]
}

function nearest(palette: readonly number[], color: number): number {
  let best = 0
  let bestDistance = Number.POSITIVE_INFINITY
  for (const [place, candidate] of palette.entries()) {
    const distance =
      ((candidate >> 16) - (color >> 16)) ** 2 +
      (((candidate >> 8) & 255) - ((color >> 8) & 255)) ** 2 +
      ((candidate & 255) - (color & 255)) ** 2
    if (distance < bestDistance) [best, bestDistance] = [place, distance]
  }
  return best
}
