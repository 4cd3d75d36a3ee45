/** The requests of the account: running ones, then finished and rejected ones, latest first. */

import { type JSX, useState } from 'react'
import { AnchorButton, Button, LinkButton } from '@/components/button'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { Activity, Download } from '@/components/icons'
import { Page } from '@/components/page'
import { Problem } from '@/components/problem'
import { Select } from '@/components/select'
import { useAccount } from '@/lib/account'
import { addressOf } from '@/lib/api'
import { useOperation } from '@/lib/operations'
import { useSearch, useSetSearch } from '@/lib/search'
import { RejectionCounts, RejectionsTable } from '../keys/rejected-requests.tsx'
import { useKeyNames } from '../keys/use-names.ts'
import { Filters } from '../usage/filters.tsx'
import { RangeControl } from '../usage/range-choice.tsx'
import { stretchOf } from '../usage/usage-range.ts'
import { useUsageSearch } from '../usage/use-usage-search.ts'
import { FindRequest } from './find-request.tsx'
import { RequestsTable } from './requests-table.tsx'
import { RunningRequests } from './running-requests.tsx'
import { type RequestFilter, type RequestStatus, useRequestRows } from './use-request-rows.ts'

const pageSize = 50

export function RequestsPage(): JSX.Element {
  const account = useAccount()
  const [choice, setSearch] = useUsageSearch()
  const status = statusOf(useSearch().outcome)
  const stretch = stretchOf(choice, Date.now())
  const filter = {
    account: account.id,
    from: stretch.from,
    ...(stretch.to === undefined ? {} : { to: stretch.to }),
    ...(choice.model === undefined ? {} : { model: choice.model }),
    ...(choice.key === undefined ? {} : { key: choice.key }),
  }
  const exported = status === 'succeeded' || status === 'failed' ? { ...filter, outcome: status } : filter
  return (
    <Page
      title="Requests"
      description="A request that reached a provider has a receipt with its usage, price and timing. Days and times are in UTC."
      actions={
        <>
          <FindRequest />
          <AnchorButton
            href={addressOf('requests.csv', exported)}
            download
            title="Receipts as CSV, without rejected requests"
          >
            <Download aria-hidden="true" />
            CSV
          </AnchorButton>
        </>
      }
    >
      <RunningRequests />
      <div className="flex flex-wrap items-center gap-2">
        <RangeControl choice={choice} onChange={(changes) => setSearch({ ...changes, before: undefined })} />
        <Filters
          model={choice.model}
          apiKey={choice.key}
          onChange={(changes) => setSearch({ ...changes, before: undefined })}
        />
        <Select
          aria-label="Status"
          className="w-40 max-sm:w-[calc(50%-0.25rem)]"
          value={status ?? ''}
          onChange={(event) => setSearch({ outcome: event.target.value || undefined, before: undefined })}
        >
          <option value="">All statuses</option>
          <option value="succeeded">Succeeded</option>
          <option value="failed">Failed</option>
          <option value="rejected">Rejected</option>
        </Select>
      </div>
      {status === 'rejected' && filter.model === undefined ? <ByCode filter={filter} /> : null}
      <RequestList key={JSON.stringify([filter, status])} filter={filter} status={status} />
    </Page>
  )
}

function statusOf(text: string | undefined): RequestStatus {
  return text === 'succeeded' || text === 'failed' || text === 'rejected' ? text : undefined
}

/** How often each error occurred; of single models it is not counted. */
function ByCode({ filter }: { readonly filter: RequestFilter }): JSX.Element | null {
  const counts = useOperation('rejections.list', { ...filter, limit: 1 }).data?.counts ?? []
  if (counts.length === 0) return null
  return (
    <Card title="By error code" description="In the selected period. Rejected requests cost nothing." flush>
      <RejectionCounts counts={counts} />
    </Card>
  )
}

interface RequestListProps {
  readonly filter: RequestFilter
  readonly status: RequestStatus
}

/** Pagination; earlier cursors are remembered, so that "Newer" leads back. */
function RequestList({ filter, status }: RequestListProps): JSX.Element {
  const { before } = useSearch()
  const setSearch = useSetSearch()
  const [left, setLeft] = useState<readonly (string | undefined)[]>([])
  const cursor = before !== undefined && /^req_\w{13}$/.test(before) ? before : undefined
  const isPaged = cursor !== undefined
  const { page, error, retry } = useRequestRows({ filter, status, size: pageSize, before: cursor })
  const keyNames = useKeyNames()
  const last = page?.rows.at(-1)
  const hasOlder = page?.hasOlder === true
  if (error !== null) return <Problem problem={error} onRetry={retry} />
  const empty = (
    <Empty
      icon={<Activity />}
      title={isPaged ? 'No older requests' : 'No requests in this period'}
      text="Choose a longer period, remove a filter, or make a request."
      action={<LinkButton to="/console/connect">Connect a client</LinkButton>}
    />
  )
  return (
    <>
      <Card flush>
        {status === 'rejected' ? (
          <RejectionsTable
            rows={page?.rows.flatMap((row) => (row.kind === 'rejection' ? [row] : []))}
            keyNames={keyNames}
            empty={empty}
          />
        ) : (
          <RequestsTable
            caption="Requests, latest first"
            rows={page?.rows}
            keyNames={keyNames}
            showsIds
            expected={12}
            empty={empty}
          />
        )}
      </Card>
      {isPaged || hasOlder ? (
        <nav aria-label="Pages" className="flex justify-end gap-2">
          <Button
            disabled={!isPaged}
            onClick={() => {
              setSearch({ before: left.at(-1) })
              setLeft(left.slice(0, -1))
            }}
          >
            Newer
          </Button>
          <Button
            disabled={!hasOlder || last === undefined}
            onClick={() => {
              setLeft([...left, cursor])
              setSearch({ before: last?.id })
            }}
          >
            Older
          </Button>
        </nav>
      ) : null}
    </>
  )
}
