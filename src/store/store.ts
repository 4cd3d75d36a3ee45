/**
 * The store: one data directory with its lock and its database. It knows threads, batches and statements, and
 * nothing of the tables' meaning.
 *
 * `const opened = await openStore({ dataDirectory, threads: storeThreads, clock, limits, … })`
 * `if (opened.kind === 'refused') …opened.message…; else opened.store`
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type DatabaseOptions, type OpenDatabase, openDatabase, type Refused } from './database.ts'
import { databasePath } from './database-path.ts'
import { type Lock, takeLock } from './lock.ts'
import type { SharedChange } from './postgres/shared-changes.ts'
import type { Tables } from './tables.ts'

export type { Refused, StoreLimits } from './database.ts'

export interface StoreOptions extends Omit<DatabaseOptions, 'path'> {
  /** Created (0700) when it is not there; holds `tollgate.db` and `lock.db`. */
  readonly dataDirectory: string
}

export interface Store extends OpenDatabase<Tables> {
  /** Calls the listener with what other processes on the same database change; an embedded database has none. */
  listen(listener: (change: SharedChange) => void): void
  /** Closing it gives the lock back, too. */
  close(): Promise<void>
}

export type OpenResult = { readonly kind: 'open'; readonly store: Store } | Refused

/** Opens the directory for this process alone and brings its schema up to date. */
export async function openStore({ dataDirectory, ...options }: StoreOptions): Promise<OpenResult> {
  const claimed = claimDataFolder(dataDirectory)
  if (claimed.kind === 'refused') return claimed
  const opened = await openDatabase<Tables>({ ...options, path: databasePath(dataDirectory) })
  if (opened.kind === 'refused') {
    claimed.lock.release()
    return opened
  }
  let closing: Promise<void> | undefined
  const store: Store = {
    ...opened.database,
    listen() {},
    close() {
      closing ??= opened.database.close().finally(() => claimed.lock.release())
      return closing
    },
  }
  return { kind: 'open', store }
}

/** Takes the folder for this process alone; created (0700) when it is not there. */
export function claimDataFolder(
  dataDirectory: string,
): Refused | { readonly kind: 'claimed'; readonly lock: Lock } {
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
    const lock = takeLock(join(dataDirectory, 'lock.db'))
    if (lock !== undefined) return { kind: 'claimed', lock }
  } catch (error) {
    return { kind: 'refused', reason: 'failed', message: `${dataDirectory} cannot be used: ${String(error)}` }
  }
  return {
    kind: 'refused',
    reason: 'locked',
    message: `Another process of this program is using ${dataDirectory}. Stop it first, or choose another data directory.`,
  }
}
