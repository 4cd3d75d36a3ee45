/**
 * How opaque values of other makers stand in the `encrypted_content` of a reasoning item: tagged, so that
 * they are never taken for OpenAI's. A thought that nobody sealed gets a tag too: OpenAI would look for an
 * item without one among those it keeps.
 */
import { tagged, unsealed } from '../marks.ts'
import type { Maker, Seal, ThinkingPart } from '../neutral.ts'

/** Who makes this format's own seals. */
export const ownMaker: Maker = 'openai'

/** Thoughts that their maker hides altogether are another kind of block there. */
const redactedPrefix = 'redacted:'

/** The text of `encrypted_content`. */
export function encryptedContent({ seal, redacted }: Pick<ThinkingPart, 'seal' | 'redacted'>): string {
  if (seal === null) return tagged(unsealed)
  if (seal.maker === ownMaker) return ownContent(seal)?.content ?? tagged(unsealed)
  return tagged(redacted ? { ...seal, data: `${redactedPrefix}${seal.data}` } : seal)
}

export function openedSeal(seal: Seal): { readonly seal: Seal; readonly redacted: boolean } {
  return seal.data.startsWith(redactedPrefix)
    ? { seal: { ...seal, data: seal.data.slice(redactedPrefix.length) }, redacted: true }
    : { seal, redacted: false }
}

/** Id and content of OpenAI's own item; null for what is none. */
export function ownContent(seal: Seal): { readonly id: string; readonly content: string } | null {
  const at = seal.data.indexOf('.')
  if (seal.maker !== ownMaker || at === -1 || at === seal.data.length - 1) return null
  return { id: seal.data.slice(0, at), content: seal.data.slice(at + 1) }
}
