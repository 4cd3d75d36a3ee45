/** The account at a glance; for a new one, the steps to its first request. */

import { type JSX, lazy, Suspense, useState } from 'react'
import { LinkButton } from '@/components/button'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { Plus, Wallet } from '@/components/icons'
import { Page } from '@/components/page'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { useAccount, useMay } from '@/lib/account'
import { patiently } from '@/lib/connection'
import { useOperation } from '@/lib/operations'
import { RunningLow } from '../billing/running-low.tsx'
import { RequestsTable } from '../requests/requests-table.tsx'
import { RunningRequests } from '../requests/running-requests.tsx'
import { useRequestRows } from '../requests/use-request-rows.ts'
import { Activity } from './activity.tsx'
import { FailingUpstreams } from './failing-upstreams.tsx'
import { NoProvider } from './no-provider.tsx'
import { Numbers } from './numbers.tsx'

/** Shown once in the life of an account, so it is loaded separately. */
const GettingStarted = lazy(
  patiently(async () => ({ default: (await import('./getting-started.tsx')).GettingStarted })),
)

export function OverviewPage(): JSX.Element {
  const account = useAccount()
  const overview = useOperation('overview.show', { account: account.id }, { everyMs: 60_000 })
  const isNew = overview.data?.firstRequest === null
  // Once shown, the steps stay until the page is left, so that the last one can be checked off.
  const [showsWay, setShowsWay] = useState(false)
  if (isNew && !showsWay) setShowsWay(true)
  const mayBuild = useMay('owner', 'admin', 'developer')
  const mayPay = useMay('owner', 'admin', 'billing')
  return (
    <Page
      title="Overview"
      description={account.kind === 'organization' ? <bdi>{account.name}</bdi> : undefined}
      actions={
        <>
          {mayPay ? (
            <LinkButton to="/console/billing">
              <Wallet aria-hidden="true" />
              Add credit
            </LinkButton>
          ) : null}
          {mayBuild ? (
            <LinkButton to="/console/keys" search={{ create: 'yes' }}>
              <Plus aria-hidden="true" />
              Create key
            </LinkButton>
          ) : null}
        </>
      }
    >
      {overview.error !== null && overview.data === undefined ? (
        <Problem problem={overview.error} onRetry={() => void overview.refetch()} />
      ) : (
        <>
          <RunningLow />
          <FailingUpstreams />
          {isNew || showsWay ? null : <NoProvider />}
          <Numbers overview={overview.data} />
          {showsWay ? (
            <Suspense fallback={<Skeleton className="h-160 rounded-xl" />}>
              <GettingStarted />
            </Suspense>
          ) : null}
          {isNew ? null : <Activity overview={overview.data} />}
        </>
      )}
      {isNew ? null : (
        <>
          <RunningRequests />
          <Latest />
        </>
      )}
    </Page>
  )
}

function Latest(): JSX.Element {
  const account = useAccount()
  const { page, error, retry } = useRequestRows({ filter: { account: account.id }, size: 8 })
  return (
    <Card
      title="Recent requests"
      flush
      actions={
        <LinkButton size="small" to="/console/requests">
          All requests
        </LinkButton>
      }
    >
      {error !== null ? (
        <Problem className="m-5 mt-0" problem={error} onRetry={retry} />
      ) : (
        <RequestsTable
          caption="Recent requests"
          rows={page?.rows}
          empty={
            <Empty
              title="No requests in the last 30 days"
              text="Your balance and keys are unchanged."
              action={<LinkButton to="/console/connect">Connect a client</LinkButton>}
            />
          }
        />
      )}
    </Card>
  )
}
