/** All accounts, with search by name, email or ID; creates accounts with credit and a first key. */

import { type JSX, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { Field } from '@/components/field'
import { Plus, Users } from '@/components/icons'
import { Input } from '@/components/input'
import { moneyColumn } from '@/components/money-column'
import { OnPhone } from '@/components/on-phone'
import { Problem } from '@/components/problem'
import { type Column, Table } from '@/components/table'
import { When } from '@/components/when'
import type { OperationOutput } from '@/lib/api'
import { useChange, useOperation } from '@/lib/operations'
import { useSearch } from '@/lib/search'
import { SearchField } from '../pricing/search-field.tsx'
import { Name } from '../usage/name.tsx'
import { errorAt, FormDialog } from './form-dialog.tsx'
import { AccountLink, Pager } from './section.tsx'
import { ShownOnce } from './shown-once.tsx'

export type Account = OperationOutput<'account.show'>
const pageRows = 50
/** Changes of other accounts are published only to their members. */
const everyMs = 10_000

const columns: readonly Column<Account>[] = [
  {
    id: 'account',
    header: 'Account',
    cell: (account) => (
      <>
        <AccountLink inRow id={account.account}>
          <Name className="max-sm:max-w-40">{account.name}</Name>
        </AccountLink>
        <span className="block max-w-48 truncate text-sm text-ink-soft md:max-w-none">
          {account.email ?? account.account}
        </span>
        <OnPhone>
          <AccountBadges account={account} />
        </OnPhone>
      </>
    ),
  },
  {
    id: 'state',
    header: 'Type',
    wide: true,
    cell: (account) => <AccountBadges account={account} />,
  },
  moneyColumn({
    id: 'available',
    header: 'Available',
    amount: ({ available }) => available,
  }),
  moneyColumn({
    id: 'held',
    header: 'Reserved',
    wide: true,
    amount: ({ held }) => held,
  }),
  { id: 'created', header: 'Created', wide: true, cell: ({ created }) => <When at={created} /> },
]

export function AccountBadges({ account }: { readonly account: Account }): JSX.Element {
  return (
    <span className="flex flex-wrap gap-1">
      <Badge>{account.kind === 'personal' ? 'Personal' : 'Organization'}</Badge>
      {account.suspended === null ? null : <Badge tone="bad">Suspended</Badge>}
      {account.restricted === null ? null : <Badge tone="warn">Restricted</Badge>}
    </span>
  )
}

export function Accounts(): JSX.Element {
  const { q, after } = useSearch()
  const [isMaking, setMaking] = useState(false)
  const accounts = useOperation(
    'account.list',
    {
      limit: pageRows,
      ...(q === undefined || q === '' ? {} : { search: q }),
      ...(after === undefined ? {} : { after }),
    },
    { keep: true, everyMs },
  )
  const last = accounts.data?.length === pageRows ? accounts.data.at(-1)?.account : undefined
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <SearchField label="Search by name, email or ID" />
        <Button variant="primary" onClick={() => setMaking(true)}>
          <Plus aria-hidden="true" />
          Create account
        </Button>
      </div>
      {accounts.isError ? (
        <Problem problem={accounts.error} onRetry={() => void accounts.refetch()} />
      ) : (
        <Card flush>
          <Table
            caption="Accounts"
            columns={columns}
            rows={accounts.data}
            keyOf={({ account }) => account}
            empty={
              <Empty
                icon={<Users />}
                title={q === undefined ? 'No accounts yet' : 'No matching accounts'}
                text={
                  q === undefined
                    ? 'Accounts appear here when people sign up.'
                    : 'Try part of the name or email. To look up a request ID, use the Requests page.'
                }
              />
            }
          />
          <Pager name="after" next={last} label="Account pages" />
        </Card>
      )}
      <NewAccount open={isMaking} onOpenChange={setMaking} />
    </>
  )
}

function NewAccount({
  open,
  onOpenChange,
}: {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}): JSX.Element {
  const [email, setEmail] = useState('')
  const [credit, setCredit] = useState('')
  const [key, setKey] = useState<string>()
  const create = useChange('account.create', {
    changes: ['account'],
    onProblem: () => undefined,
    onDone(made) {
      onOpenChange(false)
      setEmail('')
      setCredit('')
      setKey(made.key)
    },
  })
  if (key !== undefined) {
    return (
      <ShownOnce title="Account created" label="API key" text={key} onClose={() => setKey(undefined)}>
        This is its first key. It is shown only once, so share it securely.
      </ShownOnce>
    )
  }
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Create account"
      description="A personal account with one API key, for someone who only uses the API. People who sign up get their own account automatically."
      action="Create account"
      pending={create.isPending}
      disabled={email.trim() === ''}
      problem={create.error}
      fields={['email', 'credit']}
      onSubmit={() => create.mutate({ email, ...(credit.trim() === '' ? {} : { credit: credit.trim() }) })}
    >
      <Field label="Email" {...errorAt(create.error, 'email')}>
        <Input type="email" required value={email} onChange={(event) => setEmail(event.target.value)} />
      </Field>
      <Field
        label="Credit in USD"
        optional
        hint="Leave empty for the default starting credit. Enter 0 for none."
        {...errorAt(create.error, 'credit')}
      >
        <Input inputMode="decimal" value={credit} onChange={(event) => setCredit(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
