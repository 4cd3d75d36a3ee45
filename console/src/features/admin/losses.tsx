/** What was written off, by account, in a span of time. */

import type { JSX } from 'react'
import { Badge } from '@/components/badge'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { PiggyBank } from '@/components/icons'
import { Money } from '@/components/money'
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

type Loss = OperationOutput<'losses.list'>['accounts'][number]
const dayMs = 86_400_000
const spans = {
  '1': 'The last day',
  '7': 'The last 7 days',
  '30': 'The last 30 days',
  all: 'All time',
} as const

const columns: readonly Column<Loss>[] = [
  {
    id: 'account',
    header: 'Account',
    cell: ({ account, email }) => <AccountLink id={account}>{email ?? account}</AccountLink>,
  },
  {
    id: 'state',
    header: 'State',
    cell: ({ restricted }) => (restricted === null ? '' : <Badge tone="warn">Restricted</Badge>),
  },
  { id: 'requests', header: 'Requests', align: 'right', cell: ({ requests }) => count(requests) },
  {
    id: 'writtenOff',
    header: 'Borne',
    align: 'right',
    cell: ({ writtenOff }) => <Money amount={writtenOff} form="exact" />,
  },
]

export function Losses(): JSX.Element {
  const { span = '30' } = useSearch()
  const setSearch = useSetSearch()
  const losses = useOperation('losses.list', fromOf(span), { keep: true })
  if (losses.isError) return <Problem problem={losses.error} onRetry={() => void losses.refetch()} />
  return (
    <>
      <Select
        aria-label="Span of time"
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
          label="Borne by the house"
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
        description="Where a request cost more than its account had reserved or left to pay, or the provider charged for what nobody can be billed for."
        flush
      >
        <Table
          caption="Losses by account"
          columns={columns}
          rows={losses.data?.accounts}
          keyOf={({ account }) => account}
          empty={
            <Empty
              icon={<PiggyBank />}
              title="Nothing was lost"
              text="Every request in this span was paid in full."
            />
          }
        />
      </Card>
    </>
  )
}

/** To the hour, so that a page that is shown asks for the same thing. */
function fromOf(span: string): { from?: string } {
  const days = Number(span)
  if (!(days > 0)) return {}
  const hourMs = 3_600_000
  return { from: new Date(Math.floor((Date.now() - days * dayMs) / hourMs) * hourMs).toISOString() }
}
