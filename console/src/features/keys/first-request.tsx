/** Waits for the first request of a key or an account, and shows that it arrived or why it was rejected. */

import type { JSX, ReactNode } from 'react'
import { CircleCheck, CircleX, LoaderCircle } from '@/components/icons'
import { Money } from '@/components/money'
import { useAccount } from '@/lib/account'
import { useOperation } from '@/lib/operations'
import { ErrorLink } from '../requests/badges.tsx'
import { RequestLink } from '../requests/request-link.tsx'

export interface FirstRequestProps {
  /** Left out: any key of the account. */
  readonly apiKey?: string
}

export function FirstRequest({ apiKey }: FirstRequestProps): JSX.Element {
  const account = useAccount()
  const requests = useOperation('requests.list', {
    account: account.id,
    limit: 1,
    ...(apiKey === undefined ? {} : { key: apiKey }),
  })
  const rejections = useOperation('rejections.list', { account: account.id })
  const arrived = requests.data?.[0]
  const credits = useOperation('entries.list', { account: account.id, kind: 'credit', limit: 1 })
  const creditedAt = credits.data?.[0]?.at ?? ''
  const rejected = rejections.data?.latest.find(
    ({ key, code, at }) =>
      (apiKey === undefined || key === apiKey) && (code !== 'insufficient_balance' || at > creditedAt),
  )
  return (
    <div role="status" aria-live="polite" className="rounded-lg border border-line bg-sunken px-4 py-3">
      {arrived !== undefined ? (
        <Line icon={<CircleCheck aria-hidden="true" className="text-good" />} title="First request received.">
          <bdi className="font-mono text-[0.8125rem] break-all">{arrived.model}</bdi>,{' '}
          <Money amount={arrived.charged} form="exact" />.{' '}
          <RequestLink id={arrived.id}>View receipt</RequestLink>
        </Line>
      ) : rejected !== undefined ? (
        <Line icon={<CircleX aria-hidden="true" className="text-bad" />} title="A request was rejected.">
          <ErrorLink code={rejected.code} /> <bdi className="break-words">{rejected.message}</bdi>
        </Line>
      ) : (
        <Line
          icon={<LoaderCircle aria-hidden="true" className="animate-spin text-ink-soft" />}
          title="Waiting for your first request…"
        >
          We'll show it here when it arrives.
        </Line>
      )}
    </div>
  )
}

interface LineProps {
  readonly icon: JSX.Element
  readonly title: string
  readonly children: ReactNode
}

function Line({ icon, title, children }: LineProps): JSX.Element {
  return (
    <div className="flex items-start gap-3 [&>svg]:mt-0.5 [&>svg]:size-4 [&>svg]:shrink-0">
      {icon}
      <p className="min-w-0">
        <span className="font-medium">{title}</span> <span className="text-ink-soft">{children}</span>
      </p>
    </div>
  )
}
