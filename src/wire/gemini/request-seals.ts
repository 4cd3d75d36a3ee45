/**
 * What stands in a `thoughtSignature`: Google's own value, another maker's with our tag, or the stand-in
 * that Google documents for calls that another model made. Must not let a tag be taken for Google's.
 */
import { readTagBase64, signedPlace, taggedBase64 } from '../marks.ts'
import type { Maker, Seal, ThinkingPart } from '../neutral.ts'

const ownMaker: Maker = 'google'

/** `skip_thought_signature_validator` in base64: https://ai.google.dev/gemini-api/docs/thought-signatures#faqs */
export const standIn = 'c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I='

/** The two documented stand-ins, plain and in base64. */
const standIns: readonly string[] = [
  'skip_thought_signature_validator',
  'c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I',
  'context_engineering_is_the_way_to_go',
  'Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv',
]

/** Thoughts that their maker hides altogether are another kind of block there. */
const redactedPrefix = 'redacted:'

/** `none`: says nothing of who thought what. `broken`: a tag of ours that came back damaged. */
export type ReadSignature =
  | { readonly kind: 'none' | 'broken' }
  | { readonly kind: 'seal'; readonly seal: Seal; readonly redacted: boolean }

export function readSignature(text: string): ReadSignature {
  if (text === '' || standIns.includes(text.replace(/=+$/, ''))) return { kind: 'none' }
  const tag = readTagBase64(text)
  if (tag.kind !== 'seal') {
    if (tag.kind === 'broken') return { kind: 'broken' }
    return { kind: 'seal', seal: { maker: ownMaker, data: text }, redacted: false }
  }
  const { maker, data } = tag.seal
  return data.startsWith(redactedPrefix)
    ? { kind: 'seal', seal: { maker, data: data.slice(redactedPrefix.length) }, redacted: true }
    : { kind: 'seal', seal: tag.seal, redacted: false }
}

/** Whether the seal is Google's, which alone means something to its models. */
export function isOwn(seal: Seal | null | undefined): seal is Seal & { readonly maker: 'google' } {
  return seal?.maker === ownMaker
}

/** Google's own value, as it was. */
export function ownSignature(seal: Seal & { readonly maker: 'google' }): string {
  return signedPlace(seal) === null ? seal.data : seal.data.slice(1)
}

/** The signature that carries the seal to a client of this format; undefined where there is none. */
export function signatureOf({ seal, redacted }: Pick<ThinkingPart, 'seal' | 'redacted'>): string | undefined {
  if (seal === null) return undefined
  if (isOwn(seal)) return ownSignature(seal)
  return taggedBase64(redacted ? { ...seal, data: `${redactedPrefix}${seal.data}` } : seal)
}
