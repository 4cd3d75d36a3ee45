/** The parts that sections of the admin pages share: a list with its search, its states and its next page. */
import { Link } from '@tanstack/react-router'
import { Search as SearchIcon } from 'lucide-react'
import { type JSX, type ReactNode, useEffect, useState } from 'react'
import { Button } from '@/components/button'
import { Input } from '@/components/input'
import { useSearch, useSetSearch } from '@/lib/search'

const typingMs = 300

/** A search field whose words stand in the address a moment after they were typed. */
export function SearchField({
  label,
  name = 'q',
}: {
  readonly label: string
  readonly name?: string
}): JSX.Element {
  const applied = useSearch()[name] ?? ''
  const setSearch = useSetSearch()
  const [text, setText] = useState(applied)
  const [seen, setSeen] = useState(applied)
  const [sent, setSent] = useState(applied)
  // Somebody else changed the address: the words there are the ones that count.
  if (seen !== applied) {
    setSeen(applied)
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
    <span className="relative block min-w-0 flex-1 basis-56">
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

export interface PagerProps {
  /** The name of the field in the address that says where the page begins. */
  readonly name: 'after' | 'before'
  /** Where the next page begins; undefined: this is the last one. */
  readonly next: string | undefined
  readonly label: string
}

export function Pager({ name, next, label }: PagerProps): JSX.Element | null {
  const begins = useSearch()[name]
  const setSearch = useSetSearch()
  if (begins === undefined && next === undefined) return null
  return (
    <nav aria-label={label} className="flex justify-end gap-2 border-t border-line px-5 py-3">
      {begins === undefined ? null : (
        <Button size="small" onClick={() => setSearch({ [name]: undefined })}>
          First page
        </Button>
      )}
      <Button size="small" disabled={next === undefined} onClick={() => setSearch({ [name]: next })}>
        Next page
      </Button>
    </nav>
  )
}

export const linkLook = 'font-medium underline decoration-line-strong underline-offset-3 hover:decoration-ink'

/** The way to an account's page. */
export function AccountLink({
  id,
  children,
}: {
  readonly id: string
  readonly children: ReactNode
}): JSX.Element {
  return (
    <Link to="/console/admin/accounts/$account" params={{ account: id }} className={linkLook}>
      {children}
    </Link>
  )
}
