/**
 * Opens the database of a data folder, and rejects a folder that had an installation and has lost its database: a new
 * database there would know no key and no balance of the old one.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { schemaReached } from '../migrate.ts'
import { openForWriting } from './connection.ts'

/** Files that a server creates in the folder only once the database has its tables. */
const laterFiles = ['secret', 'identity.db', 'server.json']

/** Throws with what to do, also when it is started again. An interrupted first start has left none of the later files. */
export function openUnlessLost(path: string): DatabaseSync {
  const folder = dirname(path)
  const left = laterFiles.filter((name) => existsSync(join(folder, name)))
  if (left.length === 0) return openForWriting(path)
  // Not created, because SQLite would remove a log that is still there.
  if (!existsSync(path)) throw lost(left)
  const database = openForWriting(path)
  if (schemaReached(database) > 0) return database
  database.close()
  throw lost(left)
}

const lost = (left: readonly string[]): Error =>
  new Error(
    `it is missing or empty, but its folder had an installation and still has ${left.join(', ')}. ` +
      'Put tollgate.db back together with its -wal file, restore a backup, set DATABASE_URL if the data is in PostgreSQL, ' +
      'or start with an empty data folder for a new installation.',
  )
