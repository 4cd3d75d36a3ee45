/** Invitations to sign up that can still be used. */

import type { JSX } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Problem } from '@/components/problem'
import { Table } from '@/components/table'
import { toast } from '@/components/toaster'
import { When } from '@/components/when'
import { useChange, useOperation } from '@/lib/operations'

/** Shown only when there are any: most servers have open sign-up. */
export function Invitations(): JSX.Element | null {
  const invitations = useOperation('people.invitations', {})
  const withdraw = useChange('people.withdraw-invitation', {
    changes: ['people'],
    onDone: () => toast.good('Invitation withdrawn. Its link no longer works.'),
  })
  if (invitations.isError)
    return <Problem problem={invitations.error} onRetry={() => void invitations.refetch()} />
  if (invitations.data === undefined || invitations.data.length === 0) return null
  return (
    <Card
      flush
      title="Open invitations"
      description="For a new link, invite the same email again; the earlier link stops working."
    >
      <Table
        caption="Open invitations"
        rows={invitations.data}
        keyOf={({ email }) => email}
        columns={[
          { id: 'email', header: 'Email', cell: ({ email }) => email },
          { id: 'created', header: 'Invited', wide: true, cell: ({ created }) => <When at={created} /> },
          { id: 'expires', header: 'Expires', wide: true, cell: ({ expires }) => <When at={expires} /> },
          {
            id: 'withdraw',
            header: <span className="sr-only">Withdraw</span>,
            align: 'right',
            cell: ({ email }) => (
              <Button
                size="small"
                variant="ghost"
                aria-label={`Withdraw invitation for ${email}`}
                pending={withdraw.isPending && withdraw.variables.email === email}
                onClick={() => withdraw.mutate({ email })}
              >
                Withdraw
              </Button>
            ),
          },
        ]}
      />
    </Card>
  )
}
