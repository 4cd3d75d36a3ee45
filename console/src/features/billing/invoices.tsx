/** Monthly statements, and receipts of payments and credits. */
import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Card } from '@/components/card'
import { moneyColumn } from '@/components/money-column'
import { Problem } from '@/components/problem'
import { opensRow, Table } from '@/components/table'
import { useAccount } from '@/lib/account'
import { useOperation } from '@/lib/operations'
import { Moment } from '../usage/moment.tsx'
import { invoiceName } from './billing-words.ts'

export function Invoices(): JSX.Element {
  const account = useAccount()
  const invoices = useOperation('invoice.list', { account: account.id })
  return (
    <Card
      title="Receipts and statements"
      description="Printable, for each payment, each credit from an administrator and each month (UTC). They are not tax invoices."
      flush
    >
      {invoices.error !== null ? (
        <Problem className="m-5 mt-0" problem={invoices.error} onRetry={() => void invoices.refetch()} />
      ) : (
        <Table
          caption="Receipts and statements, latest first"
          rows={invoices.data}
          keyOf={({ id }) => id}
          expected={3}
          empty={
            <p className="flex min-h-24 items-center px-5 text-ink-soft">
              No receipts yet. The statement for this month appears on the first day of the next one.
            </p>
          }
          columns={[
            {
              id: 'name',
              header: 'Document',
              cell: (row) => (
                <Link to="/console/billing/invoices/$invoice" params={{ invoice: row.id }} {...opensRow}>
                  {invoiceName(row.id)}
                </Link>
              ),
            },
            { id: 'issued', header: 'Issued', cell: (row) => <Moment at={row.issued} dayOnly /> },
            moneyColumn<{ readonly total: string }>({
              id: 'total',
              header: 'Total',
              amount: (row) => row.total,
              kind: 'cents',
            }),
          ]}
        />
      )}
    </Card>
  )
}
