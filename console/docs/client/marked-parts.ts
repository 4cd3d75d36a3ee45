/** A text in parts, of which some match a search. Pure. */

export interface TextPart {
  readonly part: string
  readonly isMatch: boolean
}

/** One word of the search index: it splits at spaces and punctuation. */
const word = /([^\n\r\p{Z}\p{P}]+)/u

/** `words`: in lower case. The parts joined are the text. */
export function markedParts(text: string, words: ReadonlySet<string>): readonly TextPart[] {
  return text
    .split(word)
    .filter((part) => part !== '')
    .map((part) => ({ part, isMatch: words.has(part.toLowerCase()) }))
}

const shownCharactersMax = 160
/** What is shown before a word that is found further on. */
const beforeCharacters = 30

/** The part of a text around its first word that matches: its beginning, if the word is there or nowhere. */
export function excerptOf(text: string, words: ReadonlySet<string>): string {
  const parts = markedParts(text, words)
  const first = parts.findIndex(({ isMatch }) => isMatch)
  const at = parts.slice(0, Math.max(first, 0)).reduce((sum, { part }) => sum + part.length, 0)
  if (at < shownCharactersMax / 3) return text.slice(0, shownCharactersMax)
  const from = text.lastIndexOf(' ', at - beforeCharacters) + 1
  return `${from === 0 ? '' : '… '}${text.slice(from, from + shownCharactersMax)}`
}
