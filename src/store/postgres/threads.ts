/** How the threads of a store open PostgreSQL: each has one connection, whose statements block it and nothing else. */
import { assert } from '../../base/assert.ts'
import type { Committer } from '../sqlite/batch.ts'
import type { Database } from '../sqlite/connection.ts'
import { noOverlay, type OpenForReading } from '../sqlite/reader.ts'
import type { OpenForWriting, ThreadSetup } from '../sqlite/writer.ts'
import { openBlockingConnection } from './blocking-connection.ts'

/** The connection's name: `tollgate <process> <thread>`. */
const connectionName = (processName: string, thread: string): string => `tollgate ${processName} ${thread}`

/** Which of the limits is that of the statements of a kind of thread. */
const limitOf = { writer: 'statementMsMax', reader: 'reportMsMax' } as const

function connect({ path, postgres }: ThreadSetup, thread: keyof typeof limitOf): Database {
  assert(postgres !== undefined, 'a thread on PostgreSQL has been given how to reach it')
  const { statements: entry, processName, connectMsMax } = postgres
  return openBlockingConnection({
    url: path,
    name: connectionName(processName, thread),
    entry,
    connectMsMax,
    statementMsMax: postgres[limitOf[thread]],
  })
}

/** The main thread has already migrated the schema. */
export function openPostgresForWriting(setup: ThreadSetup): OpenForWriting {
  const database = connect(setup, 'writer')
  database.exec('SELECT 1')
  return {
    database,
    commits: postgresCommitter(database, 'control plane'),
    fence: { isLost: false },
    // The number of the last slot is written again: a server that takes no writes fails.
    probe: 'UPDATE last_process SET last = last',
  }
}

const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

export function openPostgresForReading(setup: ThreadSetup): OpenForReading {
  return { database: connect(setup, 'reader'), begin, overlay: noOverlay }
}

/**
 * Runs one transaction of the control plane at a time, over all processes: its statements depend on earlier reads, as on the embedded
 * database, which has one writer.
 */
export function postgresCommitter(database: Database, lock: string): Committer {
  const rollback = (): void => {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
  return {
    begin() {
      database.exec('BEGIN')
      try {
        database.exec(`SELECT pg_advisory_xact_lock(hashtext('tollgate ${lock}'))`)
      } catch (error) {
        rollback()
        throw error
      }
    },
    commit: () => database.exec('COMMIT'),
    rollback,
  }
}
