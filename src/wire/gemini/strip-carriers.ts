/**
 * Removes our carriers from a Gemini body that goes upstream unchanged otherwise: IDs of calls to their short form,
 * Google's own signatures restored, reasoning of other vendors removed. Only edits, so that every
 * other byte stays the caller's.
 */
import type { ReadLimits } from '../format.ts'
import type { BytePatch, Span } from '../json/byte-patch.ts'
import { absent, snakeCase } from '../json/fields.ts'
import { type Json, readJson } from '../json/json.ts'
import { mayHoldCarrier, plainId, readId, readTagBase64 } from '../translation/reasoning-carriers.ts'
import { isOwn, standIn } from './encrypted-reasoning.ts'
import { elements } from './extract-request-fields.ts'

const idCharactersMax = 64
const noEdits: readonly BytePatch[] = []
/** Replaces a content's parts when all of them were other vendors' thoughts; the API accepts it in a history. */
const emptyPart = '{"text":""}'

/** See `UpstreamCodec.stripCarriers`. */
export function stripCarriers(body: Uint8Array, limits: ReadLimits): readonly BytePatch[] {
  if (!mayHoldCarrier(body)) return noEdits
  return readJson(body, limits, (json) => {
    const contents = json.find(['contents'])
    if (contents === absent) return noEdits
    const cut = new GeminiCarrierStripper(json)
    cut.contents(elements(json, contents))
    return cut.edits.sort((a, b) => a.start - b.start)
  })
}

class GeminiCarrierStripper {
  readonly edits: BytePatch[] = []
  private readonly json: Json

  constructor(json: Json) {
    this.json = json
  }

  contents(contents: readonly number[]): void {
    const foreign = new Set<number>()
    /** Thoughts without a signature: a foreign one that follows says that they are its beginning. */
    let pieces: number[] = []
    for (const part of contents.flatMap((content) => this.partsOf(content))) {
      const isForeign = this.part(part)
      if (isForeign) for (const piece of [...pieces, part]) foreign.add(piece)
      const isPiece = !isForeign && this.isThought(part) && this.member(part, 'thoughtSignature') === absent
      if (isPiece) pieces.push(part)
      else pieces = []
    }
    if (foreign.size > 0) for (const content of contents) this.removeParts(content, foreign)
  }

  private partsOf(content: number): readonly number[] {
    const parts = this.member(content, 'parts')
    return parts === absent ? [] : elements(this.json, parts)
  }

  private removeParts(content: number, removed: ReadonlySet<number>): void {
    const all = this.partsOf(content)
    if (!all.some((part) => removed.has(part))) return
    const parts = this.member(content, 'parts')
    if (this.json.kind(parts) === 'array') this.removeElements(all, removed)
    else this.edits.push({ ...this.json.span(parts), text: emptyPart })
  }

  /** Whether the part must go; otherwise its marks are cut. */
  private part(part: number): boolean {
    const { json } = this
    if (json.kind(part) !== 'object') return false
    const call = this.member(part, 'functionCall')
    const signature = this.member(part, 'thoughtSignature')
    const written = signature !== absent && json.isString(signature) ? json.text(signature) : ''
    const tag = readTagBase64(written)
    const restored = tag.kind === 'encrypted' && isOwn(tag.encrypted) ? tag.encrypted.data : null
    const isForeign = tag.kind !== 'plain' && restored === null
    if (isForeign && call === absent && this.isThought(part)) return true
    const carried = this.id(call)
    this.id(this.member(part, 'functionResponse'))
    if (restored !== null) this.replace(signature, restored)
    else if (isForeign && call !== absent) this.replace(signature, carried ?? standIn)
    else if (isForeign) this.removeMember(part, signature)
    // Restores a signature from Google that the client dropped.
    else if (carried !== null && signature === absent) this.insert(part, carried)
    return false
  }

  private isThought(part: number): boolean {
    const thought = this.member(part, 'thought')
    return thought !== absent && this.json.kind(thought) === 'true'
  }

  /** Cuts the mark off the id of a call or a response; gives Google's encrypted value, where the mark has one. */
  private id(holder: number): string | null {
    if (holder === absent) return null
    const value = this.member(holder, 'id')
    if (value === absent || !this.json.isString(value)) return null
    const text = this.json.text(value)
    const { id, carrier } = readId(text)
    if (id === text) return null
    this.replace(value, plainId(text, idCharactersMax))
    const encrypted = carrier?.encrypted
    return isOwn(encrypted) ? encrypted.data : null
  }

  private replace(value: number, text: string): void {
    this.edits.push({ ...this.json.span(value), text: JSON.stringify(text) })
  }

  private insert(part: number, signature: string): void {
    const start = this.json.start(part) + 1
    this.edits.push({ start, end: start, text: `"thoughtSignature":${JSON.stringify(signature)},` })
  }

  /** The last member of that name in either spelling; `absent` where there is none. */
  private member(object: number, name: string): number {
    const { json } = this
    if (object === absent || json.kind(object) !== 'object') return absent
    const snake = snakeCase(name)
    const names = json.children(object).filter((_, at) => at % 2 === 0)
    const found = names.findLast((one) => json.is(one, name) || json.is(one, snake))
    return found === undefined ? absent : found + 1
  }

  private removeMember(object: number, value: number): void {
    const { json } = this
    const names = json.children(object).filter((_, at) => at % 2 === 0)
    const at = names.indexOf(value - 1)
    const next = names[at + 1]
    const before = names[at - 1]
    const start = next === undefined && before !== undefined ? json.end(before + 1) : json.start(value - 1)
    this.edits.push({ start, end: next === undefined ? json.end(value) : json.start(next), text: '' })
  }

  private removeElements(all: readonly number[], removed: ReadonlySet<number>): void {
    const { json } = this
    const lastKept = all.findLastIndex((element) => !removed.has(element))
    const first = all[0]!
    const last = all.at(-1)!
    if (lastKept === -1) {
      this.cut({ start: json.start(first), end: json.end(last) }, emptyPart)
      return
    }
    for (const [at, element] of all.entries()) {
      if (at > lastKept || !removed.has(element)) continue
      this.cut({ start: json.start(element), end: json.start(all[at + 1]!) })
    }
    if (lastKept < all.length - 1) this.cut({ start: json.end(all[lastKept]!), end: json.end(last) })
  }

  private cut({ start, end }: Span, text = ''): void {
    this.edits.push({ start, end, text })
  }
}
