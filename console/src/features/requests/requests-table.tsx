/** Requests as rows: model, time, status, tokens, duration, cost. Rejected ones have no receipt, and link to their error. */
import type { JSX, ReactNode } from 'react'
import { Badge } from '@/components/badge'
import { moneyColumn } from '@/components/money-column'
import { type Column, Table } from '@/components/table'
import { When } from '@/components/when'
import { count, duration } from '@/lib/format'
import { Name } from '../usage/name.tsx'
import { EndBadge } from './badges.tsx'
import { inputTokens, outputTokens, type Receipt, tookMs } from './receipt-words.ts'
import { RequestLink } from './request-link.tsx'
import type { RequestRow } from './request-rows.ts'

export interface RequestsTableProps {
  readonly caption: string
  readonly rows: readonly RequestRow[] | undefined
  /** The names of keys; left out: no key column. */
  readonly keyNames?: ReadonlyMap<string, string>
  /** A second line with the request ID. */
  readonly showsIds?: boolean
  readonly expected?: number
  readonly empty: ReactNode
}

export function RequestsTable({
  caption,
  rows,
  keyNames,
  showsIds = false,
  expected = 8,
  empty,
}: RequestsTableProps): JSX.Element {
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ id }) => id}
      expected={expected}
      rowHeight={showsIds ? 'twoLines' : 'twoLinesOnPhone'}
      empty={empty}
      columns={[
        {
          id: 'model',
          header: 'Model',
          cell: (row) => (
            <>
              <RequestLink inRow id={row.id}>
                <Name className="max-sm:max-w-36">{row.model ?? 'Unknown model'}</Name>
              </RequestLink>
              {showsIds ? (
                <span className="block font-mono text-xs text-ink-soft max-md:hidden">{row.id}</span>
              ) : null}
              <When at={startOf(row)} dated className="block text-xs text-ink-soft md:hidden" />
            </>
          ),
        },
        { id: 'started', header: 'Time (UTC)', wide: true, cell: (row) => <When at={startOf(row)} dated /> },
        { id: 'ended', header: 'Status', cell: (row) => <Status row={row} /> },
        ...(keyNames === undefined
          ? []
          : [
              {
                id: 'key',
                header: 'Key',
                wide: true,
                cell: (row: RequestRow) => (
                  <Name className="max-w-40">{keyNames.get(row.key) ?? row.key}</Name>
                ),
              },
            ]),
        receiptColumn('in', 'Tokens in', (receipt) => count(inputTokens(receipt))),
        receiptColumn('out', 'Tokens out', (receipt) => count(outputTokens(receipt))),
        receiptColumn('took', 'Duration', (receipt) => duration(tookMs(receipt))),
        moneyColumn<RequestRow>({
          id: 'charged',
          header: 'Cost',
          amount: (row) => (row.kind === 'receipt' ? row.charged : '0.00'),
        }),
      ]}
    />
  )
}

const startOf = (row: RequestRow): string => (row.kind === 'receipt' ? row.started : row.at)

/** A column for requests that reached a provider. */
function receiptColumn(id: string, header: string, show: (receipt: Receipt) => string): Column<RequestRow> {
  return {
    id,
    header,
    align: 'right',
    wide: true,
    cell: (row) => (row.kind === 'receipt' ? show(row) : <span className="text-ink-soft">–</span>),
  }
}

function Status({ row }: { readonly row: RequestRow }): JSX.Element {
  const [badge, code, title] =
    row.kind === 'receipt'
      ? ([<EndBadge key="end" endReason={row.endReason} />, row.error, undefined] as const)
      : ([
          <Badge key="rejected" tone="warn">
            Rejected
          </Badge>,
          row.code,
          row.message,
        ] as const)
  return (
    <span className="flex flex-wrap items-center gap-x-2" title={title}>
      {badge}
      {code === null ? null : <span className="font-mono text-xs text-ink-soft max-lg:hidden">{code}</span>}
    </span>
  )
}
