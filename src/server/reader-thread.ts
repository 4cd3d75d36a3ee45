/** The entry of the program's reader thread: the reads of the ledger and of usage on one connection. */
import { ledgerReads } from '../ledger/sqlite/reads.ts'
import { runReader } from '../store/sqlite/reader.ts'
import { usageReads } from '../usage/reads.ts'

runReader({ operations: (database) => ({ ...ledgerReads(database), ...usageReads(database) }) })
