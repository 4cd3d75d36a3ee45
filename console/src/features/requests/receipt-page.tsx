/** A request: status, usage, cost and timing. While it runs, its reservation. */
import { Link, useParams } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button, LinkButton } from '@/components/button'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { ArrowLeft, ReceiptText, Square } from '@/components/icons'
import { Money } from '@/components/money'
import { Page } from '@/components/page'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { When } from '@/components/when'
import { useAccount, useMay } from '@/lib/account'
import { useOperation } from '@/lib/operations'
import { useKeyNames } from '../keys/use-names.ts'
import { Fact } from '../usage/fact.tsx'
import { Moment } from '../usage/moment.tsx'
import { Name } from '../usage/name.tsx'
import { Receipt } from './receipt.tsx'
import { formatName, type RunningRequest } from './receipt-words.ts'
import { RejectionDetails } from './rejection-details.tsx'
import { StopDialog } from './running-requests.tsx'

const back = (
  <Link to="/console/requests" className="inline-flex items-center gap-1.5 text-ink-soft hover:text-ink">
    <ArrowLeft aria-hidden="true" className="size-4" />
    Requests
  </Link>
)

export function ReceiptPage(): JSX.Element {
  const { request: id } = useParams({ from: '/frame/console/requests/$request' })
  const account = useAccount()
  const running = useOperation('requests.running', { account: account.id })
  const stillRuns = running.data?.find((one) => one.id === id)
  const receipt = useOperation(
    'request.show',
    { request: id },
    { enabled: running.isFetched && stillRuns === undefined },
  )
  if (receipt.data !== undefined) return <Receipt receipt={receipt.data} back={back} />
  if (stillRuns !== undefined) return <Running request={stillRuns} />
  if (receipt.error?.status === 404) return <NoReceipt id={id} account={account.id} />
  return (
    <Page
      title="Request"
      description={receipt.error === null ? <Skeleton className="my-0.5 h-5 w-32" /> : undefined}
      back={back}
    >
      {receipt.error === null ? (
        <ReceiptSkeleton />
      ) : (
        <Problem problem={receipt.error} onRetry={() => void receipt.refetch()} />
      )}
    </Page>
  )
}

/** Skeleton with the height of a receipt: numbers, usage and cost, timing, details. */
function ReceiptSkeleton(): JSX.Element {
  const stat = 'h-28 rounded-xl'
  return (
    <>
      <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
        <Skeleton className={stat} />
        <Skeleton className={stat} />
        <Skeleton className={stat} />
        <Skeleton className={stat} />
      </div>
      <div className="grid gap-6 lg:grid-cols-2">
        <Skeleton className="h-74 rounded-xl" />
        <Skeleton className="h-74 rounded-xl" />
      </div>
      <Skeleton className="h-40 rounded-xl" />
      <Skeleton className="h-72 rounded-xl" />
    </>
  )
}

/** Rejected requests have no receipt; the latest ones of each key are known with their error. */
function NoReceipt({ id, account }: { readonly id: string; readonly account: string }): JSX.Element {
  const rejections = useOperation('rejections.list', { account, request: id })
  const [rejection] = rejections.data?.latest ?? []
  if (rejection !== undefined) return <RejectionDetails rejection={rejection} back={back} />
  return (
    <Page title="Request" back={back}>
      {rejections.error !== null ? (
        <Problem problem={rejections.error} onRetry={() => void rejections.refetch()} />
      ) : rejections.isPending ? (
        <Skeleton className="h-52 rounded-xl" />
      ) : (
        <Card>
          <Empty
            icon={<ReceiptText />}
            title="Receipt not found"
            text="The request belongs to another account, doesn't exist, or was rejected longer ago than the latest rejected requests of its key."
            action={<LinkButton to="/console/requests">All requests</LinkButton>}
          />
        </Card>
      )}
    </Page>
  )
}

function Running({ request }: { readonly request: RunningRequest }): JSX.Element {
  const keyNames = useKeyNames()
  const mayStop = useMay('owner', 'admin', 'developer')
  const [isStopping, setStopping] = useState(false)
  return (
    <Page
      title={`Request to ${request.model}`}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <bdi className="min-w-0 break-words">{request.model}</bdi>
          <Badge tone="info">Running</Badge>
        </span>
      }
      back={back}
      actions={
        mayStop ? (
          <Button variant="danger" onClick={() => setStopping(true)}>
            <Square aria-hidden="true" />
            Stop
          </Button>
        ) : undefined
      }
    >
      <div role="status" aria-live="polite">
        <Card title="In progress" description="The receipt appears here when the request finishes.">
          <dl className="grid gap-x-8 gap-y-4 pt-2 sm:grid-cols-2 lg:grid-cols-4">
            <Fact label="Reserved">
              <Money amount={request.held} form="exact" />
            </Fact>
            <Fact label="Started">
              <When at={request.started} />, <Moment at={request.started} />
            </Fact>
            <Fact label="Format">
              {formatName(request.format)}
              {request.streamed ? ', streamed' : ''}
            </Fact>
            <Fact label="Key">
              <Link
                to="/console/keys/$key"
                params={{ key: request.key }}
                className="underline underline-offset-3"
              >
                <Name>{keyNames.get(request.key) ?? request.key}</Name>
              </Link>
            </Fact>
          </dl>
        </Card>
      </div>
      <StopDialog request={isStopping ? request : undefined} onClose={() => setStopping(false)} />
    </Page>
  )
}
