/** Verifies the ledger of a data folder on which no server runs. Writes nothing, so it works on a full disk. */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Rejected } from '../../store/database.ts'
import { type Lock, takeSharedLock } from '../../store/lock.ts'
import { schemaMismatch } from '../../store/migrate.ts'
import { type Database, openWithoutWriting } from '../../store/sqlite/connection.ts'
import { overlayJournal } from '../../store/sqlite/journal-overlay.ts'
import { databasePath } from '../../store/store.ts'
import type { VerifyReport } from '../types.ts'
import { verify } from './verify.ts'

export function verifyFolder(dataFolder: string, driftLinesMax: number): ReadOnlyResult<VerifyReport> {
  return readWithoutWriting(dataFolder, (database) => {
    overlayJournal(database).refresh()
    return verify(database, driftLinesMax)
  })
}

type ReadOnlyResult<Result> = { readonly kind: 'read'; readonly result: Result } | Rejected

/** Runs `read` in one read transaction. Rejects a folder in use, and a database of another schema than this program's. */
function readWithoutWriting<Result>(
  dataDirectory: string,
  read: (database: Database) => Result,
): ReadOnlyResult<Result> {
  const path = databasePath(dataDirectory)
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    return { kind: 'rejected', reason: 'failed', message: `No database found in ${dataDirectory}.` }
  }
  let lock: Lock | undefined
  try {
    lock = takeSharedLock(join(dataDirectory, 'lock.db'))
    if (lock === undefined) {
      return {
        kind: 'rejected',
        reason: 'locked',
        message: `Another process of this program is using ${dataDirectory}. Stop it first, or choose another data directory.`,
      }
    }
    return readFile(path, read)
  } catch (error) {
    return { kind: 'rejected', reason: 'failed', message: `${path} cannot be read: ${String(error)}` }
  } finally {
    lock?.release()
  }
}

function readFile<Result>(path: string, read: (database: Database) => Result): ReadOnlyResult<Result> {
  const database = openWithoutWriting(path)
  try {
    database.exec('BEGIN')
    const message = schemaMismatch(database)
    if (message !== null) return { kind: 'rejected', reason: 'newer_schema', message }
    return { kind: 'read', result: read(database) }
  } finally {
    database.close()
  }
}
