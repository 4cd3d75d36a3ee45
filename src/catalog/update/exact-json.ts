/**
 * JSON whose numbers keep the digits of the text, because a price must not pass through a float. Strict (RFC 8259), bounded in
 * depth, and read in slices so that a large file does not hold up requests. Must not interpret what it reads.
 */

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
  /** `message`: what is wrong and at which line. */
  | { readonly kind: 'mistake'; readonly message: string }

export interface ReadOptions {
  readonly depthMax: number
  /** Resolves when other work had its turn. */
  readonly yieldTurn: () => Promise<void>
}

/** Characters read before other work gets a turn. */
const sliceCharacters = 64 * 1024

class Mistake extends Error {
  override readonly name = 'Mistake'
}

interface Container {
  readonly object: Map<string, ExactJson> | null
  readonly array: ExactJson[] | null
  /** The name of the value that comes next. */
  name: string
}

/** Reads one JSON value; a byte order mark before it is allowed. */
export async function readExactJson(text: string, options: ReadOptions): Promise<ExactResult> {
  const reader = new Reader(text, options.depthMax)
  try {
    let sliceEnd = sliceCharacters
    while (!reader.isDone) {
      reader.step()
      if (reader.at < sliceEnd) continue
      sliceEnd = reader.at + sliceCharacters
      await options.yieldTurn()
    }
    return { kind: 'value', value: reader.finish() }
  } catch (thrown) {
    if (thrown instanceof Mistake) return { kind: 'mistake', message: thrown.message }
    throw thrown
  }
}

const space = /[ \t\n\r]*/y
const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const wordToken = /true|false|null/y
const words: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null }

class Reader {
  at: number
  isDone = false
  private readonly text: string
  private readonly depthMax: number
  private readonly open: Container[] = []
  private result: ExactJson = null

  constructor(text: string, depthMax: number) {
    this.text = text
    this.depthMax = depthMax
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
    if (this.open.length === this.depthMax) throw new Mistake(`nested deeper than ${this.depthMax} levels`)
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

  /** Puts a whole value where it belongs, and reads up to the next one. */
  private complete(value: ExactJson): void {
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

  /** Behind the quote that ends the string; no pattern, since one with as many repetitions as a list has escapes overflows its stack. */
  private stringEnd(): number {
    let quote = this.at
    for (;;) {
      quote = this.text.indexOf('"', quote + 1)
      if (quote < 0) return this.at
      let escapes = 0
      while (this.text[quote - escapes - 1] === '\\') escapes += 1
      if (escapes % 2 === 0) return quote + 1
    }
  }

  private token(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const [token] = pattern.exec(this.text) ?? []
    if (token !== undefined) this.at += token.length
    return token
  }

  private skipSpace(): void {
    this.token(space)
  }

  private unexpected(): Mistake {
    if (this.at >= this.text.length) return new Mistake('ends too early')
    const line = this.text.slice(0, this.at).split('\n').length
    const found = this.text.slice(this.at, this.at + 12).replace(/\s.*$/su, '')
    return new Mistake(`unexpected ${JSON.stringify(found)} in line ${line}`)
  }
}
