/**
 * The identity database: a file of its own beside the ledger's, with threads of its own, so that nobody who signs in
 * makes a charge wait. The owner of the data folder opens it, under the ledger's lock.
 */
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { type DatabaseOptions, openDatabase, type Refused } from '../store/database.ts'
import type { IdentityTables } from './tables.ts'
import { identityThreads } from './threads.ts'
import { wholeNumbers } from './whole-numbers.ts'

export type IdentityDatabase = Kysely<IdentityTables>

export type IdentityDatabaseResult =
  | { readonly kind: 'open'; readonly database: IdentityDatabase; readonly close: () => Promise<void> }
  | Refused

export interface IdentityDatabaseOptions extends Omit<DatabaseOptions, 'path' | 'threads' | 'failpoints'> {
  readonly dataFolder: string
}

export async function openIdentityDatabase({
  dataFolder,
  ...options
}: IdentityDatabaseOptions): Promise<IdentityDatabaseResult> {
  const opened = await openDatabase<IdentityTables>({
    ...options,
    path: join(dataFolder, 'identity.db'),
    threads: identityThreads,
  })
  if (opened.kind === 'refused') return opened
  const { database, close } = opened.database
  return { kind: 'open', database: database.withPlugin(wholeNumbers), close }
}
