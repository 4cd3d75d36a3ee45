/** The query plans of the statements that code runs, for tests that allow no full table scan. */
import { join } from 'node:path'
import { createQueryId, type Kysely, type RootOperationNode, SelectQueryNode } from 'kysely'
import { openForReading, prepare } from '../../src/store/sqlite/connection.ts'
import type { Store } from '../../src/store/store.ts'
import type { Tables } from '../../src/store/tables.ts'
import type { TestLedger } from './open-ledger.ts'

interface Watched {
  /** The same database, which records each statement. */
  readonly store: Pick<Store, 'database'>
  /** The plans of the statements since the last call, one line for each step. */
  plans(): readonly string[]
}

export function watchQueries({ store, dataDirectory }: Pick<TestLedger, 'store' | 'dataDirectory'>): Watched {
  const asked: RootOperationNode[] = []
  const database: Kysely<Tables> = store.database.withPlugin({
    transformQuery({ node }) {
      if (SelectQueryNode.is(node)) asked.push(node)
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return {
    store: { database },
    plans() {
      const reading = openForReading(join(dataDirectory, 'tollgate.db'))
      try {
        return asked.splice(0).flatMap((node) => {
          const { sql, parameters } = store.database.getExecutor().compileQuery(node, createQueryId())
          const values = parameters.map((value) => (typeof value === 'number' ? BigInt(value) : value))
          const rows = prepare(reading, `EXPLAIN QUERY PLAN ${sql}`).rows(...(values as bigint[]))
          return rows.map((row) => String(row[3]))
        })
      } finally {
        reading.close()
      }
    },
  }
}
