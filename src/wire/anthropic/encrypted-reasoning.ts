/**
 * How opaque values of any vendor are written in the signature of a Messages thinking block: the format's own
 * unchanged, all others tagged. Reasoning without encrypted content gets a tag too, so that it is never taken for Claude's.
 */

import type { EncryptedReasoning, Vendor } from '../translation/neutral.ts'
import { tagged, unencrypted } from '../translation/reasoning-carriers.ts'

/** Who makes this format's own encrypted values. */
export const ownVendor: Vendor = 'anthropic'

/** The text of a `signature`, or of the `data` of a redacted block. */
export function signatureOf(encrypted: EncryptedReasoning | null): string {
  return encrypted?.vendor === ownVendor ? encrypted.data : tagged(encrypted ?? unencrypted)
}

/** In the `encrypted_index` of a citation that is not Anthropic's. */
export const citationEncrypted: EncryptedReasoning = unencrypted
