/** The entry of the program's writer thread: the operations of the ledger and of usage on one connection. */
import { ledgerOperations } from '../ledger/sqlite/operations.ts'
import { stateRows } from '../ledger/sqlite/state-rows.ts'
import { sharedMemory } from '../store/sqlite/batch.ts'
import { runWriter } from '../store/sqlite/writer.ts'
import { hourlySums } from '../usage/hourly-sums.ts'
import { usageOperations } from '../usage/record-refusals.ts'

runWriter((database) => {
  const rows = stateRows(database)
  const sums = hourlySums(database)
  return {
    memory: sharedMemory([rows, sums]),
    operations: { ...ledgerOperations(database, rows, sums), ...usageOperations(database, sums) },
  }
})
