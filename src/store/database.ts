/**
 * One embedded database seen from the main thread: the writer thread, the reader thread, and the
 * statements between. Knows no folder, no lock and no table; its caller has made sure that no other process opens it.
 */
import { Kysely } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { type OpenThread, openThread, type ThreadOptions } from '../threads/thread.ts'
import { type ChannelLimits, type DeferralState, type MakeCall, openChannel } from './channel.ts'
import { databaseErrors, storeUnavailable } from './errors.ts'
import { routedDialect, type SqlLanguage } from './sqlite/kysely-dialect.ts'
import type { Call, ReaderRequests, StatementResult, WriterRequests } from './sqlite/messages.ts'
import { statementOperation, type ThreadSetup } from './sqlite/writer.ts'

export interface StoreLimits extends ChannelLimits {
  /** Threads for long reads, in addition to the one for short reads. */
  readonly readThreadsMax: number
}

export interface DatabaseOptions extends Pick<ThreadSetup, 'postgres'> {
  /** The database's file, made, for its owner alone, when it is not there; of PostgreSQL its address. */
  readonly path: string
  /** What the operator is shown instead of the path, which may have a password. */
  readonly shownPath?: string
  /** Left out: that of the embedded database. */
  readonly language?: SqlLanguage
  /** The entry files of the two threads: they bring the operations and the migrations. */
  readonly threads: { readonly writer: URL; readonly reader: URL }
  readonly clock: Clock
  readonly limits: StoreLimits
  /** Called when a thread ends unexpectedly: nothing can be stored any more, the process should end. */
  readonly onLost: (error: Error) => void
  /** For tests: see base/failpoint.ts. */
  readonly failpoints?: string | undefined
}

export interface OpenDatabase<Tables> {
  /** Runs one operation of the writer's table; resolves when its batch is committed. See Channel.run. */
  run(call: Call | MakeCall): Promise<unknown>
  /** Null: `run` never resolves before the commit. */
  readonly deferral: DeferralState | null
  /** Runs one read of the reader's table on what is committed now. */
  read(call: Call): Promise<unknown>
  /** The same on a separate thread, for long reads. */
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
  const { path, threads, clock, limits, onLost, failpoints, postgres } = options
  const { shownPath = path } = options
  const setup: ThreadSetup = { path, failpoints, nowMs: clock.wallMs(), postgres }
  const shared = { setup, onLost, errors: databaseErrors, lostError: storeUnavailable }
  const writer = await openThread<WriterRequests>({
    ...shared,
    ...{ entry: threads.writer, name: 'store writer', waitingMax: limits.operationsQueuedMax },
  })
  if (writer.kind === 'refused') {
    const isFailed = writer.reason === 'failed'
    return isFailed ? { ...writer, message: `${shownPath} cannot be used: ${writer.message}` } : writer
  }
  const reading: ThreadOptions = {
    ...shared,
    ...{ entry: threads.reader, name: 'store reader', waitingMax: limits.operationsQueuedMax },
    full: (waiting) => storeUnavailable(`${waiting} reads are running`),
  }
  const reader = await openThread<ReaderRequests>(reading)
  if (reader.kind === 'refused') {
    await writer.thread.close()
    return reader
  }
  const parts = { reading, writer: writer.thread, reader: reader.thread }
  return { kind: 'open', database: databaseOn<Tables>(options, parts) }
}

interface Threads {
  /** How a thread that reads is started. */
  readonly reading: ThreadOptions
  readonly writer: OpenThread<WriterRequests>
  readonly reader: OpenThread<ReaderRequests>
}

function databaseOn<Tables>(
  { clock, limits, language, postgres }: DatabaseOptions,
  { reading, writer, reader }: Threads,
): OpenDatabase<Tables> {
  const channel = openChannel(writer, clock, limits)
  async function read(call: Call): Promise<unknown> {
    await channel.recorded()
    return reader.call('read', call)
  }
  let apartCount = 0
  async function readApart(call: Call): Promise<unknown> {
    if (apartCount >= limits.readThreadsMax) throw storeUnavailable(`${apartCount} reads are running`)
    apartCount += 1
    try {
      await channel.recorded()
      const apart = await openThread<ReaderRequests>({ ...reading, name: 'long read', onLost: () => {} })
      if (apart.kind === 'refused') throw storeUnavailable(apart.message)
      return await apart.thread.call('read', call).finally(apart.thread.close)
    } finally {
      apartCount -= 1
    }
  }
  const database = new Kysely<Tables>({
    dialect: routedDialect(
      {
        read: async (sql, values) => (await read([statementOperation, sql, values])) as StatementResult,
        write: async (sql, values) =>
          (await channel.run([statementOperation, sql, values])) as StatementResult,
        begin: channel.begin,
      },
      language,
    ),
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
    deferral: postgres === undefined ? channel.deferral : null,
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
