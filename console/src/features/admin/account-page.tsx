/** An account as operators see it: balance, entries, keys, members, requests and actions. */
import { Link, useParams } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Badge } from '@/components/badge'
import { Card } from '@/components/card'
import { CopyButton } from '@/components/copy-button'
import { ArrowLeft } from '@/components/icons'
import { Money } from '@/components/money'
import { moneyColumn } from '@/components/money-column'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { Stat } from '@/components/stat'
import { type Column, opensRow, Table } from '@/components/table'
import { When } from '@/components/when'
import type { OperationOutput } from '@/lib/api'
import { useOperation } from '@/lib/operations'
import { EndBadge } from '../requests/badges.tsx'
import { RequestLink } from '../requests/request-link.tsx'
import { Name } from '../usage/name.tsx'
import { AccountActions } from './account-actions.tsx'
import { type Account, AccountBadges } from './accounts.tsx'
import { AdminFrame } from './page.tsx'

type Entry = OperationOutput<'entries.list'>[number]
type Key = OperationOutput<'key.list'>[number]
type Member = OperationOutput<'member.list'>[number]
type Receipt = OperationOutput<'requests.list'>[number]
const rowsShown = 20
/** Polls, because an account's changes are published only to its own members. */
const everyMs = 10_000

export function AdminAccountPage(): JSX.Element {
  const { account = '' } = useParams({ strict: false })
  const shown = useOperation('account.show', { account }, { everyMs })
  return (
    <AdminFrame title={`${shown.data?.name ?? 'Account'} · Admin`} here="accounts">
      {shown.isError ? (
        <Problem problem={shown.error} onRetry={() => void shown.refetch()} />
      ) : shown.data === undefined ? (
        <Skeleton className="h-112 rounded-xl" />
      ) : (
        <Shown account={shown.data} />
      )}
    </AdminFrame>
  )
}

function Shown({ account }: { readonly account: Account }): JSX.Element {
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0">
          <Link
            to="/console/admin/$section"
            params={{ section: 'accounts' }}
            className="inline-flex items-center gap-1.5 text-sm text-ink-soft hover:text-ink"
          >
            <ArrowLeft aria-hidden="true" className="size-4" />
            All accounts
          </Link>
          <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
            <h2 className="text-xl font-semibold tracking-tight break-words">{account.name}</h2>
            <AccountBadges account={account} />
          </div>
          <p className="flex flex-wrap items-center gap-x-2 text-ink-soft">
            {account.email === null ? null : <span className="break-all">{account.email}</span>}
            <span className="flex items-center font-mono text-[0.8125rem]">
              {account.account}
              <CopyButton text={account.account} what="account ID" variant="ghost" className="size-8" />
            </span>
            <span>
              created <When at={account.created} />
            </span>
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <AccountActions account={account} />
        </div>
      </div>
      <div className="grid grid-cols-2 gap-3 sm:gap-4">
        <Stat
          label="Available"
          value={<Money amount={account.available} />}
          hint="what the next request can use"
        />
        <Stat
          label="Reserved"
          value={<Money amount={account.held} />}
          hint={`by ${account.openHolds} running ${account.openHolds === 1 ? 'request' : 'requests'}`}
        />
      </div>
      <Entries account={account.account} />
      <Keys account={account.account} />
      <Members account={account.account} />
      <Requests account={account.account} />
    </div>
  )
}

const entryWords: Readonly<Record<string, string>> = {
  usage: 'Request',
  write_off: 'Write-off',
  signup: 'Starting credit',
  payment: 'Top-up',
  code: 'Code',
  manual: 'Admin credit',
  refund: 'Refund',
  dispute: 'Dispute',
}

const entryColumns: readonly Column<Entry>[] = [
  { id: 'at', header: 'Time (UTC)', cell: ({ at }) => <When at={at} dated /> },
  {
    id: 'kind',
    header: 'Type',
    cell: (entry) => entryWords[entry.source ?? entry.kind] ?? entry.source ?? entry.kind,
  },
  {
    id: 'reference',
    header: 'Reference',
    wide: true,
    cell: (entry) => (
      <span className="block max-w-64 truncate" title={entry.note ?? entry.reference ?? undefined}>
        {entry.request === null ? (
          (entry.note ?? entry.reference ?? '')
        ) : (
          <RequestLink inRow id={entry.request}>
            <span className="font-mono text-[0.8125rem]">{entry.request}</span>
          </RequestLink>
        )}
      </span>
    ),
  },
  moneyColumn({
    id: 'amount',
    header: 'Amount',
    amount: ({ amount }) => amount,
    kind: 'exact',
    signed: true,
  }),
  moneyColumn({
    id: 'balance',
    header: 'Balance',
    wide: true,
    amount: ({ balanceAfter }) => balanceAfter,
    kind: 'exact',
  }),
]

