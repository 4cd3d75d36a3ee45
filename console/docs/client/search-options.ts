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

export const indexOptions: Options<SearchEntry> = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'excerpt'],
  searchOptions: { boost: { title: 4, heading: 3 }, prefix: true, fuzzy: 0.2, combineWith: 'AND' },
}
