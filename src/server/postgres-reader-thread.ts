/** The entry of a reader thread on PostgreSQL: the reads of the ledger and of usage, each on one state. */
import { ledgerReads } from '../ledger/sqlite/reads.ts'
import { openPostgresForReading } from '../store/postgres/threads.ts'
import { runReader } from '../store/sqlite/reader.ts'
import { usageReads } from '../usage/reads.ts'

runReader(
  { operations: (database) => ({ ...ledgerReads(database), ...usageReads(database) }) },
  openPostgresForReading,
)
