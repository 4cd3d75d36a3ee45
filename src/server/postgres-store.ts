/**
 * The store on PostgreSQL: operations of requests go through the ledger's lanes, everything else through the same two threads
 * as on the embedded database. Any number of processes may open one database; each has a data folder of its own.
 */
import type { Clock } from '../base/clock.ts'
import { failpoints } from '../base/failpoint.ts'
import type { RandomBytes } from '../base/ids.ts'
import type { Config } from '../config/config.ts'
import { postgresIdentityMigrations } from '../identity/store/migrations/index.ts'
import { postgresMigrations } from '../ledger/postgres/migrations.ts'
import { openPostgresStore, type PostgresStore, postgresLimits } from '../ledger/postgres/store.ts'
import { isLazy } from '../store/channel.ts'
import { attachDatabase, type OpenDatabase, openDatabase, type Rejected } from '../store/database.ts'
import { isAway } from '../store/postgres/errors.ts'
import { migratePostgres, type PostgresMigrationOptions, type SchemaPart } from '../store/postgres/migrate.ts'
import { receiveChanges } from '../store/postgres/shared-changes.ts'
import { takeSharedLock } from '../store/postgres/shared-lock.ts'
import { postgresLanguage } from '../store/sqlite/kysely-dialect.ts'
import { probeOperation } from '../store/sqlite/messages.ts'
import {
  claimDataFolder,
  type OpenResult,
  type Store,
  type StorePorts,
  sharedChanges,
} from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import { deriveSums } from '../usage/postgres-sums.ts'
import { postgresThreads } from './thread-entries.ts'

export interface ServerStoreOptions {
  readonly clock: Clock
  readonly random: RandomBytes
  readonly onLost: (error: Error) => void
  /** Other threads that will use it; left out: none. */
  readonly clients?: number
  readonly onTrouble: (error: unknown) => void
}

type PostgresConfig = Pick<Config, 'databaseDirectUrl' | 'limits' | 'failpoint'>

/** Migrates the database, takes the data folder, and starts the threads. */
export async function openServerPostgres(
  url: string,
  { dataFolder, ...config }: PostgresConfig & Pick<Config, 'dataFolder'>,
  options: ServerStoreOptions,
): Promise<OpenResult> {
  const claimed = claimDataFolder(dataFolder)
  if (claimed.kind === 'rejected') return claimed
  const release = claimed.lock.release
  const opened = await openOnServer(url, config, options).catch(cannotBeUsed)
  if (opened.kind === 'rejected') {
    release()
    return opened
  }
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= opened.store.close().finally(release)
    return closing
  }
  return { kind: 'open', store: { ...opened.store, close } }
}

/** The store in a further thread of the process, with separate ledger lanes and lease. */
export async function attachServerPostgres(
  url: string,
  config: PostgresConfig,
  options: Omit<ServerStoreOptions, 'onLost'> & { readonly ports: StorePorts },
): Promise<Store> {
  const { clock, random, ports } = options
  const on = databaseOptions(url, config, { clock, processName: processNameFrom(random) })
  return onServer(attachDatabase<Tables>({ ...on, ports, onChange: () => {} }), on, options)
}

/** Rejects where the server cannot be reached. */
async function openOnServer(
  url: string,
  config: PostgresConfig,
  options: ServerStoreOptions,
): Promise<OpenResult> {
  const { clock, random, onLost, clients } = options
  const connectMsMax = config.limits.databaseConnectMs
  const on = databaseOptions(url, config, { clock, processName: processNameFrom(random) })
  const rejected = await migrateServerPostgres({ url: on.directUrl, nowMs: clock.wallMs(), connectMsMax })
  if (rejected !== null) return rejected
  const opened = await openDatabase<Tables>({
    ...on,
    onLost,
    clients: { count: clients ?? 0, onChange: () => {} },
  })
  if (opened.kind === 'rejected') return opened
  return { kind: 'open', store: await onServer(opened.database, on, options) }
}

function databaseOptions(
  url: string,
  { databaseDirectUrl, limits, failpoint }: PostgresConfig,
  { clock, processName }: { readonly clock: Clock; readonly processName: string },
) {
  return {
    path: url,
    directUrl: databaseDirectUrl ?? url,
    shownPath: 'PostgreSQL',
    language: postgresLanguage,
    threads: postgresThreads,
    postgres: {
      statements: postgresThreads.statements,
      processName,
      connectMsMax: limits.databaseConnectMs,
      statementMsMax: limits.databaseStatementMs,
      reportMsMax: limits.databaseReportMs,
    },
    clock,
    limits,
    failpoints: failpoint ?? undefined,
  }
}

