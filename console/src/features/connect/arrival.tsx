/** Waits for a request of the account and shows it: model, tokens, cost, receipt. */

import { Link } from '@tanstack/react-router'
import { type JSX, type ReactNode, useState } from 'react'
import { CircleCheck, CircleX, LoaderCircle } from '@/components/icons'
import { Money } from '@/components/money'
import type { OperationOutput } from '@/lib/api'
import { cn } from '@/lib/class-names'
import { count } from '@/lib/format'
import { useOperation } from '@/lib/operations'
import { inputTokens } from '../../../../contract/meters.ts'

type Receipt = OperationOutput<'requests.list'>[number]
type Rejection = OperationOutput<'rejections.list'>['latest'][number]

export function Arrival({ account }: { readonly account: string }): JSX.Element {
  const requests = useOperation('requests.list', { account, limit: 1 })
  const rejections = useOperation('rejections.list', { account })
  const last = requests.data?.[0]
  const arrived = useNewcomer(requests.data === undefined ? undefined : (last ?? null), ({ id }) => id)
  const rejected = useNewcomer(
    rejections.data === undefined ? undefined : (rejections.data.latest[0] ?? null),
    ({ request }) => request,
  )
  const isNews = arrived !== undefined || rejected !== undefined
  return (
    // The result is visible however far the recipe is scrolled; while waiting, it covers nothing.
    <section aria-label="Your request" aria-live="polite" className={isNews ? 'sticky top-16 z-10' : ''}>
      {arrived !== undefined && (rejected === undefined || rejected.at < arrived.ended) ? (
        <Arrived receipt={arrived} />
      ) : rejected !== undefined ? (
        <Rejected rejection={rejected} />
      ) : (
        <Notice icon={<LoaderCircle className="animate-spin text-ink-soft" />}>
          <span className="font-medium">
            {last === undefined ? 'Waiting for your first request…' : 'Waiting for your next request…'}
          </span>{' '}
          <span className="text-ink-soft">We'll show it here when it arrives.</span>
        </Notice>
      )}
    </section>
  )
}

/** The latest item, once it differs from the one at page load; null: there was none. */
function useNewcomer<Item extends object>(
  latest: Item | null | undefined,
  idOf: (item: Item) => string,
): Item | undefined {
  const [first, setFirst] = useState<string | null>()
  const id = latest == null ? latest : idOf(latest)
  if (first === undefined && id !== undefined) setFirst(id)
  return latest == null || first === undefined || id === first ? undefined : latest
}

function Arrived({ receipt }: { readonly receipt: Receipt }): JSX.Element {
  const { usage } = receipt
  const input = inputTokens(usage)
  const isWell = receipt.endReason === 'complete'
  return (
    <Notice
      look="border-good/30 bg-good-soft"
      icon={<CircleCheck className="text-good" />}
      action={<ReceiptLink id={receipt.id}>View receipt</ReceiptLink>}
    >
      <span className="font-medium">{isWell ? 'Request received.' : 'The request failed.'}</span>{' '}
      <span className="font-mono text-[0.8125rem] break-all">{receipt.model}</span>, {count(input)} input and{' '}
      {count(usage.output)} output tokens for <Money amount={receipt.charged} />.
    </Notice>
  )
}

function Rejected({ rejection }: { readonly rejection: Rejection }): JSX.Element {
  return (
    <Notice look="border-bad/30 bg-bad-soft" icon={<CircleX className="text-bad" />}>
      <span className="font-medium">Your request was rejected ({rejection.status}).</span> {rejection.message}
    </Notice>
  )
}

interface NoticeProps {
  readonly icon: ReactNode
  readonly look?: string
  readonly action?: ReactNode
  readonly children: ReactNode
}

function Notice({ icon, look, action, children }: NoticeProps): JSX.Element {
  return (
    <div
      className={cn(
        'flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border border-line bg-surface px-5 py-2.5',
        look,
      )}
    >
      <span aria-hidden="true" className="[&_svg]:size-5">
        {icon}
      </span>
      <p className="min-w-0 flex-1 basis-60">{children}</p>
      {action}
    </div>
  )
}

function ReceiptLink({ id, children }: { readonly id: string; readonly children: ReactNode }): JSX.Element {
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
