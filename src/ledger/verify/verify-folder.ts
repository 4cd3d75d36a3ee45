/** Verifies the ledger of a data folder on which no server runs. Writes nothing, so it works on a full disk. */

import { type ReadOnlyResult, readWithoutWriting } from '../../store/read-only.ts'
import type { Database } from '../../store/sqlite/connection.ts'
import { overlayJournal } from '../../store/sqlite/journal-overlay.ts'
import type { VerifyReport } from '../types.ts'
import { verify } from './verify.ts'

export function verifyFolder(dataFolder: string, driftLinesMax: number): ReadOnlyResult<VerifyReport> {
  return readWithoutWriting(dataFolder, (database) => verifyJournaled(database, driftLinesMax))
}

/** The same on a connection that only reads, inside a transaction, after which it sees its tables alone again if that is rolled back. */
export function verifyJournaled(database: Database, driftLinesMax: number): VerifyReport {
  overlayJournal(database).refresh()
  return verify(database, driftLinesMax)
}
