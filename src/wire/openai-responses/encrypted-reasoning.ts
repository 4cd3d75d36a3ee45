/**
 * How opaque values of other vendors are written in the `encrypted_content` of a reasoning item: tagged, so that
 * they are never taken for OpenAI's. Reasoning without encrypted content gets a tag too: OpenAI would look up an
 * item without one among those it stores.
 */

import type { EncryptedReasoning, ThinkingPart, Vendor } from '../translation/neutral.ts'
import { tagged, unencrypted } from '../translation/reasoning-carriers.ts'

/** Who makes this format's own encrypted values. */
export const ownVendor: Vendor = 'openai'

/** Thoughts that their vendor hides altogether are another kind of block there. */
const redactedPrefix = 'redacted:'

/** The text of `encrypted_content`. */
export function encryptedContent({
  encrypted,
  redacted,
}: Pick<ThinkingPart, 'encrypted' | 'redacted'>): string {
  if (encrypted === null) return tagged(unencrypted)
  if (encrypted.vendor === ownVendor) return ownContent(encrypted)?.content ?? tagged(unencrypted)
  return tagged(redacted ? { ...encrypted, data: `${redactedPrefix}${encrypted.data}` } : encrypted)
}

export function openedEncrypted(encrypted: EncryptedReasoning): {
  readonly encrypted: EncryptedReasoning
  readonly redacted: boolean
} {
  return encrypted.data.startsWith(redactedPrefix)
    ? { encrypted: { ...encrypted, data: encrypted.data.slice(redactedPrefix.length) }, redacted: true }
    : { encrypted, redacted: false }
}

/** Id and content of OpenAI's own item; null for anything else. */
export function ownContent(
  encrypted: EncryptedReasoning,
): { readonly id: string; readonly content: string } | null {
  const at = encrypted.data.indexOf('.')
  if (encrypted.vendor !== ownVendor || at === -1 || at === encrypted.data.length - 1) return null
  return { id: encrypted.data.slice(0, at), content: encrypted.data.slice(at + 1) }
}
