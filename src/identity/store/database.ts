/**
 * Opens the identity database, a file separate from the ledger's, so that a sign-in never delays a charge. Must not decide
 * anything about a person.
 */
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import {
  type LocalDatabase,
  type LocalDatabaseOptions,
  type LocalDatabaseResult,
  openLocalDatabase,
} from '../../store/local-database.ts'
import { identityMigrations } from './migrations/index.ts'
import type { IdentityTables } from './tables.ts'

export type IdentityDatabase = Kysely<IdentityTables>
export type IdentityStore = LocalDatabase<IdentityTables>

export interface IdentityStoreOptions {
  readonly dataFolder: string
  /** Instead of a file in the data folder. */
  readonly postgres?: LocalDatabaseOptions['postgres']
  readonly nowMs: number
  readonly onLost: (error: Error) => void
}

/** The path of the identity database in a data folder. */
export const identityPath = (dataFolder: string): string => join(dataFolder, 'identity.db')

/** Opens it in the calling thread. The caller must hold the data folder's lock. */
export function openIdentityStore({
  dataFolder,
  ...options
}: IdentityStoreOptions): LocalDatabaseResult<IdentityTables> {
  return openLocalDatabase<IdentityTables>({
    ...options,
    path: identityPath(dataFolder),
    migrations: identityMigrations,
  })
}