function Entries({ account }: { readonly account: string }): JSX.Element {
  const entries = useOperation('entries.list', { account, limit: rowsShown }, { everyMs })
  return (
    <Card title="Ledger" description={`Last ${rowsShown} entries, as shown to the account.`} flush>
      {entries.isError ? (
        <Problem problem={entries.error} onRetry={() => void entries.refetch()} className="m-5 mt-0" />
      ) : (
        <Table caption="Entries" columns={entryColumns} rows={entries.data} keyOf={({ id }) => id} />
      )}
    </Card>
  )
}

const keyColumns: readonly Column<Key>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => <Name>{name}</Name> },
  {
    id: 'label',
    header: 'Key',
    wide: true,
    cell: ({ label, builtIn }) =>
      builtIn ? 'none (internal)' : <code className="text-[0.8125rem]">{label}…</code>,
  },
  { id: 'state', header: 'Status', cell: (key) => <KeyBadge state={key} /> },
  moneyColumn({
    id: 'spent',
    header: 'Spend',
    amount: ({ spent }) => spent,
  }),
  {
    id: 'used',
    header: 'Last used',
    wide: true,
    cell: ({ lastUsed }) => (lastUsed === null ? 'never' : <When at={lastUsed} />),
  },
]

function KeyBadge({ state }: { readonly state: Key }): JSX.Element {
  if (state.revoked !== null) return <Badge tone="bad">Revoked</Badge>
  if (state.disabled) return <Badge tone="warn">Disabled</Badge>
  return <Badge tone="good">{state.builtIn ? 'Built-in' : 'Active'}</Badge>
}

function Keys({ account }: { readonly account: string }): JSX.Element {
  const keys = useOperation('key.list', { account })
  return (
    <Card title="API keys" flush>
      {keys.isError ? (
        <Problem problem={keys.error} onRetry={() => void keys.refetch()} className="m-5 mt-0" />
      ) : (
        <Table caption="API keys" columns={keyColumns} rows={keys.data} keyOf={({ id }) => id} expected={2} />
      )}
    </Card>
  )
}

const memberColumns: readonly Column<Member>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => <Name>{name}</Name> },
  { id: 'email', header: 'Email', wide: true, cell: ({ email }) => email },
  { id: 'role', header: 'Role', cell: ({ role }) => <Badge>{role}</Badge> },
  { id: 'since', header: 'Joined', wide: true, cell: ({ since }) => <When at={since} /> },
]

function Members({ account }: { readonly account: string }): JSX.Element {
  const members = useOperation('member.list', { account })
  return (
    <Card title="Members" flush>
      {members.isError ? (
        <Problem problem={members.error} onRetry={() => void members.refetch()} className="m-5 mt-0" />
      ) : (
        <Table
          caption="Members"
          columns={memberColumns}
          rows={members.data}
          keyOf={({ person }) => person}
          expected={1}
          empty={
            <p className="px-5 pb-5 text-ink-soft">
              No members. This account is used through its API keys only.
            </p>
          }
        />
      )}
    </Card>
  )
}

const requestColumns: readonly Column<Receipt>[] = [
  { id: 'started', header: 'Time (UTC)', cell: ({ started }) => <When at={started} dated /> },
  {
    id: 'model',
    header: 'Model',
    cell: ({ model }) => <span className="font-mono text-[0.8125rem]">{model}</span>,
  },
  {
    id: 'end',
    header: 'Status',
    wide: true,
    cell: ({ endReason }) => <EndBadge endReason={endReason} />,
  },
  moneyColumn({
    id: 'charged',
    header: 'Cost',
    amount: ({ charged }) => charged,
  }),
  moneyColumn({
    id: 'writtenOff',
    header: 'Written off',
    wide: true,
    amount: ({ writtenOff }) => writtenOff,
  }),
  {
    id: 'receipt',
    header: <span className="sr-only">Receipt</span>,
    cell: ({ id }) => (
      <Link to="/console/requests/$request" params={{ request: id }} {...opensRow}>
        Receipt
      </Link>
    ),
  },
]

function Requests({ account }: { readonly account: string }): JSX.Element {
  const requests = useOperation('requests.list', { account, limit: rowsShown }, { everyMs })
  return (
    <Card title="Requests" description={`Last ${rowsShown}.`} flush>
      {requests.isError ? (
        <Problem problem={requests.error} onRetry={() => void requests.refetch()} className="m-5 mt-0" />
      ) : (
        <Table
          caption="Requests"
          columns={requestColumns}
          rows={requests.data}
          keyOf={({ id }) => id}
          empty={<p className="px-5 pb-5 text-ink-soft">No requests yet.</p>}
        />
      )}
    </Card>
  )
}
