/** Fields and betas of requests that the server does not know, which an administrator may reject. */

import type { JSX } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Problem } from '@/components/problem'
import { type Column, Table } from '@/components/table'
import { When } from '@/components/when'
import type { OperationOutput } from '@/lib/api'
import { useChange, useOperation } from '@/lib/operations'
import { AccountLink } from './section.tsx'

type Member = OperationOutput<'members.list'>[number]

const columns: readonly Column<Member>[] = [
  { id: 'member', header: 'Field or beta', cell: ({ member }) => <code>{member}</code> },
  { id: 'format', header: 'Format', cell: ({ format }) => format },
  { id: 'since', header: 'First sent', cell: ({ since }) => (since === null ? '' : <When at={since} />) },
  {
    id: 'account',
    header: 'By',
    cell: ({ account }) => (account === null ? '' : <AccountLink id={account}>{account}</AccountLink>),
  },
  { id: 'action', header: '', align: 'right', cell: (member) => <Switch {...member} /> },
]

function Switch({ format, member, rejected }: Member): JSX.Element {
  const change = useChange(rejected ? 'members.allow' : 'members.reject', { changes: ['models'] })
  return (
    <Button size="small" pending={change.isPending} onClick={() => change.mutate({ format, member })}>
      {rejected ? 'Allow' : 'Reject'}
    </Button>
  )
}

/** Nothing where there are none. */
export function UnknownMembers(): JSX.Element | null {
  const members = useOperation('members.list', {}, { keep: true })
  if (members.isError) return <Problem problem={members.error} onRetry={() => void members.refetch()} />
  if (members.data === undefined || members.data.length === 0) return null
  return (
    <Card
      title="Unknown fields and betas"
      description="Clients sent these, and the server does not know whether they change the price. What they cost above a reservation is a write-off of the account."
      flush
    >
      <Table
        caption="Unknown fields and betas"
        columns={columns}
        rows={members.data}
        keyOf={({ format, member }) => `${format} ${member}`}
        empty={null}
      />
    </Card>
  )
}
