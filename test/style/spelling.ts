/** Spelling of a text in American English, by the dictionary and the words of the product. Code and addresses are skipped. */
import dictionary from 'dictionary-en'
import nspell from 'nspell'
import { codeWords, productNames, productWords } from './product-words.ts'

const checker = nspell(Buffer.from(dictionary.aff), Buffer.from(dictionary.dic))
for (const word of [productNames, ...productWords, codeWords].flatMap((words) => words.split(' '))) {
  checker.add(word)
}

/** Addresses, paths, names with a dot, settings, values, code in backticks, entities of HTML, and names of utility classes. */
const code =
  /`[^`]*`|https?:\S+|<[^>]*>|&\w+;|\\\w|\S*\w[.:]\w\S*|\S*[/_@=$[\]{}#*]\S*|\b[a-z]+-(?:\S*\d|\[)\S*|\b\w*\d\w*/g
/** Whole words of lower case, also with a capital first: what has a capital inside is a name. */
const wordForm = /(?<![\w-])[A-Za-z][a-z']*[a-z](?!-?\w)/g
const known = new Map<string, boolean>()

function isKnown(word: string): boolean {
  const found = known.get(word) ?? (checker.correct(word) || checker.correct(word.toLowerCase()))
  known.set(word, found)
  return found
}

/** The words of a text that no dictionary has. */
export function misspelledIn(text: string): string[] {
  const words = text.replaceAll('’', "'").replaceAll(code, ' ').match(wordForm) ?? []
  return words.map((word) => word.replace(/'s$/, '')).filter((word) => !isKnown(word))
}
