/** The disk usage of a data folder's database. Opens nothing. */
import { statSync } from 'node:fs'
import { databasePath } from './database-path.ts'

/** With what is not yet written back into the database's own file. */
export function databaseBytes(dataDirectory: string): number {
  const path = databasePath(dataDirectory)
  return [path, `${path}-wal`].reduce((sum, file) => {
    return sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0)
  }, 0)
}
