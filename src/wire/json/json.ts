/**
 * Reads JSON straight from its bytes: facts are read from the positions on a scanner's tape without
 * building objects. Also cuts edits into a body. Must not change a byte that no edit names.
 */
import { WireError } from '../format.ts'
import type { BytePatch, Span } from './byte-patch.ts'
import {
  entryInts,
  escapeMark,
  type JsonLimits,
  JsonScanner,
  kindMask,
  nextShift,
  nullKind,
  standsAt,
  stringKind,
} from './scanner.ts'

export type { JsonLimits } from './scanner.ts'

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'true' | 'false' | 'null'

/** By the number on the tape. */
const kinds: readonly JsonKind[] = ['object', 'array', 'string', 'number', 'true', 'false', 'null']

const pointerNameMax = 64
/** More unknown names than this add nothing. */
const unknownNamesMax = 8
const unknownPathMax = 100
const none: readonly string[] = []
/** Objects that any body may have, and bytes that it has for each further one: the shortest message takes 28. */
const objectsFree = 1_000
const bytesPerObjectMin = 8
/** `\\u0061` for one character. */
const escapedBytesMax = 6
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

/** The shared tape of all scans; a nested scan gets its own. */
let idleTape: Int32Array | null = new Int32Array(4096 * entryInts)

/**
 * Scans `bytes` and hands the values to `read`; the `Json` must not outlive the call.
 * Throws WireError `invalid_json` for anything RFC 8259 does not allow, for more levels than
 * `depthMax`, and for more values than `valuesMax`.
 */
export function readJson<Result>(
  bytes: Uint8Array,
  limits: JsonLimits,
  read: (json: Json) => Result,
): Result {
  const scanner = new JsonScanner(bytes, limits, idleTape ?? new Int32Array(512 * entryInts))
  idleTape = null
  try {
    scanner.document()
    const json = new Json(bytes, scanner.tape, limits)
    if (limits.otherValuesMax !== undefined) rejectManyValues(json, limits.otherValuesMax)
    return read(json)
  } finally {
    idleTape = scanner.tape
  }
}

/** Levels of nesting take four bytes of memory each while a text is read. */
const answerLevelsMax = 2 ** 20
const answerValuesMax = 2 ** 25

/** For what an upstream sent, which was bounded in bytes before: every value takes one at least. */
export function answerLimits({ length }: Uint8Array): JsonLimits {
  return { depthMax: Math.min(length, answerLevelsMax), valuesMax: Math.min(length + 1, answerValuesMax) }
}

/** Members of a request that may be long: the conversation, what can be called in it, and a request in a request. */
const longMembers = [
  'messages',
  'input',
  'contents',
  'system',
  'instructions',
  'systemInstruction',
  'system_instruction',
  'tools',
  'functions',
  'generateContentRequest',
  'generate_content_request',
]

/** Settings have few values; a body with many is made to be expensive to read. */
function rejectManyValues(json: Json, otherValuesMax: number): void {
  const end = json.next(json.root)
  if (end <= otherValuesMax || json.kind(json.root) !== 'object') return
  let others = 0
  for (let name = json.root + 1; name < end; name = json.next(name + 1)) {
    others += 1
    if (!longMembers.some((long) => json.is(name, long))) others += json.next(name + 1) - name - 1
    if (others > otherValuesMax) {
      throw new WireError(
        'invalid_json',
        `The body has more than ${otherValuesMax} JSON names and values outside its messages and tools.`,
      )
    }
  }
}

/**
 * The values of one scanned body. A value is identified by its index on the tape (`root` is the whole).
 * The first element of a container is at its index plus one, each other at `next` of the previous
 * one, until `next` of the container; in an object names and values alternate.
 */
export class Json {
  readonly root = 0
  /** See `JsonLimits`; counted by the field readers, like the counts below. */
  readonly namesMax: number
  readonly objectsMax: number
  objectsRead = 0
  /** The number of names so far that had to be decoded for a comparison. */
  decodedNames = 0
  /** Different names so far that have one hash. */
  equalHashes = 0
  /** Names of members that the format's tables do not know; see `unknownMembers`. */
  private unknownNames: number[] | null = null
  private readonly bytes: Uint8Array
  private readonly tape: Int32Array

  constructor(bytes: Uint8Array, tape: Int32Array, limits: Partial<JsonLimits> = {}) {
    this.namesMax = limits.namesMax ?? Number.POSITIVE_INFINITY
    // Bounds the cost of a small body by its length.
    const fitting = objectsFree + Math.floor(bytes.length / bytesPerObjectMin)
    const { objectsMax } = limits
    this.objectsMax = objectsMax === undefined ? Number.POSITIVE_INFINITY : Math.min(objectsMax, fitting)
    this.bytes = bytes
    this.tape = tape
  }

  /** Notes the name of a member that the format does not know. */
  noteUnknown(name: number): void {
    this.unknownNames ??= []
    if (this.unknownNames.length < unknownNamesMax) this.unknownNames.push(name)
  }

  /** Where the members are whose names were noted, without positions: `tools[].name`. */
  get unknownMembers(): readonly string[] {
    if (this.unknownNames === null) return none
    const paths = this.unknownNames.map((name) => this.pointer(name + 1).replace(/\[\d+\]/g, '[]'))
    return [...new Set(paths.map((path) => path.slice(0, unknownPathMax)))]
  }

