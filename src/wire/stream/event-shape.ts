/**
 * Recognizes the event that differs from an earlier one only inside a few strings: the text that a
 * model produces token by token. All bytes outside those strings must be the same, so what was found
 * by parsing the earlier one holds for this one too, whatever its spacing and order of names.
 * Must not accept what it cannot prove; then the event is parsed.
 */
import type { Span } from '../json/byte-patch.ts'
import { type Json, type JsonLimits, readJson } from '../json/json.ts'
import { escapeEnd } from '../json/scanner.ts'
import type { ProducedText } from './produced-text.ts'

/** The strings that may differ: the produced text, and padding that says nothing. */
export interface FreeStrings {
  readonly text: number
  readonly padding: readonly number[]
}

const quote = 0x22
const backslash = 0x5c
const space = 0x20
const closingBrace = 0x7d

/** Events that do not repeat a shape are not worth more attempts than this. */
const missesMax = 8
const eventBytesMax = 4096
/** An event of so many bytes has no more levels or values. */
const limits: JsonLimits = { depthMax: eventBytesMax, valuesMax: eventBytesMax }

export class EventShape {
  /** Bytes before, between and after the free strings. */
  private fixed: readonly Uint8Array[] = []
  private textIndex = 0
  /** Events that did not match since the last one that did. */
  private misses = 0
  private sawEscape = false
  /** The positions of the last match's text, quotes excluded. */
  private textStart = 0
  private textEnd = 0
  private isEscaped = false

  /**
   * Whether the event is the learned one with another text that is not empty. Spaces before its last
   * brace do not count.
   */
  matches(bytes: Uint8Array, start: number, end: number): boolean {
    const { fixed } = this
    const last = fixed.length - 1
    if (last < 1) return false
    let at = start
    for (let index = 0; index < last; index += 1) {
      const part = fixed[index]!
      if (!standsAt(bytes, at, part)) return false
      const from = at + part.length
      at = this.stringEnd(bytes, from, end)
      if (at === -1) return false
      if (index === this.textIndex) {
        if (at === from) return false
        this.textStart = from
        this.textEnd = at
        this.isEscaped = this.sawEscape
      }
    }
    if (bytes[end - 1] !== closingBrace) return false
    let tailEnd = end - 1
    while (bytes[tailEnd - 1] === space) tailEnd -= 1
    const tail = fixed[last]!
    if (tailEnd - at !== tail.length || !standsAt(bytes, at, tail)) return false
    this.misses = 0
    return true
  }

  /** Adds the last match's text to what was produced. */
  addTo(sample: ProducedText, bytes: Uint8Array): void {
    const { textStart, textEnd } = this
    if (this.isEscaped) sample.addEscaped(bytes, textStart, textEnd)
    else sample.addBytes(bytes, textStart, textEnd)
    sample.events += 1
  }

  /**
   * Learns from an event that was parsed and produced one text alone; `locate` finds its free strings.
   * Keeps what it knows when a single event differs, and gives up on streams that keep differing.
   */
  learn(event: Uint8Array, locate: (json: Json) => FreeStrings | null): void {
    this.misses += 1
    if (this.misses > missesMax || (this.misses === 1 && this.fixed.length > 0)) return
    this.fixed = []
    if (event.length > eventBytesMax || event.at(-1) !== closingBrace) return
    readJson(event, limits, (json) => {
      const free = locate(json)
      if (free === null) return
      const strings = [free.text, ...free.padding].sort((a, b) => a - b)
      this.textIndex = strings.indexOf(free.text)
      this.fixed = partsAround(
        event,
        strings.map((string) => json.span(string)),
      )
    })
  }

  /** The position of the quote that ends a string, or -1 if there is no string. */
  private stringEnd(bytes: Uint8Array, start: number, end: number): number {
    this.sawEscape = false
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at]!
      if (byte === quote) return at
      if (byte < space) return -1
      if (byte !== backslash) continue
      this.sawEscape = true
      at = escapeEnd(bytes, at)
      if (at === -1) return -1
    }
    return -1
  }
}

/** Copies of what surrounds the strings, their quotes included, without the last brace. */
function partsAround(event: Uint8Array, strings: readonly Span[]): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  let from = 0
  for (const { start, end } of strings) {
    parts.push(new Uint8Array(event.subarray(from, start + 1)))
    from = end - 1
  }
  let tailEnd = event.length - 1
  while (event[tailEnd - 1] === space) tailEnd -= 1
  parts.push(new Uint8Array(event.subarray(from, tailEnd)))
  return parts
}

function standsAt(bytes: Uint8Array, at: number, part: Uint8Array): boolean {
  if (at + part.length > bytes.length) return false
  for (let index = 0; index < part.length; index += 1) {
    if (bytes[at + index] !== part[index]) return false
  }
  return true
}
