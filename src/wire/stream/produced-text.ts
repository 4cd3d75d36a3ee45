/**
 * Stores the beginning of what a model produced and the size of all of it, for counting tokens where
 * the provider reports none. Must not grow with the response.
 */
import type { OutputSample } from '../format.ts'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const rawBytesFirst = 1024

/** Grows while an answer is read; reading `text` is as cheap as what was added since the last time. */
export class ProducedText implements OutputSample {
  characters = 0
  events = 0
  private readonly charactersMax: number
  private sampled = ''
  /** Bytes that are not decoded yet, and how many characters they and `sampled` are. */
  private raw = new Uint8Array(0)
  private rawBytes = 0
  private sampledCharacters = 0

  constructor(charactersMax: number) {
    this.charactersMax = charactersMax
  }

  get text(): string {
    this.decodeRaw()
    return this.sampled
  }

  add(text: string): void {
    this.characters += text.length
    const room = this.charactersMax - this.sampledCharacters
    if (room <= 0 || text === '') return
    this.decodeRaw()
    const added = text.length <= room ? text : text.slice(0, room)
    this.sampled += added
    this.sampledCharacters += added.length
  }

  /** Adds the UTF-8 text in `bytes` from `start` to `end`. */
  addBytes(bytes: Uint8Array, start: number, end: number): void {
    const characters = charactersIn(bytes, start, end)
    const room = this.charactersMax - this.sampledCharacters
    if (room > 0 && characters > room) {
      this.add(decoder.decode(bytes.subarray(start, end)))
      return
    }
    this.characters += characters
    if (room <= 0) return
    this.sampledCharacters += characters
    this.makeRoom(end - start)
    for (let at = start; at < end; at += 1) this.raw[this.rawBytes++] = bytes[at]!
  }

  /** Adds the content of a JSON string in `bytes` from `start` to `end`, including escapes. */
  addEscaped(bytes: Uint8Array, start: number, end: number): void {
    this.add(JSON.parse(`"${decoder.decode(bytes.subarray(start, end))}"`) as string)
  }

  private makeRoom(bytes: number): void {
    const needed = this.rawBytes + bytes
    if (needed <= this.raw.length) return
    const wider = new Uint8Array(Math.max(rawBytesFirst, needed * 2))
    wider.set(this.raw.subarray(0, this.rawBytes))
    this.raw = wider
  }

  private decodeRaw(): void {
    if (this.rawBytes === 0) return
    this.sampled += decoder.decode(this.raw.subarray(0, this.rawBytes))
    this.rawBytes = 0
  }
}

/** UTF-16 units: one for each character, two for one that takes four bytes. */
function charactersIn(bytes: Uint8Array, start: number, end: number): number {
  let characters = end - start
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at]!
    if (byte >= 0x80 && byte < 0xc0) characters -= 1
    else if (byte >= 0xf0) characters += 1
  }
  return characters
}
