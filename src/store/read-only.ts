/**
 * Reads the database of a data folder that no other process uses, without writing to the folder: it works on a full
 * disk, and on what a killed process left. Keeps servers and commands away while it reads.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Refused } from './database.ts'
import { databasePath } from './database-path.ts'
import { type Lock, takeSharedLock } from './lock.ts'
import { schemaMismatch } from './migrate.ts'
import { type Database, openWithoutWriting } from './sqlite/connection.ts'

export type ReadOnlyResult<Result> = { readonly kind: 'read'; readonly result: Result } | Refused

/** Runs `read` in one read transaction. Refuses a folder in use, and a database of another schema than this program's. */
export function readWithoutWriting<Result>(
  dataDirectory: string,
  read: (database: Database) => Result,
): ReadOnlyResult<Result> {
  const path = databasePath(dataDirectory)
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    return { kind: 'refused', reason: 'failed', message: `No database found in ${dataDirectory}.` }
  }
  let lock: Lock | undefined
  try {
    lock = takeSharedLock(join(dataDirectory, 'lock.db'))
    if (lock === undefined) {
      return {
        kind: 'refused',
        reason: 'locked',
        message: `Another process of this program is using ${dataDirectory}. Stop it first, or choose another data directory.`,
      }
    }
    return readFile(path, read)
  } catch (error) {
    return { kind: 'refused', reason: 'failed', message: `${path} cannot be read: ${String(error)}` }
  } finally {
    lock?.release()
  }
}

function readFile<Result>(path: string, read: (database: Database) => Result): ReadOnlyResult<Result> {
  const database = openWithoutWriting(path)
  try {
    database.exec('BEGIN')
    const message = schemaMismatch(database)
    if (message !== null) return { kind: 'refused', reason: 'newer_schema', message }
    return { kind: 'read', result: read(database) }
  } finally {
    database.close()
  }
}
