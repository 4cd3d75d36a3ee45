/**
 * An embedded database in the thread that opens it: one connection, every statement synchronous. For a thread that has
 * nothing else to do while a statement runs. Knows no folder, no lock and no table.
 */
import { type Compilable, Kysely } from 'kysely'
import type { Rejected } from './database.ts'
import { failureToError, storeUnavailable } from './errors.ts'
import { migrate } from './migrate.ts'
import type { Migration } from './migrations/index.ts'
import { type BlockingOptions, openBlockingConnection } from './postgres/blocking-connection.ts'
import { postgresCommitter } from './postgres/threads.ts'
import { type Committer, committer } from './sqlite/batch.ts'
import { type Database, openForWriting } from './sqlite/connection.ts'
import { type Fence, takeFence } from './sqlite/fence.ts'
import {
  postgresLanguage,
  type Routes,
  routedDialect,
  type SqlLanguage,
  sqliteLanguage,
} from './sqlite/kysely-dialect.ts'
import { type StatementResult, toFailure } from './sqlite/messages.ts'
import { statementRunner } from './sqlite/statements.ts'

export interface LocalDatabaseOptions {
  /** The database's file; created, for its owner alone, when it does not exist. */
  readonly path: string
  /** Instead of the file; the caller has migrated it. */
  readonly postgres?: BlockingOptions | undefined
  readonly migrations: readonly Migration[]
  readonly nowMs: number
  /** Called once, when another process has opened the database for writing: this one must end. */
  readonly onLost: (error: Error) => void
}

export interface LocalDatabase<Tables> {
  /** Runs one query at a time: a SELECT only reads, everything else is a separate durable transaction. */
  readonly database: Kysely<Tables>
  /** Runs several queries as one durable transaction; synchronous, so that nothing runs between them. */
  readonly transact: Transact
  close(): void
}

export type Transact = <Result>(work: (queries: Queries) => Result) => Result

/** Runs queries of the builder inside a transaction. */
export interface Queries {
  row<Row>(query: Compilable<Row>): Row | undefined
  rows<Row>(query: Compilable<Row>): readonly Row[]
  /** How many rows it changed. */
  change(query: Compilable): number
}

export type LocalDatabaseResult<Tables> =
  | { readonly kind: 'open'; readonly database: LocalDatabase<Tables> }
  | Rejected

/** Opens the file and brings its schema up to date. The caller owns the data folder. */
export function openLocalDatabase<Tables>(options: LocalDatabaseOptions): LocalDatabaseResult<Tables> {
  const { path, migrations, nowMs, postgres } = options
  if (postgres !== undefined) return { kind: 'open', database: onPostgres<Tables>(postgres, options) }
  try {
    const connection = openForWriting(path)
    const outcome = migrate(connection, nowMs, migrations)
    if (outcome.kind === 'newer_schema') {
      connection.close()
      return { kind: 'rejected', reason: 'newer_schema', message: outcome.message }
    }
    const fence = takeFence(connection)
    const commits = committer(connection, fence)
    return {
      kind: 'open',
      database: databaseOn<Tables>({ connection, fence, commits, language: sqliteLanguage }, options),
    }
  } catch (error) {
    return {
      kind: 'rejected',
      reason: 'failed',
      message: `${path} cannot be used: ${toFailure(error).message}`,
    }
  }
}

/** Transactions of all processes take turns, because their statements decide by what they have read before. */
function onPostgres<Tables>(postgres: BlockingOptions, options: LocalDatabaseOptions): LocalDatabase<Tables> {
  const connection = openBlockingConnection(postgres)
  const commits = postgresCommitter(connection, 'identity')
  return databaseOn<Tables>(
    { connection, commits, fence: { isLost: false }, language: postgresLanguage },
    options,
  )
}

interface LocalConnection {
  readonly connection: Database
  readonly fence: Pick<Fence, 'isLost'>
  readonly commits: Committer
  readonly language: SqlLanguage
}

function databaseOn<Tables>(
  { connection, fence, commits, language }: LocalConnection,
  { onLost }: LocalDatabaseOptions,
): LocalDatabase<Tables> {
  const execute = statementRunner(connection, 'number')
  const queries: Queries = {
    row: (query) => queries.rows(query)[0],
    rows<Row>(query: Compilable<Row>) {
      const { sql, parameters } = query.compile()
      return execute(sql, parameters).rows as readonly Row[]
    },
    change(query) {
      const { sql, parameters } = query.compile()
      return Number(execute(sql, parameters).changes)
    },
  }
  let isClosed = false
  let isLost = false
  /** Converts failures to the errors that callers see; see errors.ts. */
  function guarded<Result>(run: () => Result): Result {
    if (isClosed) throw storeUnavailable('the database is closed')
    try {
      return run()
    } catch (error) {
      if (fence.isLost && !isLost) {
        isLost = true
        onLost(storeUnavailable(toFailure(error).message))
      }
      throw isOfSqlite(error) ? failureToError(toFailure(error)) : error
    }
  }
  const transact: Transact = (work) =>
    guarded(() => {
      commits.begin('durable')
      try {
        const result = work(queries)
        commits.commit()
        return result
      } catch (error) {
        commits.rollback()
        throw error
      }
    })
  const routes: Routes = {
    read: async (sql, values): Promise<StatementResult> => guarded(() => execute(sql, values)),
    write: async (sql, values): Promise<StatementResult> => transact(() => execute(sql, values)),
    begin: async () => {
      throw new Error('queries of other requests would run inside this transaction; use transact')
    },
  }
  const dialect = routedDialect(routes, language)
  return {
    database: new Kysely<Tables>({ dialect }),
    transact,
    close() {
      if (isClosed) return
      isClosed = true
      connection.close()
    },
  }
}

/** SQLite's errors carry a code, also ours about a lost database. */
const isOfSqlite = (error: unknown): boolean => toFailure(error).sqliteCode !== null
