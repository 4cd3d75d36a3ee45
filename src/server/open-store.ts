/** Opens the store that the configuration names: the embedded database of the data folder, or PostgreSQL. */
import type { Clock } from '../base/clock.ts'
import type { RandomBytes } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/config.ts'
import { attachStore, type OpenResult, openStore, type Store, type StorePorts } from '../store/store.ts'
import { threadEntries } from './thread-entries.ts'

export interface OpenStoreOptions {
  readonly clock: Clock
  readonly random: RandomBytes
  readonly log: Log
  /** The store can do nothing any more: the process should end. */
  readonly onLost: (error: Error) => void
  /** Other threads that will use it; left out: none. */
  readonly clients?: number
}

export type AttachServerStoreOptions = Omit<OpenStoreOptions, 'onLost' | 'clients'> & {
  readonly ports: StorePorts
}

/** The store, or why it cannot be opened. */
export async function openServerStore(config: Config, options: OpenStoreOptions): Promise<OpenResult> {
  const { clock, onLost, clients = 0 } = options
  if (config.databaseUrl !== null) {
    // Loaded only here: embedded installations should not pay for its memory.
    const { openServerPostgres } = await import('./postgres-store.ts')
    return openServerPostgres(config.databaseUrl, config, { ...options, onTrouble: leaseTrouble(options) })
  }
  return openStore({
    dataDirectory: config.dataFolder,
    threads: threadEntries,
    clock,
    limits: config.limits,
    onLost,
    clients,
    failpoints: config.failpoint ?? undefined,
  })
}

/** The same store in another thread of the process that has opened it. */
export async function attachServerStore(config: Config, options: AttachServerStoreOptions): Promise<Store> {
  const { clock, ports } = options
  if (config.databaseUrl !== null) {
    const { attachServerPostgres } = await import('./postgres-store.ts')
    return attachServerPostgres(config.databaseUrl, config, { ...options, onTrouble: leaseTrouble(options) })
  }
  return attachStore({
    dataDirectory: config.dataFolder,
    threads: threadEntries,
    clock,
    ports,
    limits: config.limits,
    failpoints: config.failpoint ?? undefined,
  })
}

const leaseTrouble =
  ({ log }: Pick<OpenStoreOptions, 'log'>) =>
  (error: unknown): void =>
    log.error({ err: error }, 'the lease of this process on the database could not be renewed or ended')
