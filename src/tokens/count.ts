/**
 * Counts tokens exactly enough to refuse by: o200k in a thread of its own, started when it is first needed.
 * A count that cannot be had in time is undefined, never a guess.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Clock, Timer } from '../base/clock.ts'
import type { CountMessage, CountReply, CountSetup } from './count-thread.ts'

export interface CountLimits {
  readonly countRunBytesMax: number
  readonly countBytesMax: number
  readonly countQueueMax: number
  readonly countQueuedBytesMax: number
  readonly countMs: number
}

export interface Counter {
  /** o200k tokens of the text, never fewer than there are; undefined: too long, too many wait, or too late. */
  count(text: string): Promise<number | undefined>
  /** Ends the thread; what waits is undefined. */
  close(): Promise<void>
}

interface Waiting {
  readonly bytes: number
  readonly deadline: Timer
  readonly answer: (tokens: number | undefined) => void
}

export function openCounter({ clock, limits }: { clock: Clock; limits: CountLimits }): Counter {
  const waiting = new Map<number, Waiting>()
  let thread: Worker | undefined
  let waitingBytes = 0
  let lastId = 0
  let isClosed = false

  function settle(id: number, tokens: number | undefined): void {
    const found = waiting.get(id)
    if (found === undefined) return
    waiting.delete(id)
    waitingBytes -= found.bytes
    found.deadline.cancel()
    if (waiting.size === 0) thread?.unref()
    found.answer(tokens)
  }

  /** A thread that died takes its counts with it; the next count starts another one. */
  function lose(lost: Worker): void {
    if (thread !== lost) return
    thread = undefined
    for (const id of [...waiting.keys()]) settle(id, undefined)
  }

  function start(): Worker {
    const file = new URL(`./count-thread${extname(import.meta.url)}`, import.meta.url)
    const setup: CountSetup = { runBytesMax: limits.countRunBytesMax }
    const started = new Worker(file, { workerData: setup, name: 'token counter' })
    started.on('message', ([id, tokens]: CountReply) => settle(id, tokens))
    started.on('error', () => lose(started))
    started.on('exit', () => lose(started))
    return started
  }

  function tell(message: CountMessage): void {
    thread ??= start()
    thread.postMessage(message)
  }

  return {
    count(text) {
      const bytes = Buffer.byteLength(text)
      const isTooMuch = bytes > limits.countBytesMax || waitingBytes + bytes > limits.countQueuedBytesMax
      if (isClosed || isTooMuch || waiting.size >= limits.countQueueMax) return Promise.resolve(undefined)
      return new Promise((answer) => {
        lastId += 1
        const id = lastId
        const deadline = clock.after(limits.countMs, () => {
          settle(id, undefined)
          thread?.postMessage([id] satisfies CountMessage)
        })
        waiting.set(id, { bytes, deadline, answer })
        waitingBytes += bytes
        tell([id, text])
        thread?.ref()
      })
    },
    async close() {
      isClosed = true
      const last = thread
      if (last === undefined) return
      lose(last)
      await last.terminate()
    },
  }
}

/** Tokens of another maker's tokenizer: `tokens × factor`, rounded up. */
export function scaled(
  tokens: number,
  factor: { readonly numerator: number; readonly denominator: number },
): number {
  return Math.ceil((tokens * factor.numerator) / factor.denominator)
}
