/**
 * One of the store's threads seen from outside: started, greeted, spoken to in strict turns, and its
 * sudden end told to everybody who waits. Knows nothing of what is said.
 */
import { Worker } from 'node:worker_threads'
import { failureToError, storeUnavailable } from './errors.ts'
import type { Greeting, Reply } from './sqlite/messages.ts'
import type { ThreadSetup } from './sqlite/writer.ts'

export interface Thread {
  /** Sends one message; answers come in the order of the messages. Rejects with store_unavailable when the thread is gone. */
  ask(message: unknown): Promise<unknown>
  /** The same without a promise: `onReply` runs for each answer. For the hot path. */
  tell(message: unknown, onReply: (reply: unknown) => void, onLost: (error: Error) => void): void
  /** Ends the thread after everything asked before, and resolves when it has ended. */
  close(): Promise<void>
}

export type Started =
  | { readonly kind: 'started'; readonly thread: Thread }
  | Extract<Greeting, { kind: 'refused' }>

interface Waiting {
  readonly onReply: (reply: unknown) => void
  readonly onLost: (error: Error) => void
}

/** Starts a thread from its entry file and waits for its first word. `onLost` hears of an end that nobody asked for. */
export async function startThread(
  entry: URL,
  setup: ThreadSetup,
  onLost: (error: Error) => void,
): Promise<Started> {
  const worker = new Worker(entry, { workerData: setup })
  const waiting: Waiting[] = []
  let lost: Error | undefined
  let isGreeted = false
  let isClosing = false
  let greeted: (greeting: Greeting) => void
  const greeting = new Promise<Greeting>((resolve) => {
    greeted = resolve
  })

  function fail(reason: string): void {
    if (lost !== undefined) return
    const error = storeUnavailable(reason)
    lost = error
    if (!isGreeted) greeted({ kind: 'refused', reason: 'failed', message: reason })
    else if (!isClosing) onLost(error)
    for (const { onLost } of waiting.splice(0)) onLost(error)
  }

  worker.on('message', (message: unknown) => {
    if (isGreeted) {
      waiting.shift()?.onReply(message)
      return
    }
    const first = message as Greeting
    isGreeted = true
    // A thread that refuses ends by itself, perhaps before anybody has read why.
    isClosing = first.kind === 'refused'
    greeted(first)
  })
  worker.on('error', (error) => fail(`the store's thread failed: ${String(error)}`))
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', (code) => {
      fail(`the store's thread ended with ${code}`)
      resolve()
    })
  })

  function tell(message: unknown, onReply: Waiting['onReply'], onLost: Waiting['onLost']): void {
    if (lost !== undefined) {
      onLost(lost)
      return
    }
    try {
      worker.postMessage(message)
    } catch (error) {
      // Something in it cannot be copied to another thread: the sender's mistake, and nothing was sent.
      onLost(error as Error)
      return
    }
    waiting.push({ onReply, onLost })
  }
  const thread: Thread = {
    ask: (message) => new Promise((resolve, reject) => tell(message, resolve, reject)),
    tell,
    async close() {
      isClosing = true
      const [kind, value] = (await thread.ask(['close'])) as Reply
      await ended
      if (kind === 'failed') throw failureToError(value)
    },
  }
  const first = await greeting
  if (first.kind === 'refused') {
    await worker.terminate()
    return first
  }
  return { kind: 'started', thread }
}