/** Adds the lanes and what other processes change. */
async function onServer(
  database: OpenDatabase<Tables>,
  on: ReturnType<typeof databaseOptions>,
  { onTrouble, onLost }: Pick<ServerStoreOptions, 'onTrouble'> & Partial<Pick<ServerStoreOptions, 'onLost'>>,
): Promise<Store> {
  const { path: url, directUrl, postgres, limits, clock, failpoints: specification } = on
  const findOut = probeOf(database)
  // From before anything is read, so that no change is missed.
  const shared = sharedChanges()
  const { processName, connectMsMax } = postgres
  const changes = {
    url: directUrl,
    clock,
    processName,
    connectMsMax,
    onLost: findOut,
    onChange: shared.onChange,
    schema,
    // Absent in a further thread: the main thread ends the process.
    onNewerSchema: (message: string) => onLost?.(new Error(message)),
  }
  const stopReceiving = await receiveChanges(changes).catch(async (error: unknown) => {
    await database.close()
    throw error
  })
  const lanes = openPostgresStore(url, {
    clock,
    failpoints: failpoints(specification),
    limits: postgresLimits(limits),
    derive: deriveSums,
    onTrouble,
  })
  const store = joined(database, lanes, findOut)
  return {
    ...store,
    listen: shared.listen,
    lock: (name) =>
      takeSharedLock(name, {
        url: directUrl,
        connectMsMax: limits.databaseConnectMs,
        waitMsMax: limits.databaseStatementMs,
      }),
    async close() {
      await stopReceiving()
      await store.close()
    },
  }
}

const processNameFrom = (random: RandomBytes): string => Buffer.from(random(processNameBytes)).toString('hex')

const processNameBytes = 6

const schema: readonly SchemaPart[] = [
  { table: 'migration', steps: postgresMigrations },
  { table: 'identity_migration', steps: postgresIdentityMigrations },
]

/** Null: the schema is the newest. */
export async function migrateServerPostgres(
  on: Pick<PostgresMigrationOptions, 'url' | 'nowMs' | 'connectMsMax'>,
): Promise<Rejected | null> {
  for (const part of schema) {
    const outcome = await migratePostgres({ ...on, ...part })
    if (outcome.kind === 'newer_schema')
      return { kind: 'rejected', reason: 'newer_schema', message: outcome.message }
  }
  return null
}

/** The address has a password: only what the server or the system says is repeated. */
const cannotBeUsed = (error: unknown): Rejected => ({
  kind: 'rejected',
  reason: isAway(error) ? 'away' : 'failed',
  message: `DATABASE_URL cannot be used: ${reasonOf(error)}`,
})

/** The server's or system's error, which contains no password. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

/**
 * Finds out whether the database can be written to, once at a time: a failure is the health by which requests are rejected,
 * until it works again.
 */
function probeOf(database: Pick<OpenDatabase<Tables>, 'run'>): () => void {
  let isProbing = false
  return () => {
    if (isProbing) return
    isProbing = true
    const ended = (): void => {
      isProbing = false
    }
    database.run([probeOperation]).then(ended, ended)
  }
}

/** Joins both as a store. A lane that fails makes the writer's connection find out whether the database is away. */
function joined(
  database: OpenDatabase<Tables>,
  lanes: PostgresStore,
  findOut: () => void,
): OpenDatabase<Tables> {
  return {
    ...database,
    async run(call) {
      if (!lanes.runs(isLazy(call) ? call.name : call[0])) return database.run(call)
      try {
        return await lanes.run(call)
      } catch (error) {
        findOut()
        throw error
      }
    },
    read: (call) => (lanes.reads(call) ? lanes.read(call) : database.read(call)),
    deferral: null,
    commitMs: () => Math.max(database.commitMs(), lanes.commitMs()),
    waiting: () => database.waiting() + lanes.waiting(),
    readApart: (call) => (lanes.reads(call) ? lanes.readApart(call) : database.readApart(call)),
    async close() {
      await lanes.close().finally(database.close)
    },
  }
}
