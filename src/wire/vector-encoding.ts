/**
 * Vectors in the encoding that the request asked for: hosts that know one encoding alone send it whatever was asked, and clients
 * read an array as base64, or base64 as an array, without an error. Vectors in the right encoding keep their bytes.
 */
import type { BytePatch } from './json/byte-patch.ts'
import { applyEdits, type Json } from './json/json.ts'
import { editsInJson } from './left-out-members.ts'

export type VectorEncoding = 'float' | 'base64'

/** Little-endian numbers of four bytes, in base64. */
const bytesPerNumber = 4

const written: Readonly<
  Record<
    VectorEncoding,
    {
      readonly begins: string
      readonly otherKind: 'array' | 'string'
      readonly rewrite: (vector: unknown) => string | null
    }
  >
> = {
  float: { begins: '[', otherKind: 'string', rewrite: asNumbers },
  base64: { begins: '"', otherKind: 'array', rewrite: asBase64 },
}

/** Hosts write all vectors of a response in one encoding, and the first one begins within so many bytes. */
const firstBytesMax = 4_096
const decoder = new TextDecoder('utf-8')

/** The response in pieces, with every vector in `encoding`; another member keeps its bytes. */
export function vectorsIn(body: Uint8Array, encoding: VectorEncoding): readonly Uint8Array[] {
  const { begins, otherKind, rewrite } = written[encoding]
  const head = decoder.decode(body.subarray(0, firstBytesMax))
  if (/"embedding"\s*:\s*(["[])/.exec(head)?.[1] === begins) return [body]
  const edits = editsInJson(body, (json) =>
    vectorsOf(json).flatMap((vector): readonly BytePatch[] => {
      if (json.kind(vector) !== otherKind) return []
      const { start, end } = json.span(vector)
      const text = rewrite(JSON.parse(decoder.decode(body.subarray(start, end))))
      return text === null ? [] : [{ start, end, text }]
    }),
  )
  return edits.length === 0 ? [body] : applyEdits(body, edits)
}

function vectorsOf(json: Json): readonly number[] {
  const list = json.find(['data'])
  if (list === -1 || json.kind(list) !== 'array') return []
  return json.children(list).flatMap((_, at) => {
    const vector = json.find(['data', at, 'embedding'])
    return vector === -1 ? [] : [vector]
  })
}

const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/

function asNumbers(vector: unknown): string | null {
  if (typeof vector !== 'string' || !isBase64.test(vector) || vector.length % 4 !== 0) return null
  const bytes = Uint8Array.from(atob(vector), (character) => character.charCodeAt(0))
  if (bytes.length % bytesPerNumber !== 0) return null
  const view = new DataView(bytes.buffer)
  const numbers = Array.from({ length: bytes.length / bytesPerNumber }, (_, at) =>
    view.getFloat32(at * bytesPerNumber, true),
  )
  return numbers.every(Number.isFinite) ? JSON.stringify(numbers) : null
}

function asBase64(vector: unknown): string | null {
  if (!Array.isArray(vector) || vector.length === 0) return null
  const numbers: readonly unknown[] = vector
  const view = new DataView(new ArrayBuffer(numbers.length * bytesPerNumber))
  for (const [at, number] of numbers.entries()) {
    if (typeof number !== 'number') return null
    view.setFloat32(at * bytesPerNumber, number, true)
  }
  const bytes = new Uint8Array(view.buffer)
  return JSON.stringify(btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')))
}
