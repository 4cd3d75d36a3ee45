/** A link to the receipt of a request. */
import { Link } from '@tanstack/react-router'
import type { JSX, ReactNode } from 'react'

export interface RequestLinkProps {
  readonly id: string
  readonly children: ReactNode
}

export function RequestLink({ id, children }: RequestLinkProps): JSX.Element {
  return (
    <Link
      to="/console/requests/$request"
      params={{ request: id }}
      className="font-medium underline decoration-line-strong underline-offset-3 hover:decoration-ink"
    >
      {children}
    </Link>
  )
}
