/**
 * The record of changes made through the control plane: one line of JSON each in `audit.jsonl` in the
 * data folder, appended and never rewritten. Holds no key.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditRecord } from './control/parts.ts'

export interface AuditLog {
  /** Throws when the line cannot be written: a change without its record must not look well. */
  write(record: AuditRecord): void
  close(): void
}

export function openAuditLog(dataFolder: string): AuditLog {
  // Opened beforehand, so that a folder that cannot be written is known before anything is changed.
  const file = openSync(join(dataFolder, 'audit.jsonl'), 'a', 0o600)
  return {
    write({ atMs, ...record }) {
      writeSync(file, `${JSON.stringify({ at: new Date(atMs).toISOString(), ...record })}\n`)
    },
    close: () => closeSync(file),
  }
}
