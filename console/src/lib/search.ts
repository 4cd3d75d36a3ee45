/** The search parameters, where filters, tabs and the account are. Strings only: other types are left as they are. */
import { useNavigate, useSearch as useRouterSearch } from '@tanstack/react-router'

export interface Search {
  readonly [name: string]: string | undefined
}

export function readSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text))
}

export function writeSearch(search: Readonly<Record<string, unknown>>): string {
  const set = Object.entries(search).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  )
  return set.length === 0 ? '' : `?${new URLSearchParams(set).toString()}`
}

/** The current search parameters. */
export function useSearch(): Search {
  return useRouterSearch({ strict: false }) as Search
}

/** Sets some parameters and leaves the others; undefined removes one. Adds no history entry. */
export function useSetSearch(): (changes: Search) => void {
  const navigate = useNavigate()
  return (changes) => {
    void navigate({
      to: '.',
      search: (before: Search) => ({ ...before, ...changes }),
      replace: true,
      resetScroll: false,
    })
  }
}
