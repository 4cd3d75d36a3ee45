/**
 * Backs up a data folder, with or without a running server: a consistent copy of each database, the root secret, and a
 * verification of the copy. The new folder appears under its name only when it is complete.
 */
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { secretPath } from '../access/secret.ts'
import { identityPath } from '../identity/store/database.ts'
import type { VerifyReport } from '../ledger/types.ts'
import { verifyFolder } from '../ledger/verify/verify-folder.ts'
import { copyDatabase, syncToDisk } from '../store/copy-database.ts'
import { databasePath } from '../store/store.ts'

interface Backup {
  /** Absolute path. */
  readonly folder: string
  /** False where the secret is set by a variable, so that it must be stored elsewhere. */
  readonly hasSecret: boolean
  /** Verification of the copy. */
  readonly report: VerifyReport
}

export type BackupResult =
  | { readonly kind: 'done'; readonly backup: Backup }
  | { readonly kind: 'rejected'; readonly message: string }

/** A file of the data folder whose modification time is the last complete backup's. */
export const lastBackupPath = (dataFolder: string): string => join(dataFolder, 'last-backup')

/** @param target a folder that does not exist or is empty */
export function backUp(dataFolder: string, target: string, driftLinesMax: number): BackupResult {
  const folder = resolve(target)
  if (!existsSync(databasePath(dataFolder))) {
    return { kind: 'rejected', message: `No database found in ${dataFolder}.` }
  }
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    return { kind: 'rejected', message: `${folder} is not empty. Choose a new folder for each backup.` }
  }
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 })
  // A new folder of this user alone: in a folder writable by others, a known name could be theirs.
  const draft = mkdtempSync(`${folder}.partial-`)
  try {
    const hasSecret = copyAll(dataFolder, draft)
    const verified = verifyFolder(draft, driftLinesMax)
    if (verified.kind === 'rejected') return verified
    syncToDisk(draft)
    renameSync(draft, folder)
    syncToDisk(dirname(folder))
    writeFileSync(lastBackupPath(dataFolder), `${folder}\n`, { mode: 0o600 })
    return { kind: 'done', backup: { folder, hasSecret, report: verified.result } }
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/**
 * The ledger first: a person who signs up in between is in the later copy alone and gets an account with the next sign-in.
 * Returns whether there is a file with the secret.
 */
function copyAll(dataFolder: string, draft: string): boolean {
  for (const path of [databasePath(dataFolder), identityPath(dataFolder)]) {
    if (existsSync(path)) copyDatabase(path, join(draft, basename(path)))
  }
  const secret = secretPath(dataFolder)
  if (!existsSync(secret)) return false
  copyFileSync(secret, join(draft, basename(secret)), constants.COPYFILE_EXCL)
  syncToDisk(join(draft, basename(secret)))
  return true
}
