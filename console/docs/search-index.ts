/** What the search of the documentation knows: one entry for each section of each page. */
import MiniSearch from 'minisearch'
import { indexOptions, type SearchEntry } from './client/search-options.ts'

export interface SearchablePage {
  readonly path: string
  readonly title: string
  readonly html: string
}

export function searchIndex(pages: readonly SearchablePage[]): string {
  const index = new MiniSearch<SearchEntry>(indexOptions)
  index.addAll(pages.flatMap(entriesOf))
  return JSON.stringify(index)
}

/** As much of a section as a result may show a part of. */
const excerptCharactersMax = 800

function entriesOf({ path, title, html }: SearchablePage): SearchEntry[] {
  const parts = html.split(/(?=<h[23] id=")/)
  return parts.flatMap((part) => {
    const [, id, heading] = /^<h[23] id="([^"]+)">(.*?)<\/h[23]>/s.exec(part) ?? []
    const text = textOf(part.replace(/^<h[1-3][^>]*>.*?<\/h[1-3]>/s, ''))
    const place = id === undefined ? path : `${path}#${id}`
    const section = {
      ...{ id: place, title, text },
      heading: heading === undefined ? '' : textOf(heading),
      excerpt: text.slice(0, excerptCharactersMax),
    }
    return [section, ...settingsIn(part).map((row) => ({ ...row, id: `${place}?${row.heading}`, title }))]
  })
}

/** The environment variables of a table: each is found by its own row. */
function settingsIn(part: string): Pick<SearchEntry, 'heading' | 'text' | 'excerpt'>[] {
  const rows = part.matchAll(/<tr>\s*<td><code>([A-Z][A-Z\d_]{3,})<\/code><\/td>(.*?)<\/tr>/gs)
  return [...rows].map(([, name = '', cells = '']) => {
    const text = textOf(cells)
    return { heading: name, text, excerpt: text.slice(0, excerptCharactersMax) }
  })
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }

function textOf(html: string): string {
  return html
    .replaceAll(/<svg[\s\S]*?<\/svg>/g, ' ')
    .replaceAll(/<[^>]+>/g, (tag) => (/^<\/?(?:code|strong|em|a|span)\b/.test(tag) ? '' : ' '))
    .replaceAll(/&(?:#(x?)([\da-f]+)|(\w+));/gi, (whole, hex: string, digits: string, name: string) =>
      digits === undefined
        ? (entities[name] ?? whole)
        : String.fromCodePoint(Number.parseInt(digits, hex === '' ? 10 : 16)),
    )
    .replaceAll(/\s+/g, ' ')
    .trim()
}
