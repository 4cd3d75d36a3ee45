/**
 * A thread as its starter sees it: its port, its ready message, and its end, which fails every pending call.
 * Must not know what the thread does.
 */
import { setFlagsFromString } from 'node:v8'
import { type MessagePort, type ResourceLimits, Worker, type WorkerOptions } from 'node:worker_threads'
import { openPort, type Port, type PortOptions, type StartRejection } from './port.ts'

export interface ThreadOptions extends Omit<PortOptions, 'onGreeting' | 'cancellable'> {
  /** The module that the thread runs. */
  readonly entry: URL
  /** Name for profilers and the operating system. */
  readonly name: string
  /** Plain values; the thread's `workerData`. */
  readonly setup?: unknown
  /** Ports in the setup, which the thread has from then on. */
  readonly moved?: readonly MessagePort[]
  /** Limits of the thread's heap; left out: a small young generation. */
  readonly memory?: ResourceLimits
  /** The error of calls when a thread ended unexpectedly. */
  readonly lostError: (reason: string) => Error
  /** Called when the thread ended unexpectedly. `cause`: the error it threw. */
  readonly onLost: (error: Error, cause: Error | undefined) => void
}

/** Requests of a thread that closes in order. */
export interface ClosableRequests {
  /** Finishes, and needs nothing more. */
  close(): void | Promise<void>
}

export interface Thread<Requests> extends Omit<Port<Requests>, 'fail'> {
  /** Whether it keeps the process alive. */
  ref(): void
  unref(): void
  /** Ends it immediately; pending calls fail with the reason. Resolves when it has ended. */
  terminate(reason: Error): Promise<void>
}

/** A thread that can be closed in order. */
export interface OpenThread<Requests> extends Thread<Requests> {
  /** Lets the thread finish earlier calls, then ends it; rejects with the error of its `close`. */
  close(): Promise<void>
}

export type ThreadOpenResult<Requests> =
  | { readonly kind: 'open'; readonly thread: OpenThread<Requests> }
  | ({ readonly kind: 'rejected' } & StartRejection)

/** Starts a thread that needs no greeting before it works. */
export function startThread<Requests>(options: ThreadOptions): Thread<Requests> {
  return begin<Requests>(options, 'working').thread
}

/** Starts a thread and waits for its greeting: until then its end is a rejection. */
export async function openThread<Requests>(
  options: ThreadOptions,
): Promise<ThreadOpenResult<Requests & ClosableRequests>> {
  const { thread, greeted, expectEnd } = begin<Requests & ClosableRequests>(options, 'starting')
  const rejection = await greeted
  if (rejection !== null) {
    await thread.terminate(options.lostError(rejection.message))
    return { kind: 'rejected', ...rejection }
  }
  const last: Pick<Thread<ClosableRequests>, 'call'> = thread
  async function close(): Promise<void> {
    expectEnd()
    await last.call('close').finally(() => thread.terminate(options.lostError('it was closed')))
  }
  return { kind: 'open', thread: { ...thread, close } }
}

/**
 * A thread started by another one, over a separate port. Closing it closes only the port: its starter ends it.
 */
export function attachThread<Requests>(
  channel: MessagePort,
  options: Omit<PortOptions, 'onGreeting' | 'cancellable'> & Pick<ThreadOptions, 'lostError'>,
): OpenThread<Requests> {
  const { lostError, ...rest } = options
  const { fail, ...port } = openPort<Requests>(channel, rest)
  channel.once('close', () => fail(lostError('its other end was closed')))
  const end = (reason: Error): void => {
    fail(reason)
    channel.close()
  }
  return {
    ...port,
    ref: () => channel.ref(),
    unref: () => channel.unref(),
    terminate: async (reason) => end(reason),
    close: async () => end(lostError('it was closed')),
  }
}

// The option of the command line is for the main thread; while it is set, V8 ignores the limits of other threads.
setFlagsFromString('--max-semi-space-size=0')
/** Three halves of 4 MB; V8's own choice is 96 MB and more for each busy thread. */
const smallMemory: ResourceLimits = { maxYoungGenerationSizeMb: 12 }
/** The same as the main thread has, for threads that serve requests. */
export const servingMemory: ResourceLimits = { maxYoungGenerationSizeMb: 48 }

/** The worker methods used here. */
export type StartedWorker = Pick<Worker, 'postMessage' | 'on' | 'ref' | 'unref' | 'terminate'>

/** Starts the worker of each thread; replaced in tests. */
export const workers = {
  start: (entry: URL, options: WorkerOptions): StartedWorker => new Worker(entry, options),
}

interface StartedThread<Requests> {
  readonly thread: Thread<Requests>
  /** null: it can work. */
  readonly greeted: Promise<StartRejection | null>
  /** From now on an end is not reported as a loss. */
  expectEnd(): void
}

type ThreadState = 'starting' | 'working' | 'ending' | 'ended'

function begin<Requests>(options: ThreadOptions, first: ThreadState): StartedThread<Requests> {
  const { entry, name, setup, moved = [], memory = smallMemory, lostError, onLost, ...rest } = options
  const worker = workers.start(entry, {
    workerData: setup,
    name,
    transferList: [...moved],
    resourceLimits: memory,
  })
  const greeted = Promise.withResolvers<StartRejection | null>()
  let state = first
  const { fail, ...port } = openPort<Requests>(worker, {
    ...rest,
    onGreeting(rejection) {
      // A thread that fails to start ends on its own, possibly before its message is read.
      state = rejection === null ? 'working' : 'ending'
      greeted.resolve(rejection)
    },
  })
  function lost(reason: string, cause?: Error): void {
    const before = state
    state = 'ended'
    if (before === 'ended') return
    const error = lostError(reason)
    fail(error)
    greeted.resolve({ reason: 'failed', message: reason })
    if (before === 'working') onLost(error, cause)
  }
  const expectEnd = (): void => {
    if (state === 'working') state = 'ending'
  }
  worker.on('error', (error: Error) => lost(`the thread "${name}" failed: ${String(error)}`, error))
  worker.on('exit', (code) => lost(`the thread "${name}" ended with ${code}`))
  return {
    greeted: greeted.promise,
    expectEnd,
    thread: {
      ...port,
      ref: () => worker.ref(),
      unref: () => worker.unref(),
      async terminate(reason) {
        expectEnd()
        fail(reason)
        await worker.terminate()
      },
    },
  }
}
