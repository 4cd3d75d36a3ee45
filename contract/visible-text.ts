/**
 * Text that people read as a name of something. Control characters and marks that reorder or hide what is written
 * would let one name look like another. Pure.
 */

/** Controls, separators of lines, zero-width spaces, and marks and overrides of the writing direction. */
const hidden = String.raw`\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff`

/** A text without any of them. */
export const visibleText = new RegExp(`^[^${hidden}]*$`, 'u')

export const visibleTextMessage = 'must not contain control characters or marks of the writing direction'

/** The text without them: for names that come from another server. */
export function withoutHiddenCharacters(text: string): string {
  return text.replace(new RegExp(`[${hidden}]`, 'gu'), '')
}
