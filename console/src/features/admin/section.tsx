/** The parts that sections of the admin pages share: the way to the next page of a list, and to an account. */
import { Link } from '@tanstack/react-router'
import type { JSX, ReactNode } from 'react'
import { Button } from '@/components/button'
import { useSearch, useSetSearch } from '@/lib/search'

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
