/**
 * The identity database: the tables of identity and how they are opened. A file of its own beside the ledger's, so that
 * a sign-in never delays a charge. Must not decide anything about a person.
 */
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import {
  type LocalDatabase,
  type LocalDatabaseResult,
  openLocalDatabase,
} from '../../store/local-database.ts'
import { identityMigrations } from './migrations/index.ts'
import type { IdentityTables } from './tables.ts'

export type IdentityDatabase = Kysely<IdentityTables>
export type IdentityStore = LocalDatabase<IdentityTables>

export interface IdentityStoreOptions {
  readonly dataFolder: string
  readonly nowMs: number
  readonly onLost: (error: Error) => void
}

/** Where a data folder keeps it. */
export const identityPath = (dataFolder: string): string => join(dataFolder, 'identity.db')

/** In the calling thread. The caller owns the data folder, under the ledger's lock. */
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
