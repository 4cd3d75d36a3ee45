/**
 * The store: one data directory with its lock, its database, the thread that writes and the one that
 * reads. It knows threads, batches and statements, and nothing of what the tables mean.
 *
 * `const opened = await openStore({ dataDirectory, threads: ledgerThreads, clock, limits, … })`
 * `if (opened.kind === 'refused') …opened.message…; else opened.store`
 */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { type ChannelLimits, openChannel } from './channel.ts'
import { failureToError, storeUnavailable } from './errors.ts'
import { type Lock, takeLock } from './lock.ts'
import { threadDialect } from './sqlite/kysely-dialect.ts'
import type { Call, Reply, StatementResult } from './sqlite/messages.ts'
import { statementOperation, type ThreadSetup } from './sqlite/writer.ts'
import type { Tables } from './tables.ts'
import { startThread, type Thread } from './thread.ts'

export interface StoreLimits extends ChannelLimits {
  /** Threads for long reads, beside the one for short ones. */
  readonly readThreadsMax: number
}

export interface StoreOptions {
  /** Created (0700) when it is not there; holds `tollgate.db` and `lock.db`. */
  readonly dataDirectory: string
  /** The entry files of the two threads: they bring the operations (`ledgerThreads` of ledger/threads.ts). */
  readonly threads: { readonly writer: URL; readonly reader: URL }
  readonly clock: Clock
  readonly limits: StoreLimits
  /** Called when a thread ends that nobody closed: nothing can be stored any more, the process should end. */
  readonly onLost: (error: Error) => void
  /** For tests: see base/failpoint.ts. */
  readonly failpoints?: string | undefined
}

export interface Store {
  /** Runs one operation of the writer's table; resolves when its batch is committed. */
  run(call: Call): Promise<unknown>
  /** Runs one read of the reader's table on what is committed now. */
  read(call: Call): Promise<unknown>
  /** The same on a thread of its own, for reads that take long. */
  readApart(call: Call): Promise<unknown>
  /** The control plane's queries: SELECT outside a transaction reads, everything else writes. */
  readonly database: Kysely<Tables>
  /** Finishes what was accepted, then closes the reader, the writer and the lock. */
  close(): Promise<void>
}

export interface Refused {
  readonly kind: 'refused'
  /** `locked`: another process owns the directory. `newer_schema`: written by a newer program. */
  readonly reason: 'locked' | 'newer_schema' | 'failed'
  /** A sentence for the operator. */
  readonly message: string
}

export type OpenResult = { readonly kind: 'open'; readonly store: Store } | Refused

/** Opens the directory for this process alone and brings its schema up to date. */
export async function openStore(options: StoreOptions): Promise<OpenResult> {
  const { dataDirectory, threads, clock, onLost } = options
  const claimed = claim(dataDirectory)
  if (claimed.kind === 'refused') return claimed
  const setup: ThreadSetup = {
    path: databasePath(dataDirectory),
    failpoints: options.failpoints,
    nowMs: clock.wallMs(),
  }
  const writer = await startThread(threads.writer, setup, onLost)
  if (writer.kind === 'refused') {
    claimed.lock.release()
    const isFailed = writer.reason === 'failed'
    return isFailed ? { ...writer, message: `${setup.path} cannot be used: ${writer.message}` } : writer
  }
  const reader = await startThread(threads.reader, setup, onLost)
  if (reader.kind === 'refused') {
    await writer.thread.close()
    claimed.lock.release()
    return reader
  }
  const parts = { setup, lock: claimed.lock, writer: writer.thread, reader: reader.thread }
  return { kind: 'open', store: storeOn(options, parts) }
}

function databasePath(dataDirectory: string): string {
  return join(dataDirectory, 'tollgate.db')
}

/** What the database takes on the disk, with what is not yet written back into it. */
export function databaseBytes(dataDirectory: string): number {
  return ['', '-wal'].reduce((sum, end) => {
    return sum + (statSync(databasePath(dataDirectory) + end, { throwIfNoEntry: false })?.size ?? 0)
  }, 0)
}

function claim(dataDirectory: string): Refused | { readonly kind: 'claimed'; readonly lock: Lock } {
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
    const lock = takeLock(join(dataDirectory, 'lock.db'))
    if (lock !== undefined) return { kind: 'claimed', lock }
  } catch (error) {
    return { kind: 'refused', reason: 'failed', message: `${dataDirectory} cannot be used: ${String(error)}` }
  }
  return {
    kind: 'refused',
    reason: 'locked',
    message: `Another process of this program is using ${dataDirectory}. Stop it first, or choose another data directory.`,
  }
}

interface StoreParts {
  readonly setup: ThreadSetup
  readonly lock: Lock
  readonly writer: Thread
  readonly reader: Thread
}

function storeOn({ threads, clock, limits }: StoreOptions, parts: StoreParts): Store {
  const { setup, lock, writer, reader } = parts
  const channel = openChannel(writer, clock, limits)
  const read = bounded((call) => readOn(reader, call), limits.operationsQueuedMax)
  const readApart = bounded(async (call) => {
    const apart = await startThread(threads.reader, setup, () => {})
    if (apart.kind === 'refused') throw storeUnavailable(apart.message)
    try {
      return await readOn(apart.thread, call)
    } finally {
      await apart.thread.close()
    }
  }, limits.readThreadsMax)
  const database = new Kysely<Tables>({
    dialect: threadDialect({
      read: async (sql, values) => (await read([statementOperation, sql, values])) as StatementResult,
      write: async (sql, values) => (await channel.run([statementOperation, sql, values])) as StatementResult,
      begin: channel.begin,
    }),
  })
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    await channel.drain()
    const failures: unknown[] = []
    // The reader first: the last connection to close removes the log, and only a writer can.
    for (const thread of [reader, writer]) await thread.close().catch((error) => failures.push(error))
    lock.release()
    if (failures.length > 0) throw failures[0]
  }
  return {
    run: channel.run,
    read,
    readApart,
    database,
    close() {
      closing ??= close()
      return closing
    },
  }
}

type ReadCall = (call: Call) => Promise<unknown>

/** No more than `atOnceMax` at once; one more is refused. */
function bounded(run: ReadCall, atOnceMax: number): ReadCall {
  let running = 0
  return async (call) => {
    if (running >= atOnceMax) throw storeUnavailable(`${running} reads are running`)
    running += 1
    try {
      return await run(call)
    } finally {
      running -= 1
    }
  }
}

async function readOn(thread: Thread, call: Call): Promise<unknown> {
  const [kind, value] = (await thread.ask(['call', call])) as Reply
  if (kind === 'failed') throw failureToError(value)
  return value
}
