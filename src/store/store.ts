/**
 * The store: one data directory with its lock and its database. It knows threads, batches and statements, and
 * nothing of the tables' meaning.
 *
 * `const opened = await openStore({ dataDirectory, threads: storeThreads, clock, limits, … })`
 * `if (opened.kind === 'rejected') …opened.message…; else opened.store`
 */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AttachOptions,
  attachDatabase,
  type DatabaseOptions,
  type OpenDatabase,
  openDatabase,
  type Rejected,
} from './database.ts'
import { type Lock, takeLock } from './lock.ts'
import type { SharedChange } from './postgres/shared-changes.ts'
import type { Tables } from './tables.ts'

export type { Rejected, StoreLimits, StorePorts } from './database.ts'

export interface StoreOptions extends Omit<DatabaseOptions, 'path' | 'clients'> {
  /** Created (0700) when it is not there; holds `tollgate.db` and `lock.db`. */
  readonly dataDirectory: string
  /** Other threads that will use it; left out: none. */
  readonly clients?: number
}

export interface AttachStoreOptions extends Omit<AttachOptions, 'path' | 'onChange'> {
  readonly dataDirectory: string
}

export interface Store extends OpenDatabase<Tables> {
  /** Calls the listener with what other threads, and other processes on the same database, have changed. */
  listen(listener: (change: SharedChange) => void): void
  /**
   * Waits for a lock that one process of all on this database has, and resolves with what releases it; so does the end of the
   * process. Rejects with store_unavailable after a while. An embedded database has one process.
   */
  lock(name: string): Promise<() => Promise<void>>
  /** Closing it gives the lock back, too. */
  close(): Promise<void>
}

export type OpenResult = { readonly kind: 'open'; readonly store: Store } | Rejected

/** Opens the directory for this process alone and brings its schema up to date. */
export async function openStore({
  dataDirectory,
  clients = 0,
  ...options
}: StoreOptions): Promise<OpenResult> {
  const claimed = claimDataFolder(dataDirectory)
  if (claimed.kind === 'rejected') return claimed
  const changes = sharedChanges()
  const opened = await openDatabase<Tables>({
    ...options,
    path: databasePath(dataDirectory),
    clients: { count: clients, onChange: changes.onChange },
  })
  if (opened.kind === 'rejected') {
    claimed.lock.release()
    return opened
  }
  let closing: Promise<void> | undefined
  const store: Store = {
    ...opened.database,
    listen: changes.listen,
    lock: async () => async () => {},
    close() {
      closing ??= opened.database.close().finally(() => claimed.lock.release())
      return closing
    },
  }
  return { kind: 'open', store }
}

/** The store in a thread that did not open it. */
export function attachStore({ dataDirectory, ...options }: AttachStoreOptions): Store {
  const changes = sharedChanges()
  const path = databasePath(dataDirectory)
  const database = attachDatabase<Tables>({ ...options, path, onChange: changes.onChange })
  return { ...database, listen: changes.listen, lock: async () => async () => {} }
}

/** Keeps what is changed until there is a listener, so that no change is missed. */
export function sharedChanges(): Pick<Store, 'listen'> & {
  readonly onChange: (change: SharedChange) => void
} {
  const early: SharedChange[] = []
  let listener = (change: SharedChange): void => void early.push(change)
  return {
    onChange: (change) => listener(change),
    listen(onChange) {
      listener = onChange
      for (const change of early.splice(0)) onChange(change)
    },
  }
}

/** Takes the folder for this process alone; created (0700) when it is not there. */
export function claimDataFolder(
  dataDirectory: string,
): Rejected | { readonly kind: 'claimed'; readonly lock: Lock } {
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
    const lock = takeLock(join(dataDirectory, 'lock.db'))
    if (lock !== undefined) return { kind: 'claimed', lock }
  } catch (error) {
    return {
      kind: 'rejected',
      reason: 'failed',
      message: `${dataDirectory} cannot be used: ${String(error)}`,
    }
  }
  return {
    kind: 'rejected',
    reason: 'locked',
    message: `Another process of this program is using ${dataDirectory}. Stop it first, or choose another data directory.`,
  }
}

/** With what is not yet written back into the database's own file. */
export function databaseBytes(dataDirectory: string): number {
  const path = databasePath(dataDirectory)
  return [path, `${path}-wal`].reduce((sum, file) => {
    return sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0)
  }, 0)
}

export const databasePath = (dataFolder: string): string => join(dataFolder, 'tollgate.db')
