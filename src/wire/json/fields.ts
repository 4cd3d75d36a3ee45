/**
 * Reads the members of the objects whose fields can affect money, so that what is billed is what the
 * upstream will read: a field counts only if it is present once and spelled plainly.
 * Must not look into objects whose names the caller chose (schemas, tool input, metadata).
 */
import { WireError } from '../format.ts'
import type { Json } from './json.ts'

/** In place of a value: the object has no such member. */
export const absent = -1

const minus = 0x2d

/** Names of members that are known in a format, in either spelling. */
export interface KnownNames {
  /** In the object that is read. */
  readonly own: ReadonlySet<number>
  /** Members of it that hold settings, which are looked into. */
  readonly settings: ReadonlySet<number>
  /** In these. */
  readonly inSettings: ReadonlySet<number>
}

/** The hashes of the names in a text, which are separated by spaces. */
export function namesIn(text: string): ReadonlySet<number> {
  return new Set(
    text
      .split(/\s+/)
      .filter((name) => name !== '')
      .map((name) => hashOf(fold(name))),
  )
}

/** Members whose contents the caller names. */
const opaque =
  namesIn(`schema responseSchema responseJsonSchema parameters parametersJsonSchema input_schema output_schema
  input_examples response args variables headers`)
const settingLevelsMax = 6

/** The names that matter in one kind of object. */
export class FieldReader<Name extends string> {
  private readonly none: Record<Name, number>
  private readonly byHash = new Map<number, Name>()
  private known: KnownNames | null = null

  constructor(...names: readonly Name[]) {
    this.none = {} as Record<Name, number>
    for (const name of names) {
      this.none[name] = absent
      const hash = hashOf(fold(name))
      if (this.byHash.has(hash)) throw new RangeError(`two names with the hash of ${name}`)
      this.byHash.set(hash, name)
    }
  }

  /** Notes each member from now on whose name is neither read here nor known. */
  knowing(known: KnownNames): this {
    this.known = known
    return this
  }

  /**
   * The values of the named members, `absent` where there is none; of anything but an object, none.
   * Throws WireError `ambiguous_field` where two names of the object are equal after decoding and
   * folding of case and underscores, and where one of ours is written with an escape or otherwise
   * spelled: parsers disagree about which of them counts.
   */
  read(json: Json, object: number): Record<Name, number> {
    // Missing members are read from `none`; copying it would cost more than the scan.
    const found = Object.create(this.none) as Record<Name, number>
    if (json.kind(object) !== 'object') return found
    json.objectsRead += 1
    if (json.objectsRead > json.objectsMax) throw tooManyObjects(json)
    const end = json.next(object)
    const { known } = this
    seen.begin(json, object)
    for (let name = object + 1; name < end; name = json.next(name + 1)) {
      const hash = foldedHash(json, name)
      seen.add(name, hash)
      const ours = this.byHash.get(hash)
      if (known !== null) {
        if (ours === undefined && !known.own.has(hash)) json.noteUnknown(name)
        else if (known.settings.has(hash) && !opaque.has(hash)) noteSettings(json, name + 1, known.inSettings)
      }
      if (ours === undefined) continue
      if (this.isPlain(json, name, ours)) found[ours] = name + 1
      else if (fold(json.text(name)) === fold(ours)) throw ambiguous(json, name)
    }
    return found
  }

  /** Whether the name is spelled as this format spells it. */
  protected isPlain(json: Json, name: number, ours: Name): boolean {
    return isPlainly(json, name, ours)
  }
}

/** The names of a format whose parsers take `maxTokens` as well as `max_tokens`; listed in the first spelling. */
export class TwoSpellings<Name extends string> extends FieldReader<Name> {
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

/** An error with the position of `value` and what it must be. */
export function invalid(json: Json, value: number, expected: string): WireError {
  const pointer = json.pointer(value)
  return new WireError('invalid_value', `${pointer}: must be ${expected}.`, pointer)
}

function isPlainly(json: Json, name: number, expected: string): boolean {
  return !json.isEscaped(name) && json.is(name, expected)
}

/** Looks for unknown members in an object, in a list of them, and below. */
export function noteSettings(
  json: Json,
  value: number,
  known: ReadonlySet<number>,
  levels = settingLevelsMax,
): void {
  const kind = json.kind(value)
  if (levels === 0 || (kind !== 'object' && kind !== 'array')) return
  const end = json.next(value)
  const isObject = kind === 'object'
  for (let at = value + 1; at < end; at = json.next(isObject ? at + 1 : at)) {
    if (!isObject) noteSettings(json, at, known, levels - 1)
    else {
      const hash = foldedHash(json, at)
      if (!known.has(hash)) json.noteUnknown(at)
      else if (!opaque.has(hash)) noteSettings(json, at + 1, known, levels - 1)
    }
  }
}

/** A power of two, twice as many as the names that are looked up in it. */
const slots = 2_048
const namesFoundMax = slots / 2
/** Different names of one body that have one hash. Chance makes none; each would be compared with each. */
const equalHashesMax = 8

/** The names of one object, found by their hashes; cleared by counting on. */
class SeenNames {
  private readonly rounds = new Uint32Array(slots)
  private readonly names = new Int32Array(slots)
  private readonly hashes = new Int32Array(slots)
  private round = 0
  private count = 0
  private json!: Json
  private object = 0

