/**
 * Text that is shown as a name. Control characters and bidirectional marks would let one name look like another. Pure.
 */

/** Controls, separators of lines, zero-width spaces, and marks and overrides of the writing direction. */
const hidden = String.raw`\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff`

/** A text without any of them. */
export const visibleText = new RegExp(`^[^${hidden}]*$`, 'u')

export const visibleTextMessage = 'must not contain control characters or text direction marks'

const hiddenCharacters = new RegExp(`[${hidden}]`, 'gu')

/** The text without them: for names that come from another server. */
export function withoutHiddenCharacters(text: string): string {
  return text.replace(hiddenCharacters, '')
}
