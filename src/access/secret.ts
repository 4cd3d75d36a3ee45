/**
 * The root secret of an installation: read from the configuration, or generated once and stored in the data folder,
 * and checked against the database, because with another secret no stored key would be found. It is never
 * used itself: each purpose gets a separate derived key.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { RandomBytes } from '../base/ids.ts'
import type { Settings } from '../store/settings.ts'

/** The purposes of derived keys; a released purpose must never be renamed. */
export type SecretPurpose =
  | 'api-key-hash'
  | 'secret-check'
  | 'address-fold'
  | 'management-key-hash'
  | 'upstream-credentials'
  | 'redeem-code'
  | 'identity'
  | 'uploads'
  | 'provider-keys'

export interface RootSecret {
  /** 32 bytes for this purpose alone; the same for the same root secret. */
  keyFor(purpose: SecretPurpose): Uint8Array
}

export type RootSecretResult =
  | { readonly kind: 'secret'; readonly secret: RootSecret }
  /** A sentence for the operator; the server must not start. */
  | { readonly kind: 'rejected'; readonly message: string }

export interface SecretSource {
  readonly dataFolder: string
  /** The configured secret; null: the file in the data folder, created when there is none. */
  readonly configured: string | null
  readonly random: RandomBytes
  readonly settings: Settings
}

/** The setting by which a database recognizes its secret. */
export const secretCheckSetting = 'secret_check'
const secretBytes = 32
const charactersMin = 32

/** The file with the root secret, where it is not configured. */
export const secretPath = (dataFolder: string): string => join(dataFolder, 'secret')

/** Reads or makes the root secret. Only the process that owns the data folder may call it. */
export async function openSecret(source: SecretSource): Promise<RootSecretResult> {
  const stored = await source.settings.get(secretCheckSetting)
  const text =
    source.configured ?? secretText(secretPath(source.dataFolder), source.random, stored !== undefined)
  if (typeof text !== 'string') return text
  const secret = derive(text)
  const agreed = await source.settings.claim(secretCheckSetting, checkOf(secret))
  if (matchesDatabase(text, agreed)) return { kind: 'secret', secret }
  return rejected(
    'The root secret does not match the one this database was created with. Every API key depends on it. ' +
      'Start with the previous TOLLGATE_SECRET, or restore the previous file `secret` in the data folder.',
  )
}

/** Whether a secret is the one of a database, by what that has stored under `secretCheckSetting`. */
export function matchesDatabase(secret: string, stored: string): boolean {
  const [one, other] = [Buffer.from(checkOf(derive(secret))), Buffer.from(stored)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const checkOf = (secret: RootSecret): string =>
  createHmac('sha256', secret.keyFor('secret-check')).update('tollgate').digest('hex')

function derive(text: string): RootSecret {
  return {
    keyFor: (purpose) => new Uint8Array(hkdfSync('sha256', text, '', `tollgate ${purpose}`, secretBytes)),
  }
}

function secretText(path: string, random: RandomBytes, isExpected: boolean): string | RootSecretResult {
  if (!existsSync(path)) {
    if (!isExpected) return makeFile(path, Buffer.from(random(secretBytes)).toString('hex'))
    return rejected(
      `The root secret ${path} is missing, and every API key depends on it. Restore it from a backup, or set TOLLGATE_SECRET.`,
    )
  }
  // Windows has no such bits and always shows the file as open to all.
  const isOpen = process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0
  if (isOpen) {
    return rejected(`The root secret is readable by other users. Run: chmod 600 ${path}`)
  }
  const text = readFileSync(path, 'utf8').trim()
  return text.length >= charactersMin
    ? text
    : rejected(`The root secret ${path} is damaged: it is too short.`)
}

/** Written atomically: complete or absent, even after a power failure. */
function makeFile(path: string, text: string): string {
  const draft = `${path}.new`
  rmSync(draft, { force: true })
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, `${text}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
  return text
}

function rejected(message: string): RootSecretResult {
  return { kind: 'rejected', message }
}
