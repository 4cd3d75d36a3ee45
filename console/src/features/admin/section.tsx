/** Shared parts of the admin sections: pagination and account links. */
import { Link } from '@tanstack/react-router'
import type { JSX, ReactNode } from 'react'
import { Button } from '@/components/button'
import { opensRow } from '@/components/table'
import { useSearch, useSetSearch } from '@/lib/search'

export interface PagerProps {
  /** The search parameter of the page cursor. */
  readonly name: 'after' | 'before'
  /** The cursor of the next page; undefined: this is the last page. */
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

const linkLook = 'font-medium underline decoration-line-strong underline-offset-3 hover:decoration-ink'

/** A link to an account's page. */
export function AccountLink({
  id,
  inRow = false,
  children,
}: {
  readonly id: string
  /** The link of a table row. */
  readonly inRow?: boolean
  readonly children: ReactNode
}): JSX.Element {
  return (
    <Link
      to="/console/admin/accounts/$account"
      params={{ account: id }}
      {...(inRow ? opensRow : { className: linkLook })}
    >
      {children}
    </Link>
  )
}
