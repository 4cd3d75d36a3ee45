/**
 * How opaque values of any maker stand in the signature of a Messages thinking block: the format's own as
 * they are, all others tagged. A thought that nobody sealed gets a tag too, so that it is never taken for Claude's.
 */
import { tagged, unsealed } from '../marks.ts'
import type { Maker, Seal } from '../neutral.ts'

/** Who makes this format's own seals. */
export const ownMaker: Maker = 'anthropic'

/** The text of a `signature`, or of the `data` of a redacted block. */
export function signatureOf(seal: Seal | null): string {
  return seal?.maker === ownMaker ? seal.data : tagged(seal ?? unsealed)
}

/** In the `encrypted_index` of a citation that is not Anthropic's. */
export const citationSeal: Seal = unsealed
