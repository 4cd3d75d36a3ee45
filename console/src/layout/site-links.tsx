/** The links between the public pages, as the documentation has them too. */
import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'

const look = 'rounded-md px-1.5 py-1 text-sm text-ink-soft hover:text-ink'

export function SiteLinks(): JSX.Element {
  return (
    <nav aria-label="Site" className="flex items-center gap-1 sm:gap-2">
      <a href="/docs" className={look}>
        Docs
      </a>
      <Link to="/pricing" search={{}} className={look}>
        Pricing
      </Link>
      <Link to="/console" className={look}>
        Console
      </Link>
    </nav>
  )
}
