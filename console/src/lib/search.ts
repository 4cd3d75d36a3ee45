/**
 * The part of the address behind the question mark, where filters, tabs and the account live. Texts alone: what is no
 * text there stays one.
 */
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

/** What stands in the address now. */
export function useSearch(): Search {
  return useRouterSearch({ strict: false }) as Search
}

/** Changes parts of it and leaves the others; undefined takes one out. Without a new step in the history. */
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
