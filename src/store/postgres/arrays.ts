/**
 * Arrays as parameters of a statement. Integers and bytes are written in the server's binary form, which both sides read and
 * write faster than text; texts as text, in one piece.
 */
import { assert } from '../../base/assert.ts'
import type { Input } from '../sqlite/connection.ts'

export type ColumnType = 'bigint' | 'text' | 'bytea'

/** An array parameter: text, or bytes in the server's binary form. */
export type ArrayParameter = string | Buffer

/** Rejects what its type cannot hold: it would be another value. */
export function arrayOf(type: ColumnType, values: readonly (Input | null)[]): ArrayParameter {
  switch (type) {
    case 'bigint':
      return integersOf(values)
    case 'bytea':
      return bytesOf(values as readonly (Uint8Array | null)[])
    case 'text':
      return textsOf(values)
  }
}

const typeNumbers = { bytea: 17, bigint: 20 } as const
const wordBytes = 4
const integerBytes = 8
const wordSize = 2 ** 32
const absent = -1

/** The head of an array of one dimension, whose elements follow as their lengths and values. */
function arrayBytes(
  type: keyof typeof typeNumbers,
  values: readonly unknown[],
  elementBytes: number,
): Buffer {
  const count = values.length
  const headWords = count === 0 ? 3 : 5
  const bytes = Buffer.allocUnsafe((headWords + count) * wordBytes + elementBytes)
  bytes.writeInt32BE(count === 0 ? 0 : 1, 0)
  bytes.writeInt32BE(values.includes(null) ? 1 : 0, wordBytes)
  bytes.writeInt32BE(typeNumbers[type], 2 * wordBytes)
  if (count === 0) return bytes
  bytes.writeInt32BE(count, 3 * wordBytes)
  // The index of the first element.
  bytes.writeInt32BE(1, 4 * wordBytes)
  return bytes
}

const firstElement = 5 * wordBytes

function integersOf(values: readonly (Input | null)[]): Buffer {
  let present = 0
  for (const value of values) if (value !== null) present += 1
  const bytes = arrayBytes('bigint', values, present * integerBytes)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = firstElement
  for (const value of values) {
    view.setInt32(at, value === null ? absent : integerBytes)
    at += wordBytes
    if (value === null) continue
    if (typeof value === 'bigint') {
      assert(BigInt.asIntN(64, value) === value, 'an integer has 64 bits')
      view.setBigInt64(at, value)
    } else {
      assert(Number.isSafeInteger(value), 'a number is an integer')
      const number = value as number
      view.setInt32(at, Math.floor(number / wordSize))
      view.setUint32(at + wordBytes, number >>> 0)
    }
    at += integerBytes
  }
  return bytes
}

function bytesOf(values: readonly (Uint8Array | null)[]): Buffer {
  let total = 0
  for (const value of values) total += value?.byteLength ?? 0
  const bytes = arrayBytes('bytea', values, total)
  let at = firstElement
  for (const value of values) {
    bytes.writeInt32BE(value?.byteLength ?? absent, at)
    at += wordBytes
    if (value === null) continue
    bytes.set(value, at)
    at += value.byteLength
  }
  return bytes
}

const special = /["\\]/

function textsOf(values: readonly (Input | null)[]): string {
  let text = ''
  for (const value of values) {
    if (text !== '') text += ','
    if (value === null) text += 'NULL'
    else {
      const given = String(value)
      text += special.test(given) ? `"${given.replace(/["\\]/g, '\\$&')}"` : `"${given}"`
    }
  }
  return `{${text}}`
}
