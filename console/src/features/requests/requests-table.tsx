/** Receipts as rows: model, time, status, tokens, duration, cost. */
import type { JSX, ReactNode } from 'react'
import { moneyColumn } from '@/components/money-column'
import { Table } from '@/components/table'
import { When } from '@/components/when'
import { count, duration } from '@/lib/format'
import { Name } from '../usage/name.tsx'
import { EndBadge } from './badges.tsx'
import { inputTokens, outputTokens, type Receipt, tookMs } from './receipt-words.ts'
import { RequestLink } from './request-link.tsx'

export interface RequestsTableProps {
  readonly caption: string
  readonly receipts: readonly Receipt[] | undefined
  /** The names of keys; left out: no key column. */
  readonly keyNames?: ReadonlyMap<string, string>
  readonly expected?: number
  readonly empty: ReactNode
}

export function RequestsTable({
  caption,
  receipts,
  keyNames,
  expected = 8,
  empty,
}: RequestsTableProps): JSX.Element {
  return (
    <Table
      caption={caption}
      rows={receipts}
      keyOf={({ id }) => id}
      expected={expected}
      rowHeight="twoLinesOnPhone"
      empty={empty}
      columns={[
        {
          id: 'model',
          header: 'Model',
          cell: (row) => (
            <>
              <RequestLink inRow id={row.id}>
                <Name className="max-sm:max-w-36">{row.model}</Name>
              </RequestLink>
              <When at={row.started} dated className="block text-xs text-ink-soft md:hidden" />
            </>
          ),
        },
        { id: 'started', header: 'Time', wide: true, cell: (row) => <When at={row.started} dated /> },
        { id: 'ended', header: 'Status', cell: (row) => <EndBadge endReason={row.endReason} /> },
        ...(keyNames === undefined
          ? []
          : [
              {
                id: 'key',
                header: 'Key',
                wide: true,
                cell: (row: Receipt) => <Name className="max-w-40">{keyNames.get(row.key) ?? row.key}</Name>,
              },
            ]),
        { id: 'in', header: 'Tokens in', align: 'right', wide: true, cell: (row) => count(inputTokens(row)) },
        {
          id: 'out',
          header: 'Tokens out',
          align: 'right',
          wide: true,
          cell: (row) => count(outputTokens(row)),
        },
        { id: 'took', header: 'Duration', align: 'right', wide: true, cell: (row) => duration(tookMs(row)) },
        moneyColumn<Receipt>({
          id: 'charged',
          header: 'Cost',

          amount: (row) => row.charged,
        }),
      ]}
    />
  )
}
