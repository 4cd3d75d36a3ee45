/** A worker thread for bodies that follows commands in the work itself, so that a test controls its behavior. */
import { isMainThread } from 'node:worker_threads'
import { type BodyOutcome, buffersIn } from '../../src/bodies/body-handlers.ts'
import { serveThread } from '../../src/threads/serve-thread.ts'

export type Behavior = 'answer' | 'hold' | 'loop' | 'exit' | 'crash' | 'throw' | 'reject'

export interface Command {
  readonly behavior: Behavior
  /** Shared: the number of jobs that have started, and 1 once those that block may continue. */
  readonly gate: Int32Array
}

export const begunAt = 0
export const openAt = 1

const handlers = {
  async work(bytes: Uint8Array, _name: string, { behavior, gate }: Command): Promise<BodyOutcome> {
    Atomics.add(gate, begunAt, 1)
    Atomics.notify(gate, begunAt)
    switch (behavior) {
      case 'hold':
        Atomics.wait(gate, openAt, 0)
        break
      case 'loop':
        for (;;);
      case 'exit':
        process.exit(1)
        break
      case 'crash':
        setImmediate(() => {
          throw new RangeError('as without memory')
        })
        return new Promise(() => {})
      case 'throw':
        throw new RangeError('a defect of the work')
      case 'reject':
        return {
          kind: 'rejected',
          bytes,
          code: 'invalid_json',
          message: 'Not JSON.',
          pointer: undefined,
          model: undefined,
        }
    }
    return { kind: 'done', bytes, value: bytes.length }
  },
}

if (!isMainThread) serveThread({ handlers, transfer: buffersIn })
