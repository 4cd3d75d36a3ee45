/** The entry of the program's writer thread: the operations of the ledger and of usage on one connection. */
import { sqliteEngine } from '../ledger/sqlite/engine.ts'
import { ledgerOperations } from '../ledger/sqlite/operations.ts'
import { sharedMemory } from '../store/sqlite/batch.ts'
import { runWriter } from '../store/sqlite/writer.ts'
import { hourlySums } from '../usage/hourly-sums.ts'
import { usageOperations } from '../usage/record-refusals.ts'

runWriter((database) => {
  const sums = hourlySums(database)
  const engine = sqliteEngine(database, sums)
  return {
    memory: sharedMemory([engine, sums]),
    deferredMax: 256,
    operations: { ...ledgerOperations(database, engine), ...usageOperations(database, sums) },
  }
})
