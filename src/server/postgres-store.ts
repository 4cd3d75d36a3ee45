/**
 * The store on PostgreSQL: operations of requests go through the ledger's lanes, everything else through the same two threads
 * as on the embedded database. Any number of processes may open one database; each has a data folder of its own.
 */
import type { Clock } from '../base/clock.ts'
import type { RandomBytes } from '../base/ids.ts'
import type { Config } from '../config/config.ts'
import { postgresIdentityMigrations } from '../identity/store/migrations/index.ts'
import { postgresMigrations } from '../ledger/postgres/migrations.ts'
import { openPostgresStore, type PostgresStore, postgresLimitDefaults } from '../ledger/postgres/store.ts'
import { type OpenDatabase, openDatabase, type Refused } from '../store/database.ts'
import { migratePostgres } from '../store/postgres/migrate.ts'
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
  { dataFolder, limits, failpoint }: Pick<Config, 'dataFolder' | 'limits' | 'failpoint'>,
  { clock, random, onLost, onTrouble }: ServerStoreOptions,
): Promise<OpenResult> {
  const claimed = claimDataFolder(dataFolder)
  if (claimed.kind === 'refused') return claimed
  const refused = await migrate(url, clock.wallMs())
  if (refused !== null) {
    claimed.lock.release()
    return refused
  }
  const processName = Buffer.from(random(processNameBytes)).toString('hex')
  const opened = await openDatabase<Tables>({
    path: url,
    shownPath: 'PostgreSQL',
    language: postgresLanguage,
    threads: postgresThreads,
    statements: postgresThreads.statements,
    processName,
    clock,
    limits,
    onLost,
    failpoints: failpoint ?? undefined,
  })
  if (opened.kind === 'refused') {
    claimed.lock.release()
    return opened
  }
  const lanes = openPostgresStore(url, {
    clock,
    limits: postgresLimitDefaults,
    derive: deriveSums,
    onTrouble,
  })
  const store = joined(opened.database, lanes)
  // From before anything is read, so that no change is missed.
  const early: SharedChange[] = []
  let listener = (change: SharedChange): void => void early.push(change)
  const stopReceiving = await receiveChanges({
    url,
    clock,
    processName,
    onChange: (change) => listener(change),
    onLost: () => findOut(opened.database),
  })
  const close = async (): Promise<void> => {
    await stopReceiving()
    await store.close().finally(() => claimed.lock.release())
  }
  let closing: Promise<void> | undefined
  return {
    kind: 'open',
    store: {
      ...store,
      listen(onChange) {
        listener = onChange
        for (const change of early.splice(0)) onChange(change)
      },
      close() {
        closing ??= close()
        return closing
      },
    },
  }
}

const processNameBytes = 6

/** Null: the schema is the newest. */
async function migrate(url: string, nowMs: number): Promise<Refused | null> {
  const shared = { url, nowMs, connectMsMax: postgresLimitDefaults.connectMsMax }
  try {
    for (const outcome of [
      await migratePostgres({ ...shared, table: 'migration', steps: postgresMigrations }),
      await migratePostgres({ ...shared, table: 'identity_migration', steps: postgresIdentityMigrations }),
    ]) {
      if (outcome.kind === 'newer_schema')
        return { kind: 'refused', reason: 'newer_schema', message: outcome.message }
    }
    return null
  } catch (error) {
    // The address has a password: only what the server or the system says is repeated.
    return { kind: 'refused', reason: 'failed', message: `DATABASE_URL cannot be used: ${reasonOf(error)}` }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

/** Whether the database can be written to: a failure is the health by which requests are refused, until it works again. */
function findOut(database: Pick<OpenDatabase<Tables>, 'run'>): void {
  database.run([probeOperation]).catch(() => {})
}

/** One store of both. A lane that fails makes the writer's connection find out whether the database is away. */
function joined(database: OpenDatabase<Tables>, lanes: PostgresStore): OpenDatabase<Tables> {
  return {
    ...database,
    async run(given) {
      const call = typeof given === 'function' ? given() : given
      if (call === null) return null
      if (!lanes.runs(call)) return database.run(call)
      try {
        return await lanes.run(call)
      } catch (error) {
        findOut(database)
        throw error
      }
    },
    read: (call) => (lanes.reads(call) ? lanes.read(call) : database.read(call)),
    readApart: (call) => (lanes.reads(call) ? lanes.readApart(call) : database.readApart(call)),
    async close() {
      await lanes.close().finally(database.close)
    },
  }
}
