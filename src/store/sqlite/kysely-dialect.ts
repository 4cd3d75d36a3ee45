/**
 * Kysely over routes: reads outside a transaction take one route, everything else another, and a transaction is a separate
 * turn. With the store's threads no connection is in this thread; a local database has its connection here.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { ControlTransaction } from '../turn.ts'
import type { StatementResult } from './messages.ts'

/** Where statements can be run. */
export interface Routes {
  read(sql: string, values: readonly unknown[]): Promise<StatementResult>
  write(sql: string, values: readonly unknown[]): Promise<StatementResult>
  begin(): Promise<ControlTransaction>
}

/** Kysely's own adapter would queue all queries behind one connection, and hang when one is used inside another's transaction. */
class RoutedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

export interface SqlLanguage {
  readonly adapter: () => DialectAdapter
  readonly introspector: (database: Kysely<unknown>) => DatabaseIntrospector
  readonly compiler: () => QueryCompiler
}

export const sqliteLanguage: SqlLanguage = {
  adapter: () => new RoutedAdapter(),
  introspector: (database) => new SqliteIntrospector(database),
  compiler: () => new SqliteQueryCompiler(),
}

export const postgresLanguage: SqlLanguage = {
  adapter: () => new PostgresAdapter(),
  introspector: (database) => new PostgresIntrospector(database),
  compiler: () => new PostgresQueryCompiler(),
}

class RoutedConnection implements DatabaseConnection {
  readonly #routes: Routes
  #transaction: ControlTransaction | undefined

  constructor(routes: Routes) {
    this.#routes = routes
  }

  async begin(): Promise<void> {
    this.#transaction = await this.#routes.begin()
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    const transaction = this.#transaction
    this.#transaction = undefined
    // Kysely rolls back after a commit that failed; then there is nothing left to end.
    if (transaction !== undefined) await transaction[how]()
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, changes, lastId } = await this.#run(query)
    return { rows: rows as Row[], numAffectedRows: changes, insertId: lastId }
  }

  #run({ sql, parameters, query }: CompiledQuery): Promise<StatementResult> {
    if (this.#transaction !== undefined) return this.#transaction.execute(sql, parameters)
    const isRead = query.kind === 'SelectQueryNode' || (query.kind === 'RawNode' && /^\s*select\b/i.test(sql))
    return isRead ? this.#routes.read(sql, parameters) : this.#routes.write(sql, parameters)
  }

  // biome-ignore lint/correctness/useYield: rejected, not implemented: rows come whole, within the bound that the query sets.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('rows are not streamed from the embedded database; set a limit on the query')
  }
}

class RoutedDriver implements Driver {
  readonly #routes: Routes

  constructor(routes: Routes) {
    this.#routes = routes
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<RoutedConnection> {
    return new RoutedConnection(this.#routes)
  }
  async beginTransaction(connection: RoutedConnection): Promise<void> {
    await connection.begin()
  }
  async commitTransaction(connection: RoutedConnection): Promise<void> {
    await connection.end('commit')
  }
  async rollbackTransaction(connection: RoutedConnection): Promise<void> {
    await connection.end('rollback')
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

/** The dialect to make a Kysely instance with. */
export function routedDialect(routes: Routes, language: SqlLanguage = sqliteLanguage): Dialect {
  return {
    createAdapter: language.adapter,
    createDriver: () => new RoutedDriver(routes),
    createIntrospector: language.introspector,
    createQueryCompiler: language.compiler,
  }
}
