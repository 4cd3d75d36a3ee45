/**
 * Vectors in the encoding that the request asked for: hosts that know one encoding alone send it whatever was asked, and clients
 * read an array as base64, or base64 as an array, without an error. Vectors in the right encoding keep their bytes.
 */
import type { BytePatch } from '../json/byte-patch.ts'
import { applyEdits, type Json } from '../json/json.ts'
import { editsInJson } from '../left-out-members.ts'

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

/** The first vector stands within so many bytes: hosts write all of a response in one encoding. */
const firstBytesMax = 4_096

/** The response with every vector in `encoding`; what is no vector stays as it is. */
export function vectorsIn(body: Uint8Array, encoding: VectorEncoding): Uint8Array {
  const { begins, otherKind, rewrite } = written[encoding]
  const head = Buffer.from(body.subarray(0, firstBytesMax)).toString('latin1')
  if (/"embedding"\s*:\s*(["[])/.exec(head)?.[1] === begins) return body
  const edits = editsInJson(body, (json) =>
    vectorsOf(json).flatMap((vector): readonly BytePatch[] => {
      if (json.kind(vector) !== otherKind) return []
      const { start, end } = json.span(vector)
      const text = rewrite(JSON.parse(Buffer.from(body.subarray(start, end)).toString()))
      return text === null ? [] : [{ start, end, text }]
    }),
  )
  return edits.length === 0 ? body : Buffer.concat(applyEdits(body, edits))
}

function vectorsOf(json: Json): readonly number[] {
  const data = json.find(['data'])
  if (data === -1 || json.kind(data) !== 'array') return []
  return json.children(data).flatMap((_, at) => {
    const vector = json.find(['data', at, 'embedding'])
    return vector === -1 ? [] : [vector]
  })
}

function asNumbers(vector: unknown): string | null {
  if (typeof vector !== 'string') return null
  const bytes = Buffer.from(vector, 'base64')
  if (bytes.length === 0 || bytes.length % bytesPerNumber !== 0) return null
  const numbers = Array.from({ length: bytes.length / bytesPerNumber }, (_, at) =>
    bytes.readFloatLE(at * bytesPerNumber),
  )
  return numbers.every(Number.isFinite) ? JSON.stringify(numbers) : null
}

function asBase64(vector: unknown): string | null {
  if (!Array.isArray(vector) || vector.length === 0) return null
  const numbers: readonly unknown[] = vector
  const bytes = Buffer.alloc(numbers.length * bytesPerNumber)
  for (const [at, number] of numbers.entries()) {
    if (typeof number !== 'number') return null
    bytes.writeFloatLE(number, at * bytesPerNumber)
  }
  return JSON.stringify(bytes.toString('base64'))
}
