/** The top-ups of the account with their states. */
import type { JSX } from 'react'
import { Badge } from '@/components/badge'
import { AnchorButton, LinkButton } from '@/components/button'
import { Card } from '@/components/card'
import { Money } from '@/components/money'
import { Problem } from '@/components/problem'
import { Table } from '@/components/table'
import { useAccount } from '@/lib/account'
import { useOperation } from '@/lib/operations'
import { isZero } from '@/lib/usd'
import { Moment } from '../usage/moment.tsx'
import { isUnderWay, type TopUp, topUpWords } from './billing-words.ts'

export function TopUps(): JSX.Element {
  const account = useAccount()
  const topUps = useOperation('top-up.list', { account: account.id, limit: 50 })
  return (
    <Card title="Top-ups" flush>
      {topUps.error !== null ? (
        <Problem className="m-5 mt-0" problem={topUps.error} onRetry={() => void topUps.refetch()} />
      ) : (
        <Table
          caption="Top-ups, latest first"
          rows={topUps.data}
          keyOf={({ id }) => id}
          expected={3}
          empty={
            <p className="flex min-h-24 items-center px-5 text-ink-soft">
              No top-ups yet. Starting credit, codes and admin credit are listed in the ledger.
            </p>
          }
          columns={[
            { id: 'created', header: 'Time', cell: (row) => <Moment at={row.created} dayOnly /> },
            { id: 'state', header: 'Status', cell: (row) => <State topUp={row} /> },
            {
              id: 'how',
              header: 'Type',
              wide: true,
              cell: (row) => (row.automatic ? 'Automatic' : 'One-time'),
            },
            {
              id: 'amount',
              header: 'Amount',
              align: 'right',
              cell: (row) => (
                <>
                  <Money amount={row.amount} form="cents" />
                  {isZero(row.refunded) ? null : (
                    <span className="block text-sm text-ink-soft">
                      <Money amount={row.refunded} form="cents" /> refunded
                    </span>
                  )}
                </>
              ),
            },
            {
              id: 'do',
              header: <span className="sr-only">Action</span>,
              align: 'right',
              cell: (row) => <Todo topUp={row} />,
            },
          ]}
        />
      )}
    </Card>
  )
}

function State({ topUp }: { readonly topUp: TopUp }): JSX.Element {
  const { label, tone, sentence } = topUpWords[topUp.state]
  return (
    <>
      <Badge tone={tone} title={sentence}>
        {label}
      </Badge>
      {topUp.problem === null ? null : (
        <span className="block max-w-72 text-sm whitespace-normal text-ink-soft">{topUp.problem}</span>
      )}
    </>
  )
}

function Todo({ topUp }: { readonly topUp: TopUp }): JSX.Element | null {
  if (isUnderWay(topUp.state) && topUp.payUrl !== null) {
    return (
      <AnchorButton size="small" href={topUp.payUrl}>
        Continue to payment
      </AnchorButton>
    )
  }
  if (topUp.paid === null) return null
  return (
    <LinkButton size="small" to="/console/billing/invoices/$invoice" params={{ invoice: topUp.id }}>
      Receipt
    </LinkButton>
  )
}
