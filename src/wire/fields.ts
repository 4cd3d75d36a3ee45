/**
 * Reads the members of the objects whose fields can reach money, so that what is billed is what the
 * upstream will read: a field counts only when it is there once and plainly spelled.
 * Must not look into objects whose names are the caller's own (schemas, tool input, metadata).
 */
import { WireError } from './codec.ts'
import type { Json } from './json.ts'

/** In place of a value: the object has no such member. */
export const absent = -1

/** Objects with more members than this compare their names as a set of strings. */
const hashedMax = 32
const minus = 0x2d
const hashes = new Int32Array(hashedMax)

/** The names that matter in one kind of object. */
export class Fields<Name extends string> {
  private readonly none: Record<Name, number>
  private readonly byHash = new Map<number, Name>()

  constructor(...names: readonly Name[]) {
    this.none = {} as Record<Name, number>
    for (const name of names) {
      this.none[name] = absent
      const hash = hashOf(fold(name))
      if (this.byHash.has(hash)) throw new RangeError(`two names with the hash of ${name}`)
      this.byHash.set(hash, name)
    }
  }

  /**
   * The values of the named members, `absent` where there is none; of anything but an object, none.
   * Throws WireError `ambiguous_field` where two names of the object are equal after decoding and
   * folding of case and underscores, and where one of ours is written with an escape or otherwise
   * spelled: parsers disagree about which of them counts.
   */
  read(json: Json, object: number): Record<Name, number> {
    // What is not set here is read from `none`; copying it would cost more than the scan.
    const found = Object.create(this.none) as Record<Name, number>
    if (json.kind(object) !== 'object') return found
    const end = json.next(object)
    let count = 0
    let isSuspect = false
    for (let name = object + 1; name < end; name = json.next(name + 1)) {
      const hash = foldedHash(json, name)
      for (let other = Math.min(count, hashedMax) - 1; other >= 0; other -= 1) {
        if (hashes[other] === hash) isSuspect = true
      }
      if (count < hashedMax) hashes[count] = hash
      count += 1
      const ours = this.byHash.get(hash)
      if (ours === undefined) continue
      if (this.isPlain(json, name, ours)) found[ours] = name + 1
      else if (fold(json.text(name)) === fold(ours)) throw ambiguous(json, name)
    }
    // Once per object, since names with equal hashes are cheap to make.
    if (isSuspect || count > hashedMax) refuseRepeated(json, object)
    return found
  }

  /** Whether the name is spelled as this format spells it. */
  protected isPlain(json: Json, name: number, ours: Name): boolean {
    return isPlainly(json, name, ours)
  }
}

/** The names of a format whose parsers take `maxTokens` as well as `max_tokens`; listed in the first spelling. */
export class TwoSpellings<Name extends string> extends Fields<Name> {
  protected override isPlain(json: Json, name: number, ours: Name): boolean {
    return isPlainly(json, name, ours) || isPlainly(json, name, snakeCase(ours))
  }
}

/** `maxOutputTokens` → `max_output_tokens`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Whether the member is there and not null, which means the same as its absence. */
export function isGiven(json: Json, value: number): boolean {
  return value !== absent && !json.isNull(value)
}

/** A whole number from `min` to `max`, however it is written (1024, 1024.0, 1e3); else `invalid_value`. */
export function wholeNumber(
  json: Json,
  value: number,
  bounds: { readonly min: number; readonly max: number },
): number {
  const isUnsigned = json.kind(value) === 'number' && json.byte(json.start(value)) !== minus
  const number = isUnsigned ? json.number(value) : Number.NaN
  if (Number.isInteger(number) && number >= bounds.min && number <= bounds.max) return number
  throw invalid(json, value, `a whole number from ${bounds.min} to ${bounds.max}`)
}

/** true or false; absent and null are false; anything else is `invalid_value`. */
export function flag(json: Json, value: number): boolean {
  if (!isGiven(json, value)) return false
  const kind = json.kind(value)
  if (kind === 'true' || kind === 'false') return kind === 'true'
  throw invalid(json, value, 'true or false')
}

/** The decoded string; anything else is `invalid_value`. */
export function string(json: Json, value: number): string {
  if (json.kind(value) === 'string') return json.text(value)
  throw invalid(json, value, 'a string')
}

/** An error that says where `value` stands and what it must be. */
export function invalid(json: Json, value: number, expected: string): WireError {
  const pointer = json.pointer(value)
  return new WireError('invalid_value', `${pointer}: must be ${expected}.`, pointer)
}

function isPlainly(json: Json, name: number, expected: string): boolean {
  return !json.isEscaped(name) && json.is(name, expected)
}

/** Equal hashes may be chance; this looks at the names themselves. */
function refuseRepeated(json: Json, object: number): void {
  const seen = new Set<string>()
  const end = json.next(object)
  for (let name = object + 1; name < end; name = json.next(name + 1)) {
    const folded = fold(json.text(name))
    if (seen.has(folded)) throw ambiguous(json, name)
    seen.add(folded)
  }
}

function ambiguous(json: Json, name: number): WireError {
  const pointer = json.pointer(name + 1)
  return new WireError(
    'ambiguous_field',
    `${pointer}: this field must be given once, in its plain spelling and without escapes.`,
    pointer,
  )
}

/** Case folding that also joins the letters which only some parsers join (ſ and s, the Kelvin sign and k). */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase().replaceAll('_', '')
}

function hashOf(folded: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < folded.length; index += 1) {
    hash = Math.imul(hash ^ folded.charCodeAt(index), 0x01000193)
  }
  return hash | 0
}

/** `hashOf(fold(name))`, from the bytes where they are plain ASCII. */
function foldedHash(json: Json, name: number): number {
  if (json.isEscaped(name)) return hashOf(fold(json.text(name)))
  const end = json.end(name) - 1
  let hash = 0x811c9dc5
  for (let at = json.start(name) + 1; at < end; at += 1) {
    const byte = json.byte(at)
    if (byte >= 0x80) return hashOf(fold(json.text(name)))
    if (byte === 0x5f) continue
    const isCapital = byte >= 0x41 && byte <= 0x5a
    hash = Math.imul(hash ^ (isCapital ? byte + 0x20 : byte), 0x01000193)
  }
  return hash | 0
}
