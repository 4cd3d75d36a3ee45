/**
 * The store on PostgreSQL: operations of requests go through the ledger's lanes, everything else through the same two threads
 * as on the embedded database. Any number of processes may open one database; each has a data folder of its own.
 */
import type { Clock } from '../base/clock.ts'
import type { RandomBytes } from '../base/ids.ts'
import type { Config } from '../config/config.ts'
import { postgresIdentityMigrations } from '../identity/store/migrations/index.ts'
import { postgresMigrations } from '../ledger/postgres/migrations.ts'
import { openPostgresStore, type PostgresStore, postgresLimits } from '../ledger/postgres/store.ts'
import { type OpenDatabase, openDatabase, type Refused } from '../store/database.ts'
import { migratePostgres, type PostgresMigrationOptions } from '../store/postgres/migrate.ts'
import { receiveChanges, type SharedChange } from '../store/postgres/shared-changes.ts'
import { postgresLanguage } from '../store/sqlite/kysely-dialect.ts'
import { probeOperation } from '../store/sqlite/messages.ts'
import { claimDataFolder, type OpenResult } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import { deriveSums } from '../usage/postgres-sums.ts'
import { postgresThreads } from './thread-entries.ts'

export interface ServerStoreOptions {
  readonly clock: Clock
  readonly random: RandomBytes
  readonly onLost: (error: Error) => void
  readonly onTrouble: (error: unknown) => void
}

/** Migrates the database, takes the data folder, and starts the threads. */
export async function openServerPostgres(
  url: string,
  { dataFolder, ...config }: Pick<Config, 'dataFolder' | 'limits' | 'failpoint'>,
  options: ServerStoreOptions,
): Promise<OpenResult> {
  const claimed = claimDataFolder(dataFolder)
  if (claimed.kind === 'refused') return claimed
  const release = claimed.lock.release
  const opened = await openOnServer(url, config, options).catch(cannotBeUsed)
  if (opened.kind === 'refused') {
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

/** Rejects where the server cannot be reached. */
async function openOnServer(
  url: string,
  { limits, failpoint }: Pick<Config, 'limits' | 'failpoint'>,
  { clock, random, onLost, onTrouble }: ServerStoreOptions,
): Promise<OpenResult> {
  const refused = await migrateServerPostgres({
    url,
    nowMs: clock.wallMs(),
    connectMsMax: limits.databaseConnectMs,
  })
  if (refused !== null) return refused
  const processName = Buffer.from(random(processNameBytes)).toString('hex')
  const opened = await openDatabase<Tables>({
    path: url,
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
    onLost,
    failpoints: failpoint ?? undefined,
  })
  if (opened.kind === 'refused') return opened
  const { database } = opened
  const findOut = probeOf(database)
  // From before anything is read, so that no change is missed.
  const early: SharedChange[] = []
  let listener = (change: SharedChange): void => void early.push(change)
  const changes = { url, clock, processName, connectMsMax: limits.databaseConnectMs, onLost: findOut }
  const onChange = (change: SharedChange): void => listener(change)
  const stopReceiving = await receiveChanges({ ...changes, onChange }).catch(async (error: unknown) => {
    await database.close()
    throw error
  })
  const lanes = openPostgresStore(url, {
    clock,
    limits: postgresLimits(limits),
    derive: deriveSums,
    onTrouble,
  })
  const store = joined(database, lanes, findOut)
  return {
    kind: 'open',
    store: {
      ...store,
      listen(onSharedChange) {
        listener = onSharedChange
        for (const change of early.splice(0)) onSharedChange(change)
      },
      async close() {
        await stopReceiving()
        await store.close()
      },
    },
  }
}

const processNameBytes = 6

/** Null: the schema is the newest. */
export async function migrateServerPostgres(
  on: Pick<PostgresMigrationOptions, 'url' | 'nowMs' | 'connectMsMax'>,
): Promise<Refused | null> {
  const control = { table: 'migration', steps: postgresMigrations } as const
  const identity = { table: 'identity_migration', steps: postgresIdentityMigrations } as const
  for (const part of [control, identity]) {
    const outcome = await migratePostgres({ ...on, ...part })
    if (outcome.kind === 'newer_schema')
      return { kind: 'refused', reason: 'newer_schema', message: outcome.message }
  }
  return null
}

/** The address has a password: only what the server or the system says is repeated. */
const cannotBeUsed = (error: unknown): Refused => ({
  kind: 'refused',
  reason: 'failed',
  message: `DATABASE_URL cannot be used: ${reasonOf(error)}`,
})

/** What the server or the system says, which names no password. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

/**
 * Finds out whether the database can be written to, once at a time: a failure is the health by which requests are refused,
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

/** One store of both. A lane that fails makes the writer's connection find out whether the database is away. */
function joined(
  database: OpenDatabase<Tables>,
  lanes: PostgresStore,
  findOut: () => void,
): OpenDatabase<Tables> {
  return {
    ...database,
    async run(given) {
      const call = typeof given === 'function' ? given() : given
      if (call === null) return null
      if (!lanes.runs(call)) return database.run(call)
      try {
        return await lanes.run(call)
      } catch (error) {
        findOut()
        throw error
      }
    },
    read: (call) => (lanes.reads(call) ? lanes.read(call) : database.read(call)),
    deferral: null,
    readApart: (call) => (lanes.reads(call) ? lanes.readApart(call) : database.readApart(call)),
    async close() {
      await lanes.close().finally(database.close)
    },
  }
}