  begin(json: Json, object: number): void {
    if (this.round === 0xffffffff) {
      this.rounds.fill(0)
      this.round = 0
    }
    this.round += 1
    this.count = 0
    this.json = json
    this.object = object
  }

  /** Throws for a name that is there already, and for one too many. */
  add(name: number, hash: number): void {
    const { json } = this
    this.count += 1
    if (this.count > json.namesMax) throw tooManyNames(json, this.object)
    if (this.count > namesFoundMax) {
      // Only where the number of names has no bound.
      if (this.count === namesFoundMax + 1) rejectRepeated(json, this.object)
      return
    }
    let slot = hash & (slots - 1)
    for (; this.rounds[slot] === this.round; slot = (slot + 1) & (slots - 1)) {
      if (this.hashes[slot] !== hash) continue
      if (fold(json.text(this.names[slot]!)) === fold(json.text(name))) throw ambiguous(json, name)
      json.equalHashes += 1
      if (json.equalHashes > equalHashesMax) throw tooManyNames(json, this.object)
    }
    this.rounds[slot] = this.round
    this.names[slot] = name
    this.hashes[slot] = hash
  }
}

const seen = new SeenNames()

/** Compares all names of an object as a set of strings. */
function rejectRepeated(json: Json, object: number): void {
  const known = new Set<string>()
  const end = json.next(object)
  for (let name = object + 1; name < end; name = json.next(name + 1)) {
    const folded = fold(json.text(name))
    if (known.has(folded)) throw ambiguous(json, name)
    known.add(folded)
  }
}

function tooManyObjects({ objectsMax }: Json): WireError {
  const message = `The body has more than ${objectsMax} objects in its messages, their parts and tools.`
  return new WireError('invalid_json', message)
}

function tooManyNames(json: Json, object: number): WireError {
  const pointer = json.pointer(object)
  const where = pointer === '' ? 'The body' : pointer
  return new WireError(
    'invalid_value',
    `${where}: has too many field names, or too many similar ones.`,
    pointer,
  )
}

function ambiguous(json: Json, name: number): WireError {
  const pointer = json.pointer(name + 1)
  return new WireError(
    'ambiguous_field',
    `${pointer}: this field must be sent exactly once, in its documented spelling and without escapes.`,
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

/** `hashOf(fold(name))`, from the bytes in place for plain ASCII. */
function foldedHash(json: Json, name: number): number {
  const end = json.end(name) - 1
  const isEscaped = json.isEscaped(name)
  let hash = 0x811c9dc5
  for (let at = json.start(name) + 1; at < end; at += 1) {
    let byte = json.byte(at)
    if (isEscaped && byte === 0x5c) {
      // Only letters and digits matter; other escapes are rare enough to be decoded.
      byte = asciiEscape(json, at)
      at += 5
    }
    if (byte >= 0x80) return decodedHash(json, name)
    if (byte === 0x5f) continue
    const isCapital = byte >= 0x41 && byte <= 0x5a
    hash = Math.imul(hash ^ (isCapital ? byte + 0x20 : byte), 0x01000193)
  }
  return hash | 0
}

/** The character of `\u00XX` below 0x80; 0xff for any other escape. */
function asciiEscape(json: Json, at: number): number {
  const isLow = json.byte(at + 1) === 0x75 && json.byte(at + 2) === 0x30 && json.byte(at + 3) === 0x30
  const high = hexDigit(json.byte(at + 4))
  return isLow && high < 8 ? high * 16 + hexDigit(json.byte(at + 5)) : 0xff
}

function hexDigit(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57
}

function decodedHash(json: Json, name: number): number {
  json.decodedNames += 1
  if (json.decodedNames > json.namesMax) {
    throw new WireError('invalid_value', 'The body has too many field names that are not ASCII.')
  }
  return hashOf(fold(json.text(name)))
}
