/** The top-ups of all accounts, latest first. */

import type { JSX } from 'react'
import { Badge, type Tone } from '@/components/badge'
import { LinkButton } from '@/components/button'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { Banknote } from '@/components/icons'
import { moneyColumn } from '@/components/money-column'
import { OnPhone } from '@/components/on-phone'
import { Problem } from '@/components/problem'
import { type Column, Table } from '@/components/table'
import { When } from '@/components/when'
import type { OperationOutput } from '@/lib/api'
import { useOperation } from '@/lib/operations'
import { useSearch } from '@/lib/search'
import { AccountLink, Pager } from './section.tsx'

type Payment = OperationOutput<'payments.list'>[number]
const pageRows = 50
/** Payments change at their provider, without an event for the operator's own account. */
const everyMs = 15_000

const stateWords: Readonly<Record<Payment['state'], readonly [Tone, string]>> = {
  open: ['neutral', 'Awaiting payment'],
  processing: ['info', 'Processing'],
  action_required: ['warn', 'Action required'],
  paid: ['good', 'Paid'],
  failed: ['bad', 'Failed'],
  expired: ['neutral', 'Expired'],
  refunded: ['warn', 'Refunded'],
  partly_refunded: ['warn', 'Partially refunded'],
  disputed: ['bad', 'Disputed'],
}

const columns: readonly Column<Payment>[] = [
  { id: 'created', header: 'Time', wide: true, cell: ({ created }) => <When at={created} /> },
  {
    id: 'account',
    header: 'Account',
    cell: ({ account, email, created, state, problem }) => (
      <>
        <AccountLink inRow id={account}>
          <span className="inline-block max-w-48 truncate align-bottom md:max-w-none">
            {email ?? account}
          </span>
        </AccountLink>
        <OnPhone>
          <When at={created} className="block text-sm text-ink-soft" />
          <StateOf state={state} problem={problem} />
        </OnPhone>
      </>
    ),
  },
  {
    id: 'state',
    header: 'Status',
    wide: true,
    cell: ({ state, problem }) => <StateOf state={state} problem={problem} />,
  },
  { id: 'way', header: 'Type', wide: true, cell: ({ automatic }) => (automatic ? 'Automatic' : 'One-time') },
  moneyColumn({
    id: 'amount',
    header: 'Amount',
    amount: ({ amount }) => amount,
    kind: 'cents',
  }),
  moneyColumn({
    id: 'refunded',
    header: 'Refunded',
    wide: true,
    amount: ({ refunded }) => refunded,
    kind: 'cents',
  }),
]

function StateOf({ state, problem }: Pick<Payment, 'state' | 'problem'>): JSX.Element {
  const [tone, words] = stateWords[state]
  return (
    <span className="flex flex-col items-start gap-1">
      <Badge tone={tone}>{words}</Badge>
      {problem === null ? null : (
        <span className="max-w-64 text-sm whitespace-normal text-ink-soft">{problem}</span>
      )}
    </span>
  )
}

export function Payments(): JSX.Element {
  const { before } = useSearch()
  const payments = useOperation(
    'payments.list',
    { limit: pageRows, ...(before === undefined ? {} : { before }) },
    { keep: true, everyMs },
  )
  if (payments.isError) return <Problem problem={payments.error} onRetry={() => void payments.refetch()} />
  return (
    <Card title="Payments" description="Top-ups across all accounts." flush>
      <Table
        caption="Payments"
        columns={columns}
        rows={payments.data}
        keyOf={({ id }) => id}
        empty={
          <Empty
            icon={<Banknote />}
            title="No payments yet"
            text="Top-ups appear here once someone starts one. Without a payment provider, add credit on an account's page or create codes."
            action={
              <LinkButton to="/console/admin/$section" params={{ section: 'codes' }}>
                Codes
              </LinkButton>
            }
          />
        }
      />
      <Pager
        name="before"
        next={payments.data?.length === pageRows ? payments.data.at(-1)?.id : undefined}
        label="Payment pages"
      />
    </Card>
  )
}
