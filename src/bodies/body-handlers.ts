/** The calls of a thread that works on large bodies: their memory is transferred to it and back. */
import { collectGarbage } from '../base/idle-memory.ts'
import { WireError, type WireErrorCode } from '../wire/format.ts'
import { type BodyWork, bodyWork, memoryNeeded } from './body-work.ts'

/** The result of one piece of work. */
export type BodyOutcome =
  | { readonly kind: 'done'; readonly bytes: Uint8Array; readonly value: unknown }
  | {
      readonly kind: 'rejected'
      readonly bytes: Uint8Array
      readonly code: WireErrorCode
      readonly message: string
      readonly pointer: string | undefined
      readonly model: string | undefined
    }

export interface BodyRequests {
  work(bytes: Uint8Array, name: keyof BodyWork, input: unknown): BodyOutcome
}

/** Work that may leave more garbage than this is followed by a collection, so that garbage does not add to the next work's memory. */
const garbageBytesMax = 64 * 1024 * 1024

export const bodyHandlers: BodyRequests = {
  work(bytes, name, input) {
    try {
      return { kind: 'done', bytes, value: bodyWork[name](bytes, input as never) }
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      const { code, message, pointer, model } = error
      return { kind: 'rejected', bytes, code, message, pointer, model }
    } finally {
      if (memoryNeeded(name, bytes.length) > garbageBytesMax) collectGarbage('regular')
    }
  },
}

/** The memory of all bytes in a message, each once; nested as deep as the work on bodies nests them. */
export function buffersIn(value: unknown, depth = 5): readonly ArrayBuffer[] {
  if (value instanceof Uint8Array) return value.length === 0 ? [] : [value.buffer as ArrayBuffer]
  if (depth === 0 || typeof value !== 'object' || value === null) return []
  const found = new Set<ArrayBuffer>()
  const inner = Array.isArray(value) ? value.slice(0, innerMax) : Object.values(value)
  for (const one of inner) for (const buffer of buffersIn(one, depth - 1)) found.add(buffer)
  return [...found]
}

/** Lists in results may be long, and none of them holds bytes. */
const innerMax = 8
