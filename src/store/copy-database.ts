/**
 * Copies an embedded database into a new file while another process may be writing to it: one read transaction sees one
 * moment, and never blocks the writer. The copy is compact and has no log next to it.
 */
import { chmodSync, closeSync, fsyncSync, openSync } from 'node:fs'
import { openForReading } from './sqlite/connection.ts'

/** `target` must not exist; it is on disk when this returns. Synchronous: for a command, not for a server. */
export function copyDatabase(path: string, target: string): void {
  const database = openForReading(path)
  try {
    // A reading connection allows no writes otherwise, and the copy is one.
    database.exec('PRAGMA query_only = OFF')
    database.prepare('VACUUM INTO ?').run(target)
  } finally {
    database.close()
  }
  chmodSync(target, 0o600)
  syncToDisk(target)
}

/** Syncs a file or a folder. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
