/** The entry of the thread that writes: the store's life of a writer with the ledger's operations. */
import { runWriter } from '../store/sqlite/writer.ts'
import { ledgerPlan } from './operations.ts'

runWriter(ledgerPlan)
