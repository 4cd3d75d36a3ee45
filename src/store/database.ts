/**
 * An embedded database as seen by one thread of this program: the writer thread, the reader thread, and the statements between. The
 * main thread starts both; other threads get ports to them. Knows no folder, lock or table; the caller makes sure that no other
 * process opens the database.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { Kysely } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { attachThread, type OpenThread, openThread, type ThreadOptions } from '../threads/thread.ts'
import { type ChannelLimits, type DeferralState, type LazyCall, openChannel } from './channel.ts'
import { databaseErrors, storeUnavailable } from './errors.ts'
import type { SharedChange } from './postgres/shared-changes.ts'
import { routedDialect, type SqlLanguage } from './sqlite/kysely-dialect.ts'
import type { Call, ReaderRequests, StatementResult, WriterRequests } from './sqlite/messages.ts'
import { statementOperation, type ThreadSetup, type WriterNotices } from './sqlite/writer.ts'

export interface StoreLimits extends ChannelLimits {
  /** Threads for long reads, in addition to the one for short reads. */
  readonly readThreadsMax: number
}

export interface DatabaseOptions extends Pick<ThreadSetup, 'postgres'> {
  /** The database's file, made, for its owner alone, when it is not there; of PostgreSQL its address. */
  readonly path: string
  /** Shown to the operator instead of the path, which may contain a password. */
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
  /** Left out: no other thread uses it. */
  readonly clients?: StoreClients | undefined
}

/** Other threads that use the database. */
export interface StoreClients {
  readonly count: number
  /** Called with what one of them has changed. */
  readonly onChange: (change: SharedChange) => void
}

/** Ports for a thread to use a database that another thread has opened. */
export interface StorePorts {
  readonly writer: MessagePort
  readonly reader: MessagePort
}

export interface AttachOptions
  extends Pick<DatabaseOptions, 'path' | 'language' | 'postgres' | 'clock' | 'limits' | 'failpoints'> {
  readonly threads: Pick<DatabaseOptions['threads'], 'reader'>
  readonly ports: StorePorts
  readonly onChange: StoreClients['onChange']
}

export interface OpenDatabase<Tables> {
  /** Runs one operation of the writer's table; resolves when its batch is committed. See Channel.run. */
  run(call: Call | LazyCall): Promise<unknown>
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
  /** False from a commit that the machine made fail until one works again; see `CommitHealth`. */
  canCommit(): boolean
  /** How many operations and transactions wait for their turn to write. */
  waiting(): number
  /** Ports for the other threads, one per thread; each may be moved to it once. */
  readonly ports: readonly StorePorts[]
  /** Finishes what was accepted, then closes the reader and the writer. */
  close(): Promise<void>
}

export interface Rejected {
  readonly kind: 'rejected'
  /** `locked`: another process owns the directory. `newer_schema`: written by a newer program. `away`: later it may work. */
  readonly reason: 'locked' | 'newer_schema' | 'failed' | 'away'
  /** A sentence for the operator. */
  readonly message: string
}

export type DatabaseResult<Tables> =
  | { readonly kind: 'open'; readonly database: OpenDatabase<Tables> }
  | Rejected

/** Starts the threads and brings the schema up to date. */
export async function openDatabase<Tables>(options: DatabaseOptions): Promise<DatabaseResult<Tables>> {
  const { path, threads, limits, onLost, clients } = options
  const { shownPath = path } = options
  const channels = Array.from({ length: clients?.count ?? 0 }, () => ({
    writer: new MessageChannel(),
    reader: new MessageChannel(),
  }))
  const setup = setupOf(options)
  const serving = (of: 'writer' | 'reader') => {
    const moved = channels.map((channel) => channel[of].port1)
    return { moved, setup: { ...setup, clients: moved } }
  }
  const shared = { onLost, errors: databaseErrors, lostError: storeUnavailable }
  const writer = await openThread<WriterRequests>({
    ...shared,
    ...serving('writer'),
    handlers: { ...noticesFor(clients?.onChange) },
    ...{ entry: threads.writer, name: 'store writer', waitingMax: limits.operationsQueuedMax },
  })
  if (writer.kind === 'rejected') {
    const isFailed = writer.reason === 'failed'
    return isFailed ? { ...writer, message: `${shownPath} cannot be used: ${writer.message}` } : writer
  }
  const reading = readingOn(options)
  const reader = await openThread<ReaderRequests>({ ...reading, onLost, ...serving('reader') })
  if (reader.kind === 'rejected') {
    await writer.thread.close()
    return reader
  }
  const ports = channels.map((channel) => ({ writer: channel.writer.port2, reader: channel.reader.port2 }))
  const parts = { reading, writer: writer.thread, reader: reader.thread, ports }
  return { kind: 'open', database: databaseOn<Tables>(options, parts) }
}

/** The database as a thread uses it that did not open it. Closing it leaves the threads to the one that did. */
export function attachDatabase<Tables>(options: AttachOptions): OpenDatabase<Tables> {
  const { ports, limits, onChange } = options
  const shared = { errors: databaseErrors, lostError: storeUnavailable }
  return databaseOn<Tables>(options, {
    reading: readingOn(options),
    writer: attachThread(ports.writer, {
      ...shared,
      handlers: { ...noticesFor(onChange) },
      waitingMax: limits.operationsQueuedMax,
    }),
    reader: attachThread(ports.reader, {
      ...shared,
      waitingMax: limits.operationsQueuedMax,
      full: tooManyReads,
    }),
    ports: [],
  })
}

type SetupOptions = Pick<DatabaseOptions, 'path' | 'failpoints' | 'clock' | 'postgres'>

function setupOf({ path, failpoints, clock, postgres }: SetupOptions): ThreadSetup {
  return { path, failpoints, nowMs: clock.wallMs(), postgres, clients: [] }
}

function noticesFor(onChange: StoreClients['onChange'] = () => {}): WriterNotices {
  return {
    changed(changes) {
      for (const change of changes) onChange(change)
    },
  }
}

/** How a thread that reads is started. */
function readingOn(
  options: SetupOptions & Pick<AttachOptions, 'threads' | 'limits'>,
): Omit<ThreadOptions, 'onLost'> {
  return {
    ...{ errors: databaseErrors, lostError: storeUnavailable, setup: setupOf(options) },
    ...{ entry: options.threads.reader, name: 'store reader' },
    ...{ waitingMax: options.limits.operationsQueuedMax, full: tooManyReads },
  }
}

const tooManyReads = (waiting: number): Error => storeUnavailable(`${waiting} reads are running`)

interface Threads {
  readonly reading: Omit<ThreadOptions, 'onLost'>
  readonly writer: OpenThread<WriterRequests>
  readonly reader: OpenThread<ReaderRequests>
  readonly ports: readonly StorePorts[]
}

function databaseOn<Tables>(
  { clock, limits, language, postgres }: Pick<DatabaseOptions, 'clock' | 'limits' | 'language' | 'postgres'>,
  { reading, writer, reader, ports }: Threads,
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
      if (apart.kind === 'rejected') throw storeUnavailable(apart.message)
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
    waiting: channel.waiting,
    ports,
    read,
    readApart,
    database,
    close() {
      closing ??= close()
      return closing
    },
  }
}
