/**
 * Scans JSON (RFC 8259) strictly in one pass and writes a tape with the position of each value. The bytes must
 * be valid UTF-8 already; a byte order mark is rejected, as providers reject it. Must not allocate per
 * value nor recurse.
 */
import { WireError } from '../format.ts'

export interface JsonLimits {
  readonly depthMax: number
  readonly valuesMax: number
  /** Names and values outside the conversation and its tools; left out: no other bound than `valuesMax`. */
  readonly otherValuesMax?: number
  /** Names in one object whose fields matter, and those in all of them that are not plain ASCII; left out: no bound. */
  readonly namesMax?: number
  /** Objects whose fields matter (messages, parts, tools and what is in them); left out: no other bound. */
  readonly objectsMax?: number
  /** Values, and a quarter of the escapes: what scanning takes time for. Beyond it `TooMuchWorkError`; left out: no bound. */
  readonly workMax?: number
}

/** Stops a scan at `workMax`; the body may be valid. */
export class TooMuchWorkError extends Error {
  override readonly name = 'TooMuchWorkError'
}

/** Kinds as the tape writes them. */
const objectKind = 0
const arrayKind = 1
export const stringKind = 2
const numberKind = 3
const trueKind = 4
const falseKind = 5
export const nullKind = 6

/** A tape entry is three integers: kind, escape mark and index of the entry after its subtree; start; end. */
export const entryInts = 3
export const kindMask = 7
export const escapeMark = 8
export const nextShift = 4
/** Entries fit into the bits above the shift, and places into a signed integer. */
const valuesMaxMax = 2 ** 25
const bytesMaxMax = 2 ** 30

const words: readonly (readonly [kind: number, text: string])[] = [
  [trueKind, 'true'],
  [falseKind, 'false'],
  [nullKind, 'null'],
]

/** The byte that ends a container, by its kind. */
const closing = [0x7d, 0x5d]
/** 1 for each byte that may follow a backslash, `u` apart. */
const escapes = new Uint8Array(256)
for (const letter of '"\\/bfnrt') escapes[letter.charCodeAt(0)] = 1

/** 1 for each byte that is not text in a string: quote, backslash and control characters. */
const specials = new Uint8Array(256).fill(1, 0, 0x20)
specials[0x22] = 1
specials[0x5c] = 1

/** Strings are looked at byte by byte for so long, then four bytes at a time. */
const bytewiseMax = 4

const noWords = new Int32Array(0)

/** Writes `tape`, which it replaces where it is too short. */
export class JsonScanner {
  tape: Int32Array
  private readonly bytes: Uint8Array
  /** The same memory in whole words, from the first aligned byte on. */
  private readonly wide: Int32Array
  private readonly wideFrom: number
  private readonly limits: JsonLimits
  private readonly open: Int32Array
  private depth = 0
  private entries = 0
  private values = 0
  /** Quarters of `workMax` that are left. */
  private workLeft: number

  constructor(bytes: Uint8Array, limits: JsonLimits, tape: Int32Array) {
    if (limits.valuesMax > valuesMaxMax || bytes.length > bytesMaxMax) {
      throw new RangeError('more JSON than the tape can describe')
    }
    this.bytes = bytes
    this.limits = limits
    this.workLeft = 4 * (limits.workMax ?? Number.POSITIVE_INFINITY)
    this.tape = tape
    this.open = new Int32Array(limits.depthMax)
    this.wideFrom = -bytes.byteOffset & 3
    const wideCount = (bytes.length - this.wideFrom) >> 2
    this.wide =
      wideCount > 0 ? new Int32Array(bytes.buffer, bytes.byteOffset + this.wideFrom, wideCount) : noWords
  }

  document(): void {
    let at = 0
    do {
      const depth = this.depth
      at = this.value(this.space(at))
      if (this.depth === depth) at = this.afterValue(at)
    } while (this.depth > 0)
    at = this.space(at)
    if (at !== this.bytes.length) throw this.unexpected(at)
  }

  // Each reader takes the place where it begins and returns the place after what it read.

