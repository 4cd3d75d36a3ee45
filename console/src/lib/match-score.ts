/** How well a text matches what was typed, for lists that are searched by typing. Pure. */

/** 0: it does not match; 1: it begins with the search. Every word of the search must occur, in any order. */
export function matchScore(text: string, search: string): number {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return 1
  const scores = words.map((word) => wordScore(text.toLowerCase(), word))
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0) / scores.length
}

function wordScore(text: string, word: string): number {
  if (text.startsWith(word)) return 1
  const at = text.indexOf(word)
  if (at > 0) return isWordStart(text, at) ? 0.8 : 0.5
  // "gpt55" finds "gpt-5.5".
  const plain = lettersAndDigits(word)
  return plain !== '' && lettersAndDigits(text).includes(plain) ? 0.3 : 0
}

const isWordStart = (text: string, at: number): boolean => /[^\p{L}\p{N}]/u.test(text[at - 1] ?? ' ')

const lettersAndDigits = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '')
