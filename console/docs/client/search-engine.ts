/** The index of the search, read once it is needed. */
import MiniSearch from 'minisearch'
import { indexOptions, type SearchEntry } from './search-options.ts'

export interface FoundSection extends Pick<SearchEntry, 'id' | 'title' | 'heading' | 'excerpt'> {
  /** Those of the section that match, in lower case. */
  readonly words: ReadonlySet<string>
}

/** `json`: as the build wrote it. */
export function openIndex(json: string): (query: string) => readonly FoundSection[] {
  const index = MiniSearch.loadJSON<SearchEntry>(json, indexOptions)
  return (query) =>
    index.search(query).map(({ id, title, heading, excerpt, terms }) => ({
      // The part after the question mark is the row of a table; the address of the page is before it.
      id: String(id).split('?', 1)[0] ?? '',
      title: String(title),
      heading: String(heading),
      excerpt: String(excerpt),
      words: new Set(terms),
    }))
}
