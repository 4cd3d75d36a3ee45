/** Opens the store that the configuration names: the embedded database of the data folder, or PostgreSQL. */
import type { Clock } from '../base/clock.ts'
import type { RandomBytes } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/config.ts'
import { type OpenResult, openStore } from '../store/store.ts'
import { threadEntries } from './thread-entries.ts'

export interface OpenStoreOptions {
  readonly clock: Clock
  readonly random: RandomBytes
  readonly log: Log
  /** The store can do nothing any more: the process should end. */
  readonly onLost: (error: Error) => void
}

/** The store, or why it cannot be opened. */
export async function openServerStore(config: Config, options: OpenStoreOptions): Promise<OpenResult> {
  const { clock, onLost, log } = options
  const onTrouble = (error: unknown): void =>
    log.error({ err: error }, 'the lease of this process on the database could not be renewed or ended')
  if (config.databaseUrl !== null) {
    // Its client takes memory that an embedded installation has no use for.
    const { openServerPostgres } = await import('./postgres-store.ts')
    return openServerPostgres(config.databaseUrl, config, { ...options, onTrouble })
  }
  return openStore({
    dataDirectory: config.dataFolder,
    threads: threadEntries,
    clock,
    limits: config.limits,
    onLost,
    failpoints: config.failpoint ?? undefined,
  })
}
