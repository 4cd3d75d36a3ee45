/**
 * The content of a `thoughtSignature`: Google's own value, another vendor's with our tag, or the placeholder
 * that Google documents for calls that another model made. Must not let a tag be taken for Google's.
 */

import type { EncryptedReasoning, ThinkingPart, Vendor } from '../translation/neutral.ts'
import { isUnencrypted, readTagBase64, taggedBase64, unencrypted } from '../translation/reasoning-carriers.ts'

const ownMaker: Vendor = 'google'

/**
 * The placeholder as it goes upstream: of the documented ones the only one that Vertex AI takes, which does not recognize it in
 * base64. ai.google.dev/gemini-api/docs/thought-signatures#faqs, docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures,
 * github.com/langchain-ai/langchain-google/issues/1570, 2026-11
 */
export const standIn = 'skip_thought_signature_validator'

/** The same in an answer: valid base64, as Google's libraries demand, which `stripCarriers` replaces wherever the history goes. */
export const clientStandIn = taggedBase64(unencrypted)

/** The two documented placeholders, plain and in base64. */
const standIns: readonly string[] = [
  'skip_thought_signature_validator',
  'c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I',
  'context_engineering_is_the_way_to_go',
  'Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv',
]

/** Thoughts that their vendor hides altogether are another kind of block there. */
const redactedPrefix = 'redacted:'

/** `none`: says nothing of who thought what. `broken`: a tag of ours that came back damaged. */
export type ReadSignature =
  | { readonly kind: 'none' | 'broken' }
  | { readonly kind: 'encrypted'; readonly encrypted: EncryptedReasoning; readonly redacted: boolean }

export function readSignature(text: string): ReadSignature {
  if (text === '' || standIns.includes(text.replace(/={1,2}$/, ''))) return { kind: 'none' }
  const tag = readTagBase64(text)
  if (tag.kind !== 'encrypted' || isUnencrypted(tag.encrypted)) {
    if (tag.kind === 'encrypted') return { kind: 'none' }
    if (tag.kind === 'broken') return { kind: 'broken' }
    return { kind: 'encrypted', encrypted: { vendor: ownMaker, data: text }, redacted: false }
  }
  const { vendor, data } = tag.encrypted
  return data.startsWith(redactedPrefix)
    ? { kind: 'encrypted', encrypted: { vendor, data: data.slice(redactedPrefix.length) }, redacted: true }
    : { kind: 'encrypted', encrypted: tag.encrypted, redacted: false }
}

/** Whether the encrypted value is Google's, which alone means something to its models. */
export function isOwn(
  encrypted: EncryptedReasoning | null | undefined,
): encrypted is EncryptedReasoning & { readonly vendor: 'google' } {
  return encrypted?.vendor === ownMaker
}

/** The signature that carries the encrypted value to a client of this format; undefined where there is none. */
export function signatureOf({
  encrypted,
  redacted,
}: Pick<ThinkingPart, 'encrypted' | 'redacted'>): string | undefined {
  if (encrypted === null) return undefined
  if (isOwn(encrypted)) return encrypted.data
  return taggedBase64(redacted ? { ...encrypted, data: `${redactedPrefix}${encrypted.data}` } : encrypted)
}
