/**
 * A push parser for server-sent events over bytes: chunks cut anywhere, LF, CRLF or CR, comments, a
 * byte order mark, several data lines, a last event without its blank line. It reports the position of
 * each event in the stream, so that whole events can be relayed unchanged; data is decoded only
 * when requested. Every byte is read once, however large an event is.
 */

import type { Span } from '../json/byte-patch.ts'

const lineFeed = 0x0a
const carriageReturn = 0x0d
const colon = 0x3a
const space = 0x20

/** Lines are looked through byte by byte for so long, then natively. */
const bytewiseMax = 40
/** A buffer larger than this is released as soon as the event that needed it is read. */
const ownBytesMax = 256 * 1024

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const nothing = new Uint8Array(0)
const noSpan: Span = { start: 0, end: 0 }

/**
 * `push` a chunk, then call `next` until it returns false; after each true the fields describe one block:
 * everything up to and with its blank line. A block of comments alone has no data.
 */
export class SseParser {
  /** The position of the block in the stream, counted from the stream's first byte. */
  start = 0
  end = 0
  /** `bytes` from `dataStart` to `dataEnd` are the data: its lines joined by line feeds. Valid until the next call. */
  bytes: Uint8Array = nothing
  dataStart = 0
  dataEnd = 0
  hasData = false
  /** false: the stream ended before the block's blank line. */
  isWhole = true
  /** An event has more than the allowed bytes; nothing more is read. */
  isTooLarge = false

  private readonly eventBytesMax: number
  /** Bytes not yet returned begin at `block`; all positions are in `view`. */
  private view: Uint8Array = nothing
  private block = 0
  private line = 0
  private searched = 0
  /** The first carriage return of `view` from `searched` on; its length when there is none. */
  private returnAt = 0
  /** Memory of our own, when an event spans chunks; `view` is its filled part. */
  private own: Uint8Array | null = null
  /** The place of `view[0]` in the stream. */
  private base = 0
  private hasEnded = false
  /** Lines end with a bare carriage return: no line feed need be waited for. */
  private hasBareReturns = false
  private name: Span = noSpan
  /** The position of each data line of the block, counted from `block`. */
  private lines: Span[] = []
  private eventName: Span = noSpan