  /** A value; of a container that is not empty only its beginning, one level deeper than before. */
  private value(at: number): number {
    this.values += 1
    if (this.values > this.limits.valuesMax) {
      throw new WireError('invalid_json', `The body has more than ${this.limits.valuesMax} JSON values.`)
    }
    this.workLeft -= 4
    if (this.workLeft < 0) throw new TooMuchWorkError()
    const byte = this.bytes[at]
    if (byte === 0x22) return this.string(at)
    if (byte === 0x7b) return this.enter(at, objectKind)
    if (byte === 0x5b) return this.enter(at, arrayKind)
    if (byte === 0x74 || byte === 0x66 || byte === 0x6e) return this.word(at)
    return this.number(at)
  }

  /** Skips what separates two values: ends of containers, then a comma. */
  private afterValue(from: number): number {
    let at = from
    while (this.depth > 0) {
      const container = this.open[this.depth - 1]!
      const kind = this.tape[container * entryInts]!
      at = this.space(at)
      const byte = this.bytes[at]
      if (byte === 0x2c) return kind === objectKind ? this.name(at + 1) : at + 1
      if (byte !== closing[kind]) throw this.unexpected(at)
      at += 1
      this.leave(container, kind, at)
    }
    return at
  }

  private enter(start: number, kind: number): number {
    if (this.depth === this.limits.depthMax) {
      throw new WireError('invalid_json', `The body is nested deeper than ${this.limits.depthMax} levels.`)
    }
    const container = this.entries
    this.write(kind, start, 0)
    this.open[this.depth] = container
    this.depth += 1
    const at = this.space(start + 1)
    if (this.bytes[at] === closing[kind]) {
      this.leave(container, kind, at + 1)
      return at + 1
    }
    return kind === objectKind ? this.name(at) : at
  }

  private leave(container: number, kind: number, end: number): void {
    this.tape[container * entryInts] = (this.entries << nextShift) | kind
    this.tape[container * entryInts + 2] = end
    this.depth -= 1
  }

  private name(from: number): number {
    let at = this.space(from)
    if (this.bytes[at] !== 0x22) throw this.unexpected(at)
    at = this.space(this.string(at))
    if (this.bytes[at] !== 0x3a) throw this.unexpected(at)
    return at + 1
  }

  private string(start: number): number {
    const { bytes } = this
    let mark = 0
    let at = start + 1
    for (;;) {
      for (let bytewiseEnd = at + bytewiseMax; specials[bytes[at]!] === 0; at += 1) {
        if (at !== bytewiseEnd) continue
        at = this.plainUntil(at)
        bytewiseEnd = at + bytewiseMax
        if (specials[bytes[at]!] !== 0) break
      }
      if (bytes[at] === 0x22) break
      const last = bytes[at] === 0x5c ? escapeEnd(bytes, at) : -1
      if (last === -1) throw this.unexpected(at)
      mark = escapeMark
      at = last + 1
      this.workLeft -= 1
      if (this.workLeft < 0) throw new TooMuchWorkError()
    }
    this.write(((this.entries + 1) << nextShift) | mark | stringKind, start, at + 1)
    return at + 1
  }

  /** A position from `at` on before which there is no quote, backslash or control character. */
  private plainUntil(at: number): number {
    const { wide, wideFrom } = this
    let index = (at - wideFrom + 3) >> 2
    const first = wideFrom + (index << 2)
    for (let byte = at; byte < first; byte += 1) if (specials[this.bytes[byte]!] !== 0) return byte
    index = plainAscii(wide, index)
    for (; index < wide.length; index += 1) {
      const word = wide[index]!
      const quotes = word ^ 0x22222222
      const slashes = word ^ 0x5c5c5c5c
      // Subtracting borrows into the top bit of a byte exactly at the lowest match.
      const found =
        ((quotes - 0x01010101) & ~quotes) |
        ((slashes - 0x01010101) & ~slashes) |
        ((word - 0x20202020) & ~word)
      if ((found & 0x80808080) !== 0) break
    }
    return Math.max(at, wideFrom + (index << 2))
  }

