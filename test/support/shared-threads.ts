/**
 * Lets the gateways and stores of this process share the threads of their databases, people and token counters: Node takes longer to
 * start a thread than most tests take. Each has its own port, connection and state there. One with a failpoint, which may
 * end its thread, has a thread for itself.
 */
import { EventEmitter } from 'node:events'
import { basename } from 'node:path'
import { after, before } from 'node:test'
import { MessageChannel, type MessagePort, Worker, type WorkerOptions } from 'node:worker_threads'
import { type StartedWorker, workers } from '../../src/threads/thread.ts'

/** Message to the shared worker that starts a thread. */
export interface SharedThreadSetup {
  /** The entry file in the sources, as text. */
  readonly entry: string
  readonly setup: unknown
  readonly port: MessagePort
  /** In the setup; they end with the thread. */
  readonly moved: readonly MessagePort[]
}

const startAlone = workers.start

/** Entries that do all their work for one port, and read who started them while they are evaluated. */
const shareable = new Set([
  'writer-thread',
  'reader-thread',
  'count-thread',
  'identity-thread',
  'postgres-writer-thread',
  'postgres-reader-thread',
])

interface SharedWorker {
  readonly worker: Worker
  readonly threads: Set<SharedThread>
}

/** The parts of a thread's setup that this file reads. */
interface KnownSetup {
  readonly failpoints?: string
  /** Path of the database. */
  readonly path?: string
  readonly postgres?: { readonly url?: string }
}

const sharedWorkers = new Map<string, SharedWorker>()

/** A thread of a shared worker, as the program sees it. */
class SharedThread extends EventEmitter {
  readonly #port: MessagePort
  readonly #end: (thread: SharedThread) => void
  /** Where it is one that waits for statements on PostgreSQL, with all others of its worker. */
  readonly database: string | undefined

  constructor(port: MessagePort, database: string | undefined, end: (thread: SharedThread) => void) {
    super()
    this.#port = port
    this.database = database
    this.#end = end
    port.on('message', (message) => this.emit('message', message))
  }

  postMessage(...values: Parameters<Worker['postMessage']>): void {
    this.#port.postMessage(...(values as Parameters<MessagePort['postMessage']>))
  }

  ref(): void {
    this.#port.ref()
  }

  unref(): void {
    this.#port.unref()
  }

  async terminate(): Promise<number> {
    this.#end(this)
    this.#port.close()
    this.emit('exit', 1)
    return 1
  }
}

function startShared(entry: URL, options: WorkerOptions): StartedWorker {
  const kind = basename(entry.pathname).replace(/\.[jt]s$/, '')
  const setup = options.workerData as KnownSetup | undefined
  if (!shareable.has(kind) || setup?.failpoints !== undefined) return startAlone(entry, options)
  const isBlocking = setup?.postgres !== undefined && setup.postgres !== null
  const database = isBlocking ? (setup.postgres.url ?? setup.path) : undefined
  const shared = sharedWorkerOf(`${kind} ${options.name}`, database)
  const { port1, port2 } = new MessageChannel()
  const thread = new SharedThread(port1, database, (ended) => shared.threads.delete(ended))
  shared.threads.add(thread)
  const source = new URL(`../../src/server/${kind}.ts`, import.meta.url).href
  const moved = (options.transferList ?? []) as readonly MessagePort[]
  const message: SharedThreadSetup = { entry: source, setup, port: port2, moved }
  shared.worker.postMessage(message, [port2, ...moved])
  return thread as unknown as StartedWorker
}

/**
 * `key`: the threads of one gateway that may work at the same time have different ones. A thread that waits for a lock in a
 * database is not in one worker with the one that has it.
 */
function sharedWorkerOf(key: string, database: string | undefined): SharedWorker {
  const known = sharedWorkers.get(key)
  if (known !== undefined) {
    const isThere = database !== undefined && [...known.threads].some((one) => one.database === database)
    return isThere ? sharedWorkerOf(`${key} again`, database) : known
  }
  const worker = new Worker(new URL('./shared-thread.ts', import.meta.url), { name: key })
  const threads = new Set<SharedThread>()
  worker.unref()
  worker.on('error', (error) => {
    for (const thread of threads) thread.emit('error', error)
  })
  worker.on('exit', (code) => {
    sharedWorkers.delete(key)
    for (const thread of threads) thread.emit('exit', code)
  })
  const shared = { worker, threads }
  sharedWorkers.set(key, shared)
  return shared
}

/** For test files in which a thread ends, works while another one of its kind does, or is observed. */
export function withSeparateThreads(): void {
  before(() => Object.assign(workers, { start: startAlone }))
  after(() => Object.assign(workers, { start: startShared }))
}

Object.assign(workers, { start: startShared })
