/**
 * Encrypts secrets that must be read back from the store: AES-256-GCM under a single-purpose key. The associated data
 * names what the secret is for, so that a ciphertext copied to another row does not decrypt.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { RandomBytes } from '../base/ids.ts'

export interface SecretSealer {
  seal(secret: string, boundTo: readonly string[]): Uint8Array
  /** undefined: sealed with another key or other associated data, or modified since. */
  open(sealed: Uint8Array, boundTo: readonly string[]): string | undefined
}

const algorithm = 'aes-256-gcm'
/** A version byte, so that the format can change. */
const form = 1
const nonceBytes = 12
const tagBytes = 16
const headBytes = 1 + nonceBytes + tagBytes

/** `key`: 32 bytes, derived for this kind of secret only. */
export function createSealer(key: Uint8Array, random: RandomBytes): SecretSealer {
  return {
    seal(secret, boundTo) {
      const nonce = random(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(associatedData(boundTo))
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.from([form]), nonce, cipher.getAuthTag(), sealed])
    },
    open(sealed, boundTo) {
      if (sealed.length < headBytes || sealed[0] !== form) return undefined
      const nonce = sealed.subarray(1, 1 + nonceBytes)
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
        .setAAD(associatedData(boundTo))
        .setAuthTag(sealed.subarray(1 + nonceBytes, headBytes))
      const opened = decipher.update(sealed.subarray(headBytes))
      try {
        return Buffer.concat([opened, decipher.final()]).toString('utf8')
      } catch {
        // `final` throws only when the authentication tag does not match.
        return undefined
      }
    },
  }
}

/** JSON, so that `['a', 'bc']` and `['ab', 'c']` differ. */
function associatedData(boundTo: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(boundTo))
}
