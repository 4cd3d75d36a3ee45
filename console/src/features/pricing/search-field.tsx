/** A search field that updates the URL a moment after typing; typing never waits for it. */

import { type JSX, useEffect, useState } from 'react'
import { Search as SearchIcon } from '@/components/icons'
import { Input } from '@/components/input'
import { cn } from '@/lib/class-names'
import { useSearch, useSetSearch } from '@/lib/search'

const typingMs = 300

export interface SearchFieldProps {
  readonly label: string
  /** The search parameter. */
  readonly name?: string
  readonly className?: string
}

/** A searched list starts at its first page. */
export function SearchField({ label, name = 'q', className }: SearchFieldProps): JSX.Element {
  const applied = useSearch()[name] ?? ''
  const setSearch = useSetSearch()
  const [text, setText] = useState(applied)
  const [seen, setSeen] = useState(applied)
  const [sent, setSent] = useState(applied)
  // The URL was changed elsewhere, and it wins.
  if (seen !== applied) {
    setSeen(applied)
    setSent(applied)
    if (applied !== sent) setText(applied)
  }
  useEffect(() => {
    if (text === applied) return
    const timer = setTimeout(() => {
      setSent(text)
      setSearch({ [name]: text, after: undefined, before: undefined })
    }, typingMs)
    return () => clearTimeout(timer)
  }, [text, applied, name, setSearch])
  return (
    <span className={cn('relative block min-w-0 flex-1 basis-56', className)}>
      <SearchIcon
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-ink-soft"
      />
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="pl-9"
      />
    </span>
  )
}
