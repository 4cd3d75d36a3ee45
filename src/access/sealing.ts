/**
 * Secrets that must be read again, sealed for the store: AES-256-GCM under a key of one purpose, bound to the words
 * that say what the secret is for, so that a sealed text that is moved beside other words does not open.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { RandomBytes } from '../base/ids.ts'

export interface Sealing {
  seal(secret: string, boundTo: readonly string[]): Uint8Array
  /** undefined: it was sealed with another key or for other words, or was changed since. */
  open(sealed: Uint8Array, boundTo: readonly string[]): string | undefined
}

const algorithm = 'aes-256-gcm'
/** The first byte, so that another form can follow. */
const form = 1
const nonceBytes = 12
const tagBytes = 16
const headBytes = 1 + nonceBytes + tagBytes

/** `key`: 32 bytes, derived for sealing this kind of secret and for nothing else. */
export function openSealing(key: Uint8Array, random: RandomBytes): Sealing {
  return {
    seal(secret, boundTo) {
      const nonce = random(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(words(boundTo))
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.from([form]), nonce, cipher.getAuthTag(), sealed])
    },
    open(sealed, boundTo) {
      if (sealed.length < headBytes || sealed[0] !== form) return undefined
      const nonce = sealed.subarray(1, 1 + nonceBytes)
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
        .setAAD(words(boundTo))
        .setAuthTag(sealed.subarray(1 + nonceBytes, headBytes))
      const opened = decipher.update(sealed.subarray(headBytes))
      try {
        return Buffer.concat([opened, decipher.final()]).toString('utf8')
      } catch {
        // The tag does not fit: the one thing that `final` refuses.
        return undefined
      }
    },
  }
}

/** JSON keeps `['a', 'bc']` and `['ab', 'c']` apart. */
function words(boundTo: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(boundTo))
}