  private number(start: number): number {
    const { bytes } = this
    let at = start
    if (bytes[at] === 0x2d) at += 1
    at = bytes[at] === 0x30 ? at + 1 : this.digits(at)
    if (bytes[at] === 0x2e) at = this.digits(at + 1)
    if (bytes[at] === 0x65 || bytes[at] === 0x45) {
      const sign = bytes[at + 1]
      at = this.digits(sign === 0x2b || sign === 0x2d ? at + 2 : at + 1)
    }
    this.write(((this.entries + 1) << nextShift) | numberKind, start, at)
    return at
  }

  private digits(start: number): number {
    let at = start
    while (isDigit(this.bytes[at])) at += 1
    if (at === start) throw this.unexpected(at)
    return at
  }

  private word(start: number): number {
    for (const [kind, word] of words) {
      if (!standsAt(this.bytes, start, word)) continue
      this.write(((this.entries + 1) << nextShift) | kind, start, start + word.length)
      return start + word.length
    }
    throw this.unexpected(start)
  }

  private space(from: number): number {
    let at = from
    for (let byte = this.bytes[at]; byte !== undefined && byte <= 0x20; byte = this.bytes[at]) {
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break
      at += 1
    }
    return at
  }

  private write(head: number, start: number, end: number): void {
    const place = this.entries * entryInts
    if (place === this.tape.length) {
      const wider = new Int32Array(this.tape.length * 2)
      wider.set(this.tape)
      this.tape = wider
    }
    this.tape[place] = head
    this.tape[place + 1] = start
    this.tape[place + 2] = end
    this.entries += 1
  }

  private unexpected(at: number): WireError {
    const what = at < this.bytes.length ? 'an unexpected character' : 'an unexpected end'
    return new WireError('invalid_json', `The body is not valid JSON: ${what} at byte ${at}.`)
  }
}

/** The place of the last byte of the escape whose backslash is at `at`; -1 where it is none. */
export function escapeEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at + 1] !== 0x75) return escapes[bytes[at + 1] ?? 0] === 1 ? at + 1 : -1
  for (let digit = at + 2; digit < at + 6; digit += 1) if (!isHexDigit(bytes[digit])) return -1
  return at + 5
}

/** Whether `ascii` is in `bytes` from `at` on. */
export function standsAt(bytes: Uint8Array, at: number, ascii: string): boolean {
  for (let index = 0; index < ascii.length; index += 1) {
    if (bytes[at + index] !== ascii.charCodeAt(index)) return false
  }
  return true
}

/** Skips words in fours, up to one that has a quote, a backslash, a control character or a byte that is not ASCII. */
function plainAscii(wide: Int32Array, from: number): number {
  let index = from
  for (const last = wide.length - 3; index < last; index += 4) {
    const one = wide[index]!
    const two = wide[index + 1]!
    const three = wide[index + 2]!
    const four = wide[index + 3]!
    // Without the masks used below: bytes above 0x7f match too, which costs only a closer look.
    const found =
      ((one ^ 0x22222222) - 0x01010101) |
      ((one ^ 0x5c5c5c5c) - 0x01010101) |
      (one - 0x20202020) |
      ((two ^ 0x22222222) - 0x01010101) |
      ((two ^ 0x5c5c5c5c) - 0x01010101) |
      (two - 0x20202020) |
      ((three ^ 0x22222222) - 0x01010101) |
      ((three ^ 0x5c5c5c5c) - 0x01010101) |
      (three - 0x20202020) |
      ((four ^ 0x22222222) - 0x01010101) |
      ((four ^ 0x5c5c5c5c) - 0x01010101) |
      (four - 0x20202020)
    if ((found & 0x80808080) !== 0) break
  }
  return index
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

function isHexDigit(byte: number | undefined): boolean {
  if (byte === undefined) return false
  const letter = byte | 0x20
  return isDigit(byte) || (letter >= 0x61 && letter <= 0x66)
}
