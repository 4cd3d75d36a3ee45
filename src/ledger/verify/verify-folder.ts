/** Verifies the ledger of a data folder on which no server runs. Writes nothing, so it works on a full disk. */

import { type ReadOnlyResult, readWithoutWriting } from '../../store/read-only.ts'
import { overlayJournal } from '../../store/sqlite/journal-overlay.ts'
import type { VerifyReport } from '../types.ts'
import { verify } from './verify.ts'

export function verifyFolder(dataFolder: string, driftLinesMax: number): ReadOnlyResult<VerifyReport> {
  return readWithoutWriting(dataFolder, (database) => {
    overlayJournal(database).refresh()
    return verify(database, driftLinesMax)
  })
}