  constructor(eventBytesMax: number) {
    this.eventBytesMax = eventBytesMax
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0 || this.isTooLarge) return
    const pendingBytes = this.view.length - this.block
    if (pendingBytes === 0) {
      this.view = chunk
      this.own = null
    } else {
      this.append(chunk, pendingBytes)
    }
    this.base += this.block
    this.line -= this.block
    this.searched -= this.block
    this.block = 0
    this.returnAt = this.find(carriageReturn, this.searched)
  }

  /** The stream's last byte was pushed: what is left is given out as a block that is not whole. */
  close(): void {
    this.hasEnded = true
  }

  next(): boolean {
    for (let lineEnd = this.lineEnd(); lineEnd !== -1; lineEnd = this.lineEnd()) {
      const start = this.lineStart()
      let after = lineEnd + 1
      if (this.view[lineEnd] === carriageReturn) {
        if (this.view[after] === lineFeed) after += 1
        else if (after < this.view.length) this.hasBareReturns = true
        // The line feed after the return may be the first byte of the next chunk.
        else if (!this.hasEnded && !(this.hasBareReturns && start === lineEnd)) return false
      }
      if (start < lineEnd) this.readLine(start, lineEnd)
      this.line = after
      this.searched = after
      if (start >= lineEnd) return this.give(true)
    }
    if (this.view.length - this.block > this.eventBytesMax) this.isTooLarge = true
    if (!this.hasEnded || this.isTooLarge || this.block === this.view.length) return false
    if (this.lineStart() < this.view.length) this.readLine(this.lineStart(), this.view.length)
    this.line = this.view.length
    this.searched = this.line
    return this.give(false)
  }

  /** Whether the event has this name (ASCII). */
  isNamed(name: string): boolean {
    const { start, end } = this.eventName
    if (end - start !== name.length) return false
    for (let index = 0; index < name.length; index += 1) {
      if (this.view[start + index] !== name.charCodeAt(index)) return false
    }
    return true
  }

  /** The data as text; bytes that are not UTF-8 become U+FFFD. */
  dataText(): string {
    return decoder.decode(this.bytes.subarray(this.dataStart, this.dataEnd))
  }

  private append(chunk: Uint8Array, pendingBytes: number): void {
    const needed = pendingBytes + chunk.length
    let own = this.own
    if (own === null || own.length < needed || (own.length > ownBytesMax && needed < ownBytesMax / 2)) {
      own = new Uint8Array(needed * 2)
      own.set(this.view.subarray(this.block))
    } else if (this.block > 0) {
      own.copyWithin(0, this.block, this.block + pendingBytes)
    }
    own.set(chunk, pendingBytes)
    this.own = own
    this.view = own.subarray(0, needed)
  }

  private find(byte: number, from: number): number {
    const found = this.view.indexOf(byte, from)
    return found === -1 ? this.view.length : found
  }

  /** The place of the current line's end, or -1 when it has not come. */
  private lineEnd(): number {
    const { view } = this
    let at = this.searched
    const bytewiseEnd = Math.min(at + bytewiseMax, view.length)
    while (at < bytewiseEnd && view[at] !== lineFeed && view[at] !== carriageReturn) at += 1
    if (at === bytewiseEnd && at < view.length) {
      if (this.returnAt < at) this.returnAt = this.find(carriageReturn, at)
      at = Math.min(this.find(lineFeed, at), this.returnAt)
    }
    this.searched = at
    return at < view.length ? at : -1
  }

  /** Where the current line begins, behind the stream's byte order mark. */
  private lineStart(): number {
    const { view, line } = this
    const hasMark =
      this.base + line === 0 && view[line] === 0xef && view[line + 1] === 0xbb && view[line + 2] === 0xbf
    return hasMark ? line + 3 : line
  }

  private readLine(start: number, end: number): void {
    const { view, block } = this
    if (isField(view, start, end, 'data')) {
      this.lines.push({ start: valueStart(view, start + 4, end) - block, end: end - block })
    } else if (isField(view, start, end, 'event')) {
      this.name = { start: valueStart(view, start + 5, end) - block, end: end - block }
    }
  }

  /** Tells of the block that ends before `line`. */
  private give(isWhole: boolean): boolean {
    const { block, line } = this
    if (line - block > this.eventBytesMax) {
      this.isTooLarge = true
      return false
    }
    this.start = this.base + block
    this.end = this.base + line
    this.isWhole = isWhole
    this.eventName = { start: block + this.name.start, end: block + this.name.end }
    this.giveData()
    this.block = line
    this.name = noSpan
    this.lines = []
    return true
  }

  private giveData(): void {
    const { block, lines, view } = this
    const first = lines[0]
    this.hasData = first !== undefined
    this.bytes = view
    this.dataStart = block + (first?.start ?? 0)
    this.dataEnd = block + (first?.end ?? 0)
    if (lines.length < 2) return
    this.bytes = new Uint8Array(lines.reduce((sum, line) => sum + line.end - line.start + 1, -1))
    this.dataStart = 0
    this.dataEnd = this.bytes.length
    let at = 0
    for (const line of lines) {
      if (at > 0) this.bytes[at - 1] = lineFeed
      this.bytes.set(view.subarray(block + line.start, block + line.end), at)
      at += line.end - line.start + 1
    }
  }
}

/** Whether the line is `name: value`, or the name alone, which means an empty value. */
function isField(view: Uint8Array, start: number, end: number, name: string): boolean {
  const nameEnd = start + name.length
  if (nameEnd > end || (nameEnd < end && view[nameEnd] !== colon)) return false
  for (let index = 0; index < name.length; index += 1) {
    if (view[start + index] !== name.charCodeAt(index)) return false
  }
  return true
}

/** Where the value begins behind the name's end: after the colon and one space. */
function valueStart(view: Uint8Array, nameEnd: number, end: number): number {
  if (nameEnd === end) return end
  return view[nameEnd + 1] === space && nameEnd + 1 < end ? nameEnd + 2 : nameEnd + 1
}