  kind(value: number): JsonKind {
    return kinds[this.tape[value * entryInts]! & kindMask]!
  }

  isNull(value: number): boolean {
    return (this.tape[value * entryInts]! & kindMask) === nullKind
  }

  /** The index after `value` and all that is in it: its next sibling, if there is one. */
  next(value: number): number {
    return this.tape[value * entryInts]! >> nextShift
  }

  /** The elements of an array, or the names and values of an object in turn. */
  children(container: number): readonly number[] {
    const children: number[] = []
    const end = this.next(container)
    for (let child = container + 1; child < end; child = this.next(child)) children.push(child)
    return children
  }

  /** The bytes of the value; of a string with its quotes. */
  start(value: number): number {
    return this.tape[value * entryInts + 1]!
  }

  end(value: number): number {
    return this.tape[value * entryInts + 2]!
  }

  byte(at: number): number {
    return this.bytes[at]!
  }

  span(value: number): Span {
    return { start: this.start(value), end: this.end(value) }
  }

  /** Whether the string was written with an escape. */
  isEscaped(string: number): boolean {
    return (this.tape[string * entryInts]! & escapeMark) !== 0
  }

  /** Whether `value` is a string that says `expected` (ASCII), however it is written. */
  is(value: number, expected: string): boolean {
    const head = this.tape[value * entryInts]!
    if ((head & kindMask) !== stringKind) return false
    const start = this.start(value) + 1
    if ((head & escapeMark) !== 0) return this.isEscapedAs(value, expected)
    return this.end(value) - 1 - start === expected.length && standsAt(this.bytes, start, expected)
  }

  /** Decodes only what has the length for it: a long string would be decoded for each name that it is compared with. */
  private isEscapedAs(value: number, expected: string): boolean {
    const bytes = this.end(value) - this.start(value) - 2
    return bytes <= escapedBytesMax * expected.length && this.text(value) === expected
  }

  isString(value: number): boolean {
    return value !== -1 && (this.tape[value * entryInts]! & kindMask) === stringKind
  }

  /** Whether `value` is there and a string that says `expected`. */
  equalsText(value: number, expected: string): boolean {
    return this.isString(value) && this.text(value) === expected
  }

  /** The decoded string; lone surrogates stay as they are. */
  text(string: number): string {
    const start = this.start(string)
    const end = this.end(string)
    if (!this.isEscaped(string)) return decoder.decode(this.bytes.subarray(start + 1, end - 1))
    return JSON.parse(decoder.decode(this.bytes.subarray(start, end))) as string
  }

  /** The number as a double: what does not fit is Infinity. */
  number(number: number): number {
    return Number(this.written(this.span(number)))
  }

  /** The undecoded JSON text. */
  written({ start, end }: Span): string {
    return decoder.decode(this.bytes.subarray(start, end))
  }

  /** The value at the end of `path` (names of members, indexes of elements), or -1. */
  find(path: readonly (string | number)[]): number {
    let value = this.root
    for (const step of path) {
      value = typeof step === 'string' ? this.memberOf(value, step) : this.elementOf(value, step)
      if (value === -1) return -1
    }
    return value
  }

  private memberOf(object: number, name: string): number {
    if (this.kind(object) !== 'object') return -1
    const end = this.next(object)
    for (let member = object + 1; member < end; member = this.next(member + 1)) {
      if (this.is(member, name)) return member + 1
    }
    return -1
  }

  private elementOf(array: number, index: number): number {
    if (this.kind(array) !== 'array') return -1
    const end = this.next(array)
    let element = array + 1
    for (let left = index; left > 0 && element < end; left -= 1) element = this.next(element)
    return element < end ? element : -1
  }

  /** The position of `value`, as a caller would write it: `messages[2].content`. Long names are truncated. */
  pointer(value: number): string {
    let path = ''
    for (let container = this.root; container !== value; ) {
      const isObject = this.kind(container) === 'object'
      let step = 0
      let child = container + (isObject ? 2 : 1)
      let name = container + 1
      for (; this.next(child) <= value; step += 1) {
        name = this.next(child)
        child = isObject ? name + 1 : name
      }
      if (isObject) path += `${path === '' ? '' : '.'}${this.text(name).slice(0, pointerNameMax)}`
      else path += `[${step}]`
      container = child
    }
    return path
  }
}

/**
 * The body with every edit made, as pieces in order; what no edit names is the same memory.
 * `edits` are in body order and do not overlap.
 */
export function applyEdits(body: Uint8Array, edits: readonly BytePatch[]): Uint8Array[] {
  const pieces: Uint8Array[] = []
  let at = 0
  for (const edit of edits) {
    if (edit.start < at || edit.end < edit.start || edit.end > body.length) {
      throw new RangeError('edits overlap or leave the body')
    }
    if (edit.start > at) pieces.push(body.subarray(at, edit.start))
    if (edit.text !== '') pieces.push(encoder.encode(edit.text))
    at = edit.end
  }
  if (at < body.length) pieces.push(body.subarray(at))
  return pieces
}
