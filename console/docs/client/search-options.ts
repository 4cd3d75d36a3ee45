/** How sections are indexed: the build writes with it, the page reads with it. Pure data. */
import type { Options } from 'minisearch'

/** One section of a page. */
export interface SearchEntry {
  /** Its address. */
  readonly id: string
  /** Of the page. */
  readonly title: string
  readonly heading: string
  readonly text: string
  /** The beginning of the text. */
  readonly excerpt: string
}

/** Words of a question that say nothing of its subject. */
const stopWords: ReadonlySet<string> = new Set([
  ...['a', 'an'],
  ...'and are can change do does how i in is it my of on or set the to use what where with'.split(' '),
])

/** A page of tables with every field of every format: it has most words, and is seldom what is sought. */
const isTable = (id: string): boolean => id.startsWith('/docs/compatibility')

export const indexOptions: Options<SearchEntry> = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'excerpt'],
  processTerm: (term) => {
    const word = term.toLowerCase()
    return stopWords.has(word) ? null : word
  },
  searchOptions: {
    boost: { title: 4, heading: 3 },
    boostDocument: (id: string) => (isTable(id) ? 0.2 : 1),
    prefix: true,
    fuzzy: 0.2,
    combineWith: 'AND',
  },
}
