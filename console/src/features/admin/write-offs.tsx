/** Write-offs by account in a period. */

import type { JSX } from 'react'
import { Badge } from '@/components/badge'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { PiggyBank } from '@/components/icons'
import { Money } from '@/components/money'
import { moneyColumn } from '@/components/money-column'
import { Problem } from '@/components/problem'
import { Select } from '@/components/select'
import { Skeleton } from '@/components/skeleton'
import { Stat } from '@/components/stat'
import { type Column, Table } from '@/components/table'
import type { OperationOutput } from '@/lib/api'
import { count } from '@/lib/format'
import { useOperation } from '@/lib/operations'
import { useSearch, useSetSearch } from '@/lib/search'
import { AccountLink } from './section.tsx'
import { UnknownMembers } from './unknown-members.tsx'

type Loss = OperationOutput<'losses.list'>['accounts'][number]
const dayMs = 86_400_000
const spans = {
  '1': 'Last 24 hours',
  '7': 'Last 7 days',
  '30': 'Last 30 days',
  all: 'All time',
} as const

const columns: readonly Column<Loss>[] = [
  {
    id: 'account',
    header: 'Account',
    cell: ({ account, email }) => (
      <AccountLink inRow id={account}>
        {email ?? account}
      </AccountLink>
    ),
  },
  {
    id: 'state',
    header: 'Status',
    cell: ({ restricted }) => (restricted === null ? '' : <Badge tone="warn">Restricted</Badge>),
  },
  { id: 'requests', header: 'Requests', align: 'right', cell: ({ requests }) => count(requests) },
  moneyColumn({
    id: 'writtenOff',
    header: 'Written off',
    amount: ({ writtenOff }) => writtenOff,
  }),
]

export function WriteOffs(): JSX.Element {
  const { span = '30' } = useSearch()
  const setSearch = useSetSearch()
  const losses = useOperation('losses.list', fromOf(span), { keep: true })
  if (losses.isError) return <Problem problem={losses.error} onRetry={() => void losses.refetch()} />
  return (
    <>
      <Select
        aria-label="Period"
        value={span}
        onChange={(event) =>
          setSearch({ span: event.target.value === '30' ? undefined : event.target.value })
        }
        className="w-44"
      >
        {Object.entries(spans).map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </Select>
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
        <Stat
          label="Written off"
          value={
            losses.data === undefined ? (
              <Skeleton className="h-8 w-28" />
            ) : (
              <Money amount={losses.data.total} />
            )
          }
          hint={spans[span as keyof typeof spans] ?? spans.all}
        />
      </div>
      <Card
        title="By account"
        description="Requests that cost more than the account had reserved or could pay, and provider charges that no account can be billed for."
        flush
      >
        <Table
          caption="Write-offs by account"
          columns={columns}
          rows={losses.data?.accounts}
          keyOf={({ account }) => account}
          empty={
            <Empty
              icon={<PiggyBank />}
              title="No write-offs"
              text="Every request in this period was paid in full."
            />
          }
        />
      </Card>
      <UnknownMembers />
    </>
  )
}

/** To the hour, so that a visible page repeats the same query. */
function fromOf(span: string): { from?: string } {
  const days = Number(span)
  if (!(days > 0)) return {}
  const hourMs = 3_600_000
  return { from: new Date(Math.floor((Date.now() - days * dayMs) / hourMs) * hourMs).toISOString() }
}
