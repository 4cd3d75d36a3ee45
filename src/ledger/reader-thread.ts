/** The entry of the thread that reads: the store's life of a reader with the ledger's reads. */
import { runReader } from '../store/sqlite/reader.ts'
import { ledgerReads } from './reads.ts'

runReader({ operations: ledgerReads })
