/** The index of the search, read once it is needed. */
import MiniSearch from 'minisearch'
import { indexOptions, type SearchEntry } from './search-options.ts'

/** `json`: as the build wrote it. */
export function openIndex(
  json: string,
): (query: string) => readonly Pick<SearchEntry, 'id' | 'title' | 'heading' | 'excerpt'>[] {
  const index = MiniSearch.loadJSON<SearchEntry>(json, indexOptions)
  return (query) =>
    index.search(query).map(({ id, title, heading, excerpt }) => ({
      // The part after the question mark is the row of a table; the address of the page is before it.
      id: String(id).split('?', 1)[0] ?? '',
      title: String(title),
      heading: String(heading),
      excerpt: String(excerpt),
    }))
}
