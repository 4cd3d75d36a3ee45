/** Rejected requests: how often by error code, and one by one with their messages. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { OnPhone } from '@/components/on-phone'
import { Problem } from '@/components/problem'
import { type Column, Table } from '@/components/table'
import { When } from '@/components/when'
import type { OperationOutput } from '@/lib/api'
import { count } from '@/lib/format'
import { useOperation } from '@/lib/operations'
import { ErrorLink } from '../requests/badges.tsx'
import { RequestLink } from '../requests/request-link.tsx'
import type { Rejection } from '../requests/request-rows.ts'
import { Name } from '../usage/name.tsx'

const shownAtFirst = 6

/** Rejected requests of a key in the last 30 days; renders nothing if there are none. */
export function RejectedRequestsOfKey({ apiKey }: { readonly apiKey: string }): JSX.Element | null {
  const rejections = useOperation('key.rejections', { key: apiKey })
  const [showsAll, setShowsAll] = useState(false)
  const latest = rejections.data?.latest ?? []
  // The last card of its page appears without moving another.
  if (rejections.error === null && (rejections.data?.counts.length ?? 0) + latest.length === 0) return null
  return (
    <Card
      title="Rejected requests"
      description="Requests rejected before they reached a provider, in the last 30 days. They cost nothing."
      flush
    >
      {rejections.error !== null ? (
        <Problem className="m-5 mt-0" problem={rejections.error} onRetry={() => void rejections.refetch()} />
      ) : (
        <>
          <RejectionCounts counts={rejections.data?.counts ?? []} />
          <RejectionsTable
            rows={showsAll ? latest : latest.slice(0, shownAtFirst)}
            empty={<p className="px-5 pb-5 text-ink-soft">None recently.</p>}
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

export function RejectionCounts({
  counts,
}: {
  readonly counts: OperationOutput<'rejections.list'>['counts']
}): JSX.Element {
  return (
    <ul className="flex flex-wrap gap-2 px-5 pb-4" aria-label="By error code">
      {counts.map(({ code, count: times }) => (
        <li
          key={code}
          className="flex items-center gap-2 rounded-md border border-line bg-sunken px-2.5 py-1"
        >
          <ErrorLink code={code} />
          <span className="tabular font-medium">{count(times)}</span>
        </li>
      ))}
    </ul>
  )
}

export interface RejectionsTableProps {
  readonly rows: readonly Rejection[] | undefined
  /** Shows whose request each was. */
  readonly keyNames?: ReadonlyMap<string, string>
  readonly empty: JSX.Element
}

export function RejectionsTable({ rows, keyNames, empty }: RejectionsTableProps): JSX.Element {
  return (
    <Table
      caption="Recent rejected requests"
      rows={rows}
      keyOf={({ request }) => request}
      rowHeight="twoLines"
      empty={empty}
      columns={[
        {
          id: 'at',
          header: 'Time (UTC)',
          cell: (row) => (
            <>
              <RequestLink inRow id={row.request}>
                <When at={row.at} dated />
              </RequestLink>
              <span className="block font-mono text-xs text-ink-soft max-md:hidden">{row.request}</span>
            </>
          ),
        },
        {
          id: 'code',
          header: 'Error code',
          cell: (row) => (
            <>
              <ErrorLink code={row.code} />
              <OnPhone>
                <bdi className="mt-1 block text-sm break-words whitespace-normal text-ink-soft">
                  {row.message}
                </bdi>
              </OnPhone>
            </>
          ),
        },
        ...(keyNames === undefined ? [] : [keyColumn(keyNames)]),
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
          cell: (row) => <bdi className="break-words">{row.message}</bdi>,
        },
      ]}
    />
  )
}

function keyColumn(keyNames: ReadonlyMap<string, string>): Column<Rejection> {
  return {
    id: 'key',
    header: 'API key',
    wide: true,
    cell: (row) => <Name className="max-w-40">{keyNames.get(row.key) ?? row.key}</Name>,
  }
}
