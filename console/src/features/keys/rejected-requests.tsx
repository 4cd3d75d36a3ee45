/** Rejected requests of a key or an account: how often by error code in 30 days, and the last hundred. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { Activity } from '@/components/icons'
import { OnPhone } from '@/components/on-phone'
import { Problem } from '@/components/problem'
import { Table } from '@/components/table'
import { When } from '@/components/when'
import type { OperationOutput } from '@/lib/api'
import { count } from '@/lib/format'
import { useOperation } from '@/lib/operations'
import { ErrorLink } from '../requests/badges.tsx'
import { Name } from '../usage/name.tsx'
import { useKeyNames } from './use-names.ts'

type Refusal = OperationOutput<'refusals.list'>['latest'][number]

const shownAtFirst = 6

export function RejectedRequestsOfKey({ apiKey }: { readonly apiKey: string }): JSX.Element | null {
  return <RejectedRequests refusals={useOperation('key.refusals', { key: apiKey })} empty={null} />
}

export function RejectedRequestsOfAccount({ account }: { readonly account: string }): JSX.Element | null {
  return (
    <RejectedRequests
      refusals={useOperation('refusals.list', { account })}
      keyNames={useKeyNames()}
      empty={
        <Card flush>
          <Empty
            icon={<Activity />}
            title="No rejected requests in the last 30 days"
            text="A request is rejected before it reaches a provider, for example because of a limit or an unknown model."
          />
        </Card>
      }
    />
  )
}

interface RejectedRequestsProps {
  readonly refusals: ReturnType<typeof useOperation<'refusals.list'>>
  /** Shows whose request each was. */
  readonly keyNames?: ReadonlyMap<string, string>
  /** Shown where there are none. */
  readonly empty: JSX.Element | null
}

function RejectedRequests({ refusals, keyNames, empty }: RejectedRequestsProps): JSX.Element | null {
  const [showsAll, setShowsAll] = useState(false)
  const latest = refusals.data?.latest ?? []
  // The last card of its page appears without moving another.
  if (refusals.error === null && (refusals.data?.counts.length ?? 0) + latest.length === 0)
    return refusals.isPending ? null : empty
  return (
    <Card
      title="Rejected requests"
      description="Requests rejected before they reached a provider, in the last 30 days. They cost nothing."
      flush
    >
      {refusals.error !== null ? (
        <Problem className="m-5 mt-0" problem={refusals.error} onRetry={() => void refusals.refetch()} />
      ) : (
        <>
          <ul className="flex flex-wrap gap-2 px-5 pb-4" aria-label="By error code">
            {refusals.data?.counts.map(({ code, count: times }) => (
              <li
                key={code}
                className="flex items-center gap-2 rounded-md border border-line bg-sunken px-2.5 py-1"
              >
                <ErrorLink code={code} />
                <span className="tabular font-medium">{count(times)}</span>
              </li>
            ))}
          </ul>
          <Table
            caption="Recent rejected requests"
            rows={showsAll ? latest : latest.slice(0, shownAtFirst)}
            keyOf={({ request }) => request}
            empty={<p className="px-5 pb-5 text-ink-soft">None recently.</p>}
            columns={[
              { id: 'at', header: 'Time', cell: (row) => <When at={row.at} /> },
              {
                id: 'code',
                header: 'Error code',
                cell: (row) => (
                  <>
                    <ErrorLink code={row.code} />
                    <OnPhone>
                      <bdi className="mt-1 line-clamp-3 text-sm break-words whitespace-normal text-ink-soft">
                        {row.message}
                      </bdi>
                    </OnPhone>
                  </>
                ),
              },
              ...(keyNames === undefined
                ? []
                : [
                    {
                      id: 'key',
                      header: 'API key',
                      wide: true,
                      cell: (row: Refusal) => (
                        <Name className="max-w-40">{keyNames.get(row.key) ?? row.key}</Name>
                      ),
                    },
                  ]),
              { id: 'status', header: 'Status', align: 'right', wide: true, cell: (row) => row.status },
              {
                id: 'model',
                header: 'Model',
                wide: true,
                cell: (row) =>
                  row.model === null ? (
                    <span className="text-ink-soft">unknown</span>
                  ) : (
                    <Name className="max-w-48">{row.model}</Name>
                  ),
              },
              {
                id: 'message',
                header: 'Error message',
                wide: true,
                className: 'min-w-96 whitespace-normal',
                cell: (row) => (
                  <bdi className="line-clamp-2 break-words" title={row.message}>
                    {row.message}
                  </bdi>
                ),
              },
            ]}
          />
          {latest.length > shownAtFirst ? (
            <Button
              variant="ghost"
              className="m-3"
              aria-expanded={showsAll}
              onClick={() => setShowsAll(!showsAll)}
            >
              {showsAll ? 'Show fewer' : `Show all ${latest.length}`}
            </Button>
          ) : null}
        </>
      )}
    </Card>
  )
}
