/**
 * One embedded database seen from the main thread: the thread that writes it, the one that reads it, and the
 * statements between. Knows no folder, no lock and no table; whoever opens it has made sure that nobody else does.
 */
import { Kysely } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { type ChannelLimits, type MakeCall, openChannel } from './channel.ts'
import { failureToError, storeUnavailable } from './errors.ts'
import { threadDialect } from './sqlite/kysely-dialect.ts'
import type { Call, Reply, StatementResult } from './sqlite/messages.ts'
import { statementOperation, type ThreadSetup } from './sqlite/writer.ts'
import { startThread, type Thread } from './thread.ts'

export interface StoreLimits extends ChannelLimits {
  /** Threads for long reads, beside the one for short ones. */
  readonly readThreadsMax: number
}

export interface DatabaseOptions {
  /** The database's file; made, for its owner alone, when it is not there. */
  readonly path: string
  /** The entry files of the two threads: they bring the operations and the migrations. */
  readonly threads: { readonly writer: URL; readonly reader: URL }
  readonly clock: Clock
  readonly limits: StoreLimits
  /** Called when a thread ends that nobody closed: nothing can be stored any more, the process should end. */
  readonly onLost: (error: Error) => void
  /** For tests: see base/failpoint.ts. */
  readonly failpoints?: string | undefined
}

export interface OpenDatabase<Tables> {
  /** Runs one operation of the writer's table; resolves when its batch is committed. See Channel.run. */
  run(call: Call | MakeCall): Promise<unknown>
  /** Runs one read of the reader's table on what is committed now. */
  read(call: Call): Promise<unknown>
  /** The same on a thread of its own, for reads that take long. */
  readApart(call: Call): Promise<unknown>
  /** The control plane's queries: SELECT outside a transaction reads, everything else writes. */
  readonly database: Kysely<Tables>
  /** How long the present commit has taken so far; 0 while there is none. */
  commitMs(): number
  /** False from a commit that the machine made fail until one works again; see commit-health.ts. */
  canCommit(): boolean
  /** Finishes what was accepted, then closes the reader and the writer. */
  close(): Promise<void>
}

export interface Refused {
  readonly kind: 'refused'
  /** `locked`: another process owns the directory. `newer_schema`: written by a newer program. */
  readonly reason: 'locked' | 'newer_schema' | 'failed'
  /** A sentence for the operator. */
  readonly message: string
}

export type DatabaseResult<Tables> =
  | { readonly kind: 'open'; readonly database: OpenDatabase<Tables> }
  | Refused

/** Starts the threads and brings the schema up to date. */
export async function openDatabase<Tables>(options: DatabaseOptions): Promise<DatabaseResult<Tables>> {
  const { path, threads, clock, onLost, failpoints } = options
  const setup: ThreadSetup = { path, failpoints, nowMs: clock.wallMs() }
  const writer = await startThread(threads.writer, setup, onLost)
  if (writer.kind === 'refused') {
    const isFailed = writer.reason === 'failed'
    return isFailed ? { ...writer, message: `${path} cannot be used: ${writer.message}` } : writer
  }
  const reader = await startThread(threads.reader, setup, onLost)
  if (reader.kind === 'refused') {
    await writer.thread.close()
    return reader
  }
  const parts = { setup, writer: writer.thread, reader: reader.thread }
  return { kind: 'open', database: databaseOn<Tables>(options, parts) }
}

interface Threads {
  readonly setup: ThreadSetup
  readonly writer: Thread
  readonly reader: Thread
}

function databaseOn<Tables>(
  { threads, clock, limits }: DatabaseOptions,
  { setup, writer, reader }: Threads,
): OpenDatabase<Tables> {
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
    if (failures.length > 0) throw failures[0]
  }
  return {
    run: channel.run,
    commitMs: channel.commitMs,
    canCommit: channel.canCommit,
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
