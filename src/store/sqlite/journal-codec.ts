/**
 * Rows of one commit as bytes, and back: each table's name, its columns and the values of its rows. The names make a record
 * readable by a version with other columns. Knows no table.
 */
import { assert } from '../../base/assert.ts'
import type { Input } from './connection.ts'

/** Changed rows of one table. */
export interface TableRows {
  readonly table: string
  readonly columns: readonly string[]
  /** The values of each row, in the order of the columns. */
  readonly rows: readonly (readonly Input[])[]
}

const tags = { none: 0, small: 1, large: 2, exact: 3, text: 4, bytes: 5, words: 6 } as const
const smallSpan = 2 ** 31
const firstBytes = 65_536
/** Maximum size of a value that is not text or bytes, with its tag. */
const valueBytesMax = 9
/** Byte arrays of at least this length are compressed as 32-bit words, most of which are small: half the size. */
const wordsBytesMin = 64
const wordBytes = 4
/** Words per size byte, which has two bits for the length of each: 0, 1, 2 or 4 bytes. */
const groupWords = 4

/** Makes records, one after another, in the same memory. */
export class RecordWriter {
  #bytes = Buffer.alloc(firstBytes)
  /** The same bytes: Buffer's own functions for numbers take several times as long. */
  #numbers = viewOf(this.#bytes)
  #end = 0

  /** The record is valid until the next one is made. */
  write(tables: readonly TableRows[]): Uint8Array {
    this.#end = 0
    for (const { table, columns, rows } of tables) {
      this.#value(table)
      this.#value(columns.join())
      this.#value(rows.length)
      for (const row of rows) for (const value of row) this.#value(value)
    }
    return this.#bytes.subarray(0, this.#end)
  }

  #value(value: Input): void {
    if (typeof value === 'number') this.#number(value)
    else if (typeof value === 'bigint') {
      const at = this.#tagged(tags.exact, valueBytesMax)
      this.#numbers.setBigInt64(at, value, true)
      this.#end = at + 8
    } else if (typeof value === 'string') {
      // A unit of a string has three bytes at most.
      const at = this.#tagged(tags.text, valueBytesMax + value.length * 3)
      this.#sized(at, this.#bytes.write(value, at + 4))
    } else if (value === null) this.#end = this.#tagged(tags.none, valueBytesMax)
    else this.#view(value as Uint8Array)
  }

  #number(value: number): void {
    const isSmall = value >= -smallSpan && value < smallSpan
    const at = this.#tagged(isSmall ? tags.small : tags.large, valueBytesMax)
    if (isSmall) this.#numbers.setInt32(at, value, true)
    else this.#numbers.setFloat64(at, value, true)
    this.#end = at + (isSmall ? 4 : 8)
  }

  #view(value: Uint8Array): void {
    const { buffer, byteOffset, byteLength } = value
    if (byteLength >= wordsBytesMin && byteLength % wordBytes === 0 && byteOffset % wordBytes === 0)
      return this.#words(new Uint32Array(buffer, byteOffset, byteLength / wordBytes))
    const at = this.#tagged(tags.bytes, valueBytesMax + value.byteLength)
    this.#bytes.set(value, at + 4)
    this.#sized(at, value.byteLength)
  }

  /** The sizes of all words, then their bytes. */
  #words(words: Uint32Array): void {
    let at = this.#tagged(tags.words, valueBytesMax + words.length * (wordBytes + 1))
    this.#numbers.setUint32(at, words.length, true)
    let sizesAt = at + 4
    at = sizesAt + Math.ceil(words.length / groupWords)
    let sizes = 0
    for (let index = 0; index < words.length; index += 1) {
      const word = words[index]!
      // All of its bytes, because that is faster: the next word takes the place of those above its size.
      this.#numbers.setUint32(at, word, true)
      const size = sizeOf(word)
      at += size === fourBytes ? wordBytes : size
      sizes |= size << (2 * (index % groupWords))
      if (index % groupWords < groupWords - 1) continue
      this.#bytes[sizesAt] = sizes
      sizesAt += 1
      sizes = 0
    }
    if (words.length % groupWords > 0) this.#bytes[sizesAt] = sizes
    this.#end = at
  }

  #sized(at: number, size: number): void {
    this.#numbers.setUint32(at, size, true)
    this.#end = at + 4 + size
  }

  /** Reserves space for a value and writes its tag; returns where the value begins. */
  #tagged(tag: number, bytes: number): number {
    if (this.#end + bytes > this.#bytes.length) {
      const grown = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#end + bytes))
      grown.set(this.#bytes.subarray(0, this.#end))
      this.#bytes = grown
      this.#numbers = viewOf(grown)
    }
    this.#bytes[this.#end] = tag
    return this.#end + 1
  }
}

/** The two-bit code for a word of four bytes; smaller codes are the number of bytes. */
const fourBytes = 3

function sizeOf(word: number): number {
  if (word < 2 ** 8) return word === 0 ? 0 : 1
  return word < 2 ** 16 ? 2 : fourBytes
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength)

/** Integers become bigints, as the database returns them. */
export function readRecord(record: Uint8Array): readonly TableRows[] {
  const values = new RecordReader(record)
  const tables: TableRows[] = []
  while (!values.isDone) {
    const table = values.next() as string
    const columns = (values.next() as string).split(',')
    const count = Number(values.next())
    const rows = Array.from({ length: count }, () => columns.map(() => values.next()))
    tables.push({ table, columns, rows })
  }
  return tables
}

class RecordReader {
  readonly #bytes: Buffer
  #at = 0

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength)
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length
  }

  next(): Input {
    const tag = this.#bytes[this.#at]
    this.#at += 1
    switch (tag) {
      case tags.none:
        return null
      case tags.small:
        return BigInt(this.#bytes.readInt32LE(this.#skip(4)))
      case tags.large:
        return BigInt(this.#bytes.readDoubleLE(this.#skip(8)))
      case tags.exact:
        return this.#bytes.readBigInt64LE(this.#skip(8))
      case tags.words:
        return this.#words()
    }
    assert(tag === tags.text || tag === tags.bytes, 'a record has values of these kinds')
    const size = this.#bytes.readUInt32LE(this.#skip(4))
    const at = this.#skip(size)
    // A copy: words of four bytes are read from it, which have to be aligned.
    return tag === tags.text
      ? this.#bytes.toString('utf8', at, at + size)
      : new Uint8Array(this.#bytes.subarray(at, at + size))
  }

  #words(): Uint8Array {
    const words = new Uint32Array(this.#bytes.readUInt32LE(this.#skip(4)))
    const sizesAt = this.#skip(Math.ceil(words.length / groupWords))
    for (let index = 0; index < words.length; index += 1) {
      const sizes = this.#bytes[sizesAt + Math.floor(index / groupWords)]!
      const size = (sizes >> (2 * (index % groupWords))) & 3
      const bytes = size === fourBytes ? wordBytes : size
      if (bytes > 0) words[index] = this.#bytes.readUIntLE(this.#skip(bytes), bytes)
    }
    return new Uint8Array(words.buffer)
  }

  #skip(bytes: number): number {
    const at = this.#at
    this.#at += bytes
    return at
  }
}
