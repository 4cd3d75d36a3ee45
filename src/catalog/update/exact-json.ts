/**
 * JSON whose numbers keep the digits of the text, because a price must not pass through a float. Strict (RFC 8259), bounded in
 * depth, values and the length of each, and read in steps so that a large file does not hold up requests. Must not interpret
 * what it reads.
 */
import type { Steps } from '../../base/steps.ts'

/** A number as written, such as `1.5e-07`. */
export class NumberText {
  readonly digits: string
  constructor(digits: string) {
    this.digits = digits
  }
}

/** Replaces the value of a name that an object has more than once. */
export class RepeatedName {}

export type ExactJson = string | boolean | null | NumberText | RepeatedName | ExactObject | ExactArray
export type ExactObject = ReadonlyMap<string, ExactJson>
export type ExactArray = readonly ExactJson[]

export type ExactResult =
  | { readonly kind: 'value'; readonly value: ExactJson }
  /** `message`: the error and its line. */
  | { readonly kind: 'mistake'; readonly message: string }

export interface ReadOptions {
  readonly depthMax: number
  /** Values of all kinds, not counting names. */
  readonly valuesMax: number
}

/** Characters of one step, which takes some 25 microseconds. */
const stepCharacters = 256
/** Characters of one string, number or gap, so that a step is bounded. */
const tokenCharactersMax = 64 * 1024
/** Lines of one step, where a mistake is looked up. */
const stepLines = 1_000

class Mistake extends Error {
  override readonly name = 'Mistake'
  /** Position of the unexpected text; null: the message has it. */
  readonly at: number | null
  constructor(message: string, at: number | null = null) {
    super(message)
    this.at = at
  }
}

interface Container {
  readonly object: Map<string, ExactJson> | null
  readonly array: ExactJson[] | null
  /** The name of the next value. */
  name: string
}

/** Reads one JSON value; a byte order mark before it is allowed. */
export function* exactJsonSteps(text: string, options: ReadOptions): Steps<ExactResult> {
  const reader = new Reader(text, options)
  try {
    let stepEnd = stepCharacters
    while (!reader.isDone) {
      reader.step()
      if (reader.at < stepEnd) continue
      stepEnd = reader.at + stepCharacters
      yield
    }
    return { kind: 'value', value: reader.finish() }
  } catch (thrown) {
    if (!(thrown instanceof Mistake)) throw thrown
    const place = thrown.at === null ? '' : ` in line ${yield* lineOf(text, thrown.at)}`
    return { kind: 'mistake', message: `${thrown.message}${place}` }
  }
}

/** The number of the line that has this character. */
function* lineOf(text: string, at: number): Steps<number> {
  let line = 1
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) {
    line += 1
    if (line % stepLines === 0) yield
  }
  return line
}

const space = new RegExp(`[ \\t\\n\\r]{0,${tokenCharactersMax}}`, 'y')
const numberToken = /-?(?:0|[1-9]\d{0,999})(?:\.\d{1,999})?(?:[eE][+-]?\d{1,99})?/y
const wordToken = /true|false|null/y
const words: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null }

class Reader {
  at: number
  isDone = false
  private readonly text: string
  private readonly limits: ReadOptions
  private readonly open: Container[] = []
  private values = 0
  private result: ExactJson = null

  constructor(text: string, limits: ReadOptions) {
    this.text = text
    this.limits = limits
    this.at = text.startsWith('\ufeff') ? 1 : 0
  }

  /** Reads one value, or the beginning or the end of a container. */
  step(): void {
    this.skipSpace()
    const character = this.text[this.at]
    if (character === '{' || character === '[') this.enter(character)
    else this.complete(this.scalar())
  }

  finish(): ExactJson {
    this.skipSpace()
    if (this.at < this.text.length) throw this.unexpected()
    return this.result
  }

  private enter(character: '{' | '['): void {
    const { depthMax } = this.limits
    if (this.open.length === depthMax) throw new Mistake(`nested deeper than ${depthMax} levels`)
    this.at += 1
    const isObject = character === '{'
    this.open.push({ object: isObject ? new Map() : null, array: isObject ? null : [], name: '' })
    this.skipSpace()
    if (this.text[this.at] === (isObject ? '}' : ']')) this.leave()
    else if (isObject) this.readName()
  }

  private leave(): void {
    this.at += 1
    const container = this.open.pop()
    if (container === undefined) throw this.unexpected()
    this.complete(container.object ?? container.array ?? [])
  }

  /** Stores a complete value, and reads up to the next one. */
  private complete(value: ExactJson): void {
    this.values += 1
    if (this.values > this.limits.valuesMax) {
      throw new Mistake(`more than ${this.limits.valuesMax} values`)
    }
    const container = this.open.at(-1)
    if (container === undefined) {
      this.result = value
      this.isDone = true
      return
    }
    const { object, array, name } = container
    if (object !== null) object.set(name, object.has(name) ? new RepeatedName() : value)
    array?.push(value)
    this.skipSpace()
    const character = this.text[this.at]
    if (character === ',') {
      this.at += 1
      if (object !== null) this.readName()
    } else if (character === (object === null ? ']' : '}')) this.leave()
    else throw this.unexpected()
  }

  private readName(): void {
    this.skipSpace()
    const name = this.string()
    this.skipSpace()
    if (this.text[this.at] !== ':') throw this.unexpected()
    this.at += 1
    const container = this.open.at(-1)
    if (container !== undefined) container.name = name
  }

  private scalar(): ExactJson {
    if (this.text[this.at] === '"') return this.string()
    const word = this.token(wordToken)
    if (word !== undefined) return words[word] ?? null
    const digits = this.token(numberToken)
    if (digits === undefined) throw this.unexpected()
    return new NumberText(digits)
  }

  private string(): string {
    const end = this.stringEnd()
    try {
      // Strict about escapes and control characters.
      const value: unknown = JSON.parse(this.text.slice(this.at, end))
      if (typeof value === 'string') {
        this.at = end
        return value
      }
    } catch {
      // Not a string: reported below.
    }
    throw this.unexpected()
  }

  /** Position after the closing quote; no regular expression, because many escapes would overflow its stack. */
  private stringEnd(): number {
    let quote = this.at
    for (;;) {
      quote = this.text.indexOf('"', quote + 1)
      if (quote < 0) return this.at
      if (quote - this.at > tokenCharactersMax) throw tooLong()
      let escapes = 0
      while (this.text[quote - escapes - 1] === '\\') escapes += 1
      if (escapes % 2 === 0) return quote + 1
    }
  }

  private token(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const [token] = pattern.exec(this.text) ?? []
    if (token !== undefined) this.at += token.length
    if ((token?.length ?? 0) >= tokenCharactersMax) throw tooLong()
    return token
  }

  private skipSpace(): void {
    this.token(space)
  }

  private unexpected(): Mistake {
    if (this.at >= this.text.length) return new Mistake('ends too early')
    const found = this.text.slice(this.at, this.at + 12).replace(/\s.*$/su, '')
    return new Mistake(`unexpected ${JSON.stringify(found)}`, this.at)
  }
}

const tooLong = (): Mistake => new Mistake(`a value has more than ${tokenCharactersMax} characters`)
