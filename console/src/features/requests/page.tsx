/** The requests of the account: running ones, and the receipts of finished ones, latest first. */

import { type JSX, useState } from 'react'
import { AnchorButton, Button, LinkButton } from '@/components/button'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { Activity, Download } from '@/components/icons'
import { Page } from '@/components/page'
import { Problem } from '@/components/problem'
import { Select } from '@/components/select'
import { useAccount } from '@/lib/account'
import { addressOf, type OperationAsk } from '@/lib/api'
import { useOperation } from '@/lib/operations'
import { useSearch, useSetSearch } from '@/lib/search'
import { RejectedRequestsOfAccount } from '../keys/rejected-requests.tsx'
import { useKeyNames } from '../keys/use-names.ts'
import { Filters } from '../usage/filters.tsx'
import { RangeControl } from '../usage/range-choice.tsx'
import { stretchOf } from '../usage/usage-range.ts'
import { useUsageSearch } from '../usage/use-usage-search.ts'
import { FindRequest } from './find-request.tsx'
import { RequestsTable } from './requests-table.tsx'
import { RunningRequests } from './running-requests.tsx'

const pageSize = 50

export function RequestsPage(): JSX.Element {
  const account = useAccount()
  const [choice, setSearch] = useUsageSearch()
  const wanted = useSearch().outcome
  const outcome: 'succeeded' | 'failed' | undefined =
    wanted === 'succeeded' || wanted === 'failed' ? wanted : undefined
  const isRejected = wanted === 'rejected'
  const stretch = stretchOf(choice, Date.now())
  const filter = {
    account: account.id,
    from: stretch.from,
    ...(stretch.to === undefined ? {} : { to: stretch.to }),
    ...(choice.model === undefined ? {} : { model: choice.model }),
    ...(choice.key === undefined ? {} : { key: choice.key }),
    ...(outcome === undefined ? {} : { outcome }),
  }
  return (
    <Page
      title="Requests"
      description="Every request that reached a provider has a receipt with its usage, price and timing. Days are in UTC."
      actions={
        <>
          <FindRequest />
          <AnchorButton href={addressOf('requests.csv', filter)} download>
            <Download aria-hidden="true" />
            CSV
          </AnchorButton>
        </>
      }
    >
      <RunningRequests />
      <div className="flex flex-wrap items-center gap-2">
        {isRejected ? null : (
          <>
            <RangeControl
              choice={choice}
              onChange={(changes) => setSearch({ ...changes, before: undefined })}
            />
            <Filters
              model={choice.model}
              apiKey={choice.key}
              onChange={(changes) => setSearch({ ...changes, before: undefined })}
            />
          </>
        )}
        <Select
          aria-label="Status"
          className="w-40 max-sm:w-full"
          value={isRejected ? 'rejected' : (outcome ?? '')}
          onChange={(event) => setSearch({ outcome: event.target.value || undefined, before: undefined })}
        >
          <option value="">Any status</option>
          <option value="succeeded">Succeeded</option>
          <option value="failed">Failed</option>
          <option value="rejected">Rejected</option>
        </Select>
      </div>
      {isRejected ? (
        <RejectedRequestsOfAccount account={account.id} />
      ) : (
        <RequestList key={JSON.stringify(filter)} filter={filter} />
      )}
    </Page>
  )
}

interface RequestListProps {
  readonly filter: OperationAsk<'requests.csv'>
}

/** Pagination; earlier cursors are remembered, so that "Newer" leads back. */
function RequestList({ filter }: RequestListProps): JSX.Element {
  const { before } = useSearch()
  const setSearch = useSetSearch()
  const [left, setLeft] = useState<readonly (string | undefined)[]>([])
  const isPaged = /^req_\w{13}$/.test(before ?? '')
  const list = useOperation(
    'requests.list',
    { ...filter, limit: pageSize, ...(isPaged && before !== undefined ? { before } : {}) },
    { keep: true },
  )
  const keyNames = useKeyNames()
  const last = list.data?.at(-1)
  const found = list.data?.length ?? 0
  // A search ends its page early after many non-matching rows; there may be more.
  const isSearch = filter.model !== undefined || filter.key !== undefined || filter.outcome !== undefined
  const hasOlder = found === pageSize || (isSearch && found > 0)
  if (list.error !== null) return <Problem problem={list.error} onRetry={() => void list.refetch()} />
  return (
    <>
      <Card flush>
        <RequestsTable
          caption="Requests, latest first"
          receipts={list.data}
          keyNames={keyNames}
          expected={12}
          empty={
            <Empty
              icon={<Activity />}
              title={isPaged ? 'No older requests' : 'No requests in this period'}
              text="Requests that were rejected before they reached a provider have no receipt. The status Rejected lists them."
              action={<LinkButton to="/console/connect">Connect a client</LinkButton>}
            />
          }
        />
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
              setLeft([...left, isPaged ? before : undefined])
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
