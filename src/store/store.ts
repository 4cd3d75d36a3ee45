/**
 * The store: one data directory with its lock, its database, the thread that writes and the one that
 * reads. It knows threads, batches and statements, and nothing of what the tables mean.
 *
 * `const opened = await openStore({ dataDirectory, threads: ledgerThreads, clock, limits, … })`
 * `if (opened.kind === 'refused') …opened.message…; else opened.store`
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { type ChannelLimits, openChannel } from './channel.ts'
import { failureToError, storeUnavailable } from './errors.ts'
import { takeLock } from './lock.ts'
import { threadDialect } from './sqlite/kysely-dialect.ts'
import type { Call, Reply, StatementResult } from './sqlite/messages.ts'
import { statementOperation } from './sqlite/writer.ts'
import type { Tables } from './tables.ts'
import { startThread, type Thread } from './thread.ts'

export interface StoreOptions {
  /** Created (0700) when it is not there; holds `tollgate.db` and `lock.db`. */
  readonly dataDirectory: string
  /** The entry files of the two threads: they bring the operations (`ledgerThreads` of ledger/threads.ts). */
  readonly threads: { readonly writer: URL; readonly reader: URL }
  readonly clock: Clock
  readonly limits: ChannelLimits
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

export type OpenResult =
  | { readonly kind: 'open'; readonly store: Store }
  | {
      readonly kind: 'refused'
      /** `locked`: another process owns the directory. `newer_schema`: written by a newer program. */
      readonly reason: 'locked' | 'newer_schema' | 'failed'
      /** A sentence for the operator. */
      readonly message: string
    }

/** Opens the directory for this process alone and brings its schema up to date. */
export async function openStore(options: StoreOptions): Promise<OpenResult> {
  const { dataDirectory, threads, clock, limits, onLost } = options
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  const lock = takeLock(join(dataDirectory, 'lock.db'))
  if (lock === undefined) {
    return {
      kind: 'refused',
      reason: 'locked',
      message: `Another process of this program is using ${dataDirectory}. Stop it first, or choose another data folder (TOLLGATE_DATA).`,
    }
  }
  const setup = {
    path: join(dataDirectory, 'tollgate.db'),
    failpoints: options.failpoints,
    nowMs: clock.wallMs(),
  }
  const writer = await startThread(threads.writer, setup, onLost)
  if (writer.kind === 'refused') {
    lock.release()
    return writer
  }
  const reader = await startThread(threads.reader, setup, onLost)
  if (reader.kind === 'refused') {
    await writer.thread.close()
    lock.release()
    return reader
  }

  const channel = openChannel(writer.thread, clock, limits)
  const read = bounded(reader.thread, limits.operationsQueuedMax)
  const readApart = async (call: Call): Promise<unknown> => {
    const apart = await startThread(threads.reader, setup, () => {})
    if (apart.kind === 'refused') throw storeUnavailable(apart.message)
    try {
      return await readOn(apart.thread, call)
    } finally {
      await apart.thread.close()
    }
  }
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
    // The reader first: the last connection to close removes the log, and only a writer can.
    await reader.thread.close()
    await writer.thread.close()
    lock.release()
  }
  return {
    kind: 'open',
    store: {
      run: channel.run,
      read,
      readApart,
      database,
      close() {
        closing ??= close()
        return closing
      },
    },
  }
}

/** Reads wait in the thread's own queue; no more than `waitingMax` of them. */
function bounded(thread: Thread, waitingMax: number): (call: Call) => Promise<unknown> {
  let waiting = 0
  return async (call) => {
    if (waiting >= waitingMax) throw storeUnavailable(`${waiting} reads wait`)
    waiting += 1
    try {
      return await readOn(thread, call)
    } finally {
      waiting -= 1
    }
  }
}

async function readOn(thread: Thread, call: Call): Promise<unknown> {
  const [kind, value] = (await thread.ask(['call', call])) as Reply
  if (kind === 'failed') throw failureToError(value)
  return value
}
