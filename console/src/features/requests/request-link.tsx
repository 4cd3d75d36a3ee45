/** A link to the receipt of a request. */
import { Link } from '@tanstack/react-router'
import type { JSX, ReactNode } from 'react'
import { opensRow } from '@/components/table'

const textLink = {
  className: 'font-medium underline decoration-line-strong underline-offset-3 hover:decoration-ink',
}

export interface RequestLinkProps {
  readonly id: string
  /** The link of a table row. */
  readonly inRow?: boolean
  readonly children: ReactNode
}

export function RequestLink({ id, inRow = false, children }: RequestLinkProps): JSX.Element {
  return (
    <Link to="/console/requests/$request" params={{ request: id }} {...(inRow ? opensRow : textLink)}>
      {children}
    </Link>
  )
}
