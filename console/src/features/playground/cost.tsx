/** The usage and cost of one response, with a link to its receipt. */

import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Money } from '@/components/money'
import { count, duration } from '@/lib/format'
import { useOperation } from '@/lib/operations'
import { inputTokens, outputTokens } from '../../../../contract/meters.ts'

/** A receipt is announced when it is written; this is for an announcement that was missed. */
const askAgainMs = 5_000

export interface CostProps {
  readonly request: string
  /** True if the request may not have reached a provider, and so may have no receipt. */
  readonly expectsNone: boolean
}

export function Cost({ request, expectsNone }: CostProps): JSX.Element {
  const receipt = useOperation('request.show', { request }, expectsNone ? {} : { untilThereMs: askAgainMs })
  if (receipt.data === undefined) {
    const words = expectsNone
      ? 'Not charged.'
      : receipt.isError
        ? 'The receipt appears when the provider finishes.'
        : 'Loading receipt…'
    return <span>{words}</span>
  }
  const { usage, charged, started, ended } = receipt.data
  const [input, output] = [inputTokens(usage), outputTokens(usage)]
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="tabular">
        {count(input)} in, {count(output)} out{' '}
        {usage.reasoning === 0 ? '' : ` (${count(usage.reasoning)} reasoning)`}
      </span>
      <span className="tabular">{duration(Date.parse(ended) - Date.parse(started))}</span>
      <Money amount={charged} form="exact" className="font-medium text-ink" />
      <Link
        to="/console/requests/$request"
        params={{ request }}
        className="inline-flex min-h-6 items-center underline decoration-line-strong underline-offset-3 hover:text-ink hover:decoration-ink"
      >
        Receipt
      </Link>
    </span>
  )
}
