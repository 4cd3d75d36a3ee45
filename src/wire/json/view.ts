/**
 * A value of a scanned body for a decoder: by name, by element, with an error that names its
 * position when it has the wrong type. Builds only what is requested. Must not outlive the scan.
 */
import { invalid } from './fields.ts'
import type { Json, JsonKind } from './json.ts'
import { RawJson } from './text.ts'

/** Names in a pointer are cut there, as the scanner's are. */
const pointerNameMax = 64

/** The container that a value was read from, and its name or index in it. */
interface JsonLocation {
  readonly container: View
  readonly step: string | number
}

export class View {
  private readonly json: Json
  private readonly value: number
  private readonly place: JsonLocation | null

  constructor(json: Json, value: number, place: JsonLocation | null = null) {
    this.json = json
    this.value = value
    this.place = place
  }

  get kind(): JsonKind {
    return this.json.kind(this.value)
  }

  /** The value's position, as the caller would write it. */
  get pointer(): string {
    // The scanner would count all siblings before it, which in a long list costs the square of its length.
    if (this.place === null) return this.json.pointer(this.value)
    const { container, step } = this.place
    const before = container.pointer
    if (typeof step === 'number') return `${before}[${step}]`
    return `${before}${before === '' ? '' : '.'}${step.slice(0, pointerNameMax)}`
  }

  /** The value's own bytes. */
  get raw(): RawJson {
    return new RawJson(this.written)
  }

  get written(): string {
    return this.json.written(this.json.span(this.value))
  }

  /** The position of its bytes, quotes included. */
  get span(): { readonly start: number; readonly end: number } {
    return this.json.span(this.value)
  }

  /** The member of that name; undefined where it is absent or null, and for anything but an object. Of two, the last. */
  get(name: string): View | undefined {
    if (this.json.kind(this.value) !== 'object') return undefined
    let found: View | undefined
    const end = this.json.next(this.value)
    for (let member = this.value + 1; member < end; member = this.json.next(member + 1)) {
      if (!this.json.is(member, name)) continue
      found = this.json.isNull(member + 1) ? undefined : this.inside(member + 1, name)
    }
    return found
  }

  /** Names and values in order, nulls included; throws for anything but an object. */
  members(): readonly (readonly [name: string, value: View])[] {
    if (this.kind !== 'object') throw this.invalid('an object')
    const members: (readonly [string, View])[] = []
    const end = this.json.next(this.value)
    for (let member = this.value + 1; member < end; member = this.json.next(member + 1)) {
      const name = this.json.text(member)
      members.push([name, this.inside(member + 1, name)])
    }
    return members
  }

  /** The elements; throws for anything but an array. */
  items(): readonly View[] {
    if (this.kind !== 'array') throw this.invalid('an array')
    return this.json.children(this.value).map((child, index) => this.inside(child, index))
  }

  get isNull(): boolean {
    return this.json.isNull(this.value)
  }

  get isText(): boolean {
    return this.kind === 'string'
  }

  get isList(): boolean {
    return this.kind === 'array'
  }

  /** The decoded string; throws for anything else. */
  text(): string {
    if (this.kind !== 'string') throw this.invalid('a string')
    return this.json.text(this.value)
  }

  /** The number as it is written; throws for anything else. */
  numeral(): string {
    if (this.kind !== 'number') throw this.invalid('a number')
    return this.written
  }

  /** A whole number from `min` to `max`. */
  integer(min: number, max: number): number {
    const number = this.kind === 'number' ? this.json.number(this.value) : Number.NaN
    if (Number.isInteger(number) && number >= min && number <= max) return number
    throw this.invalid(`a whole number from ${min} to ${max}`)
  }

  flag(): boolean {
    if (this.kind === 'true') return true
    if (this.kind === 'false') return false
    throw this.invalid('true or false')
  }

  /** The WireError with its position and what it must be. */
  invalid(expected: string): Error {
    return invalid(this.json, this.value, expected)
  }

  private inside(value: number, step: string | number): View {
    return new View(this.json, value, { container: this, step })
  }
}
