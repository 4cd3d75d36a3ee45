/** The API keys of the account: settings, spend and last use; and creating new ones. */
import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { KeyRound, Plus } from '@/components/icons'
import { moneyColumn } from '@/components/money-column'
import { OnPhone } from '@/components/on-phone'
import { Page } from '@/components/page'
import { Problem } from '@/components/problem'
import { type Column, opensRow, Table } from '@/components/table'
import { useNow, When } from '@/components/when'
import { useAccount, useMay } from '@/lib/account'
import { useOperation } from '@/lib/operations'
import { useSearch, useSetSearch } from '@/lib/search'
import { Name } from '../usage/name.tsx'
import { BudgetUse } from './budget.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { CreatedBy } from './created-by.tsx'
import { KeyMenu } from './key-menu.tsx'
import { hasEnded, type Key, keyState } from './key-state.ts'
import { useMemberNames } from './use-names.ts'

export function KeysPage(): JSX.Element {
  const account = useAccount()
  const keys = useOperation('key.list', { account: account.id })
  const memberNames = useMemberNames()
  const search = useSearch()
  const setSearch = useSetSearch()
  const mayCreate = useMay('owner', 'admin', 'developer')
  const isCreating = mayCreate && search.create !== undefined
  const open = (): void => setSearch({ create: 'yes' })
  const now = useNow()
  const all = keys.data?.toSorted((a, b) => (a.created < b.created ? 1 : -1))
  const endedCount = all?.filter((key) => hasEnded(keyState(key, now))).length ?? 0
  const showsAll = search.show === 'all' || endedCount === all?.length
  const shown = showsAll ? all : all?.filter((key) => !hasEnded(keyState(key, now)))
  const createButton = (
    <Button variant="primary" onClick={open}>
      <Plus aria-hidden="true" />
      Create key
    </Button>
  )
  return (
    <Page
      title="API keys"
      description="Create a key per app so you can revoke one without affecting the others."
      actions={
        mayCreate ? createButton : <p className="text-sm text-ink-soft">Your role can't create keys.</p>
      }
    >
      {keys.error !== null && all === undefined ? (
        <Problem problem={keys.error} onRetry={() => void keys.refetch()} />
      ) : (
        <Card flush>
          <Table
            caption="API keys"
            rows={shown}
            keyOf={({ id }) => id}
            expected={3}
            rowHeight="twoLines"
            columns={columns(now, memberNames, mayCreate)}
            empty={
              <Empty
                icon={<KeyRound />}
                title="No API keys yet"
                text="API keys authenticate requests, which are charged to this account."
                action={mayCreate ? createButton : undefined}
              />
            }
          />
        </Card>
      )}
      {endedCount > 0 && endedCount !== all?.length ? (
        <Button
          variant="ghost"
          className="-ml-3.5 self-start"
          aria-pressed={showsAll}
          onClick={() => setSearch({ show: showsAll ? undefined : 'all' })}
        >
          {showsAll ? 'Hide' : 'Show'} {endedCount} revoked or expired
        </Button>
      ) : null}
      <CreateKeyDialog open={isCreating} onClose={() => setSearch({ create: undefined })} />
    </Page>
  )
}

function columns(
  now: number,
  memberNames: ReadonlyMap<string, string>,
  mayChange: boolean,
): readonly Column<Key>[] {
  const actions: Column<Key> = {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    align: 'right',
    cell: (key) => <KeyMenu apiKey={key} ended={hasEnded(keyState(key, now))} />,
  }
  return [
    {
      id: 'name',
      header: 'Name',
      cell: (key) => (
        <>
          <Link to="/console/keys/$key" params={{ key: key.id }} {...opensRow}>
            <Name className="max-w-52 max-sm:max-w-36">{key.name}</Name>
          </Link>
          <code className="block font-mono text-xs text-ink-soft max-md:hidden">{key.label}</code>
          <OnPhone>
            <span className="block">
              <StateBadge apiKey={key} now={now} />
            </span>
          </OnPhone>
        </>
      ),
    },
    {
      id: 'state',
      header: 'Status',
      wide: true,
      cell: (key) => <StateBadge apiKey={key} now={now} />,
    },
    {
      id: 'used',
      header: 'Last used',
      wide: true,
      cell: (key) =>
        key.lastUsed === null ? <span className="text-ink-soft">Never</span> : <When at={key.lastUsed} />,
    },
    moneyColumn({
      id: 'spent',
      header: 'Spend',
      amount: (key) => key.spent,
    }),
    { id: 'budget', header: 'Budget', wide: true, cell: (key) => <BudgetUse {...key} /> },
    {
      id: 'by',
      header: 'Created by',
      wide: true,
      cell: (key) => (
        <>
          <CreatedBy apiKey={key} memberNames={memberNames} />
          <When at={key.created} className="block text-xs text-ink-soft" />
        </>
      ),
    },
    ...(mayChange ? [actions] : []),
  ]
}

function StateBadge({ apiKey, now }: { readonly apiKey: Key; readonly now: number }): JSX.Element {
  const { label, tone } = keyState(apiKey, now)
  return <Badge tone={tone}>{label}</Badge>
}
