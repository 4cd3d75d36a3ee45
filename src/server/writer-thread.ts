/** The entry of the program's writer thread: the operations of the ledger and of usage on one connection. */
import { residentTables, sqliteEngine } from '../ledger/sqlite/engine.ts'
import { ledgerOperations } from '../ledger/sqlite/operations.ts'
import { sharedMemory } from '../store/sqlite/batch.ts'
import { openRowJournal } from '../store/sqlite/row-journal.ts'
import { runWriter } from '../store/sqlite/writer.ts'
import { hourlySums } from '../usage/hourly-sums.ts'
import { usageOperations } from '../usage/record-rejections.ts'

/** Rows of about 10,000 requests, and of about 64. */
const journalLimits = { gatheredRows: 32_768, sliceForRows: 256 }

runWriter((database) => {
  const journal = openRowJournal(database, journalLimits)
  const sums = hourlySums(database, journal)
  const engine = sqliteEngine(database, sums, journal)
  return {
    memory: sharedMemory([engine, sums, journal]),
    resident: residentTables,
    deferredMax: 256,
    operations: { ...ledgerOperations(database, engine), ...usageOperations(database, sums) },
  }
})
