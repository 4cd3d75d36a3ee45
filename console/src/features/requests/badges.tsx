/** Badges: the status of a request, and an error code with a link to its documentation. */
import type { JSX } from 'react'
import { Badge } from '@/components/badge'
import { endWords, type Receipt } from './receipt-words.ts'

export function EndBadge({ endReason }: Pick<Receipt, 'endReason'>): JSX.Element {
  const { label, tone, sentence } = endWords[endReason]
  return (
    <Badge tone={tone} title={sentence}>
      {label}
    </Badge>
  )
}

export function ErrorLink({ code }: { readonly code: string }): JSX.Element {
  return (
    <a
      href={`/docs/errors/${encodeURIComponent(code)}`}
      target="_blank"
      rel="noreferrer"
      className="font-mono text-[0.8125rem] underline decoration-line-strong underline-offset-3 hover:decoration-ink"
    >
      {code}
      <span className="sr-only"> (documentation, opens in a new tab)</span>
    </a>
  )
}
