/** The entry of the writer thread on PostgreSQL, for operations beyond the ledger's machine. */
import { blockingEngine } from '../ledger/postgres/blocking-tables.ts'
import { ledgerOperations } from '../ledger/sqlite/operations.ts'
import { openPostgresForWriting } from '../store/postgres/threads.ts'
import { runWriter } from '../store/sqlite/writer.ts'
import { postgresRejectionSums } from '../usage/postgres-sums.ts'
import { usageOperations } from '../usage/record-rejections.ts'

runWriter((database) => {
  const engine = blockingEngine(database)
  return {
    memory: engine,
    operations: {
      ...ledgerOperations(database, engine),
      ...usageOperations(database, postgresRejectionSums(database)),
    },
  }
}, openPostgresForWriting)
