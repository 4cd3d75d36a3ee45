/**
 * Gives a data directory one owner: an exclusive transaction that stays open on a file next to the database. The kernel releases it
 * when the process dies, in any way; there is no stale lock to clean up. If the file is removed, the fence in each database still
 * excludes a second writer (sqlite/fence.ts).
 */
import { DatabaseSync } from 'node:sqlite'
import { createPrivately } from './sqlite/connection.ts'

export interface Lock {
  release(): void
}

const sqliteBusy = 5

/** Takes the lock for reading only: keeps owners away and lets others read. Returns undefined when a process has the lock. */
export function takeSharedLock(path: string): Lock | undefined {
  createPrivately(path)
  return locked(
    new DatabaseSync(path, { readOnly: true, timeout: 0 }),
    'BEGIN; SELECT count(*) FROM sqlite_schema',
  )
}

/** Takes the lock, or returns undefined immediately when another process (or this one) has it. */
export function takeLock(path: string): Lock | undefined {
  createPrivately(path)
  return locked(new DatabaseSync(path, { timeout: 0 }), 'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
}

function locked(database: DatabaseSync, take: string): Lock | undefined {
  try {
    database.exec(take)
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined
    throw error
  }
  return { release: () => database.close() }
}
