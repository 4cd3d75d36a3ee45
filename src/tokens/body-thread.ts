/** A thread that works on large bodies; it is handed their memory and hands it back. */
import { parentPort } from 'node:worker_threads'
import { assert } from '../base/assert.ts'
import { openPortCalls } from '../base/port-calls.ts'
import { WireError, type WireErrorCode } from '../wire/codec.ts'
import { buffersIn } from './body-memory.ts'
import { type BodyWork, bodyWork } from './body-work.ts'

/** What became of one piece of work. */
export type BodyOutcome =
  | { readonly kind: 'done'; readonly bytes: Uint8Array; readonly value: unknown }
  | {
      readonly kind: 'refused'
      readonly bytes: Uint8Array
      readonly code: WireErrorCode
      readonly message: string
      readonly pointer: string | undefined
    }

export interface BodyQuestions {
  work(bytes: Uint8Array, name: keyof BodyWork, asked: unknown): BodyOutcome
}

const port = parentPort
assert(port !== null, 'bodies are worked on in a worker thread')

const answers: BodyQuestions = {
  work(bytes, name, asked) {
    try {
      return { kind: 'done', bytes, value: bodyWork[name](bytes, asked as never) }
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      const { code, message, pointer } = error
      return { kind: 'refused', bytes, code, message, pointer }
    }
  },
}

openPortCalls(port, { ...answers }, 1, buffersIn)
