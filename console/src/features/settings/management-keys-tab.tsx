/** Management API keys of the account: created with scopes, shown once, revoked. */

import { type JSX, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ConfirmDialog } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { KeySquare, Plus } from '@/components/icons'
import { OnPhone } from '@/components/on-phone'
import { Problem } from '@/components/problem'
import { type Column, Table } from '@/components/table'
import { toast } from '@/components/toaster'
import { When } from '@/components/when'
import { useAccount } from '@/lib/account'
import type { OperationOutput } from '@/lib/api'
import { useChange, useOperation } from '@/lib/operations'
import { NewManagementKey } from './new-management-key.tsx'

type ManagementKey = OperationOutput<'management-key.list'>[number]

export function ManagementKeysTab(): JSX.Element {
  const { id } = useAccount()
  const keys = useOperation('management-key.list', { account: id })
  const [isAdding, setAdding] = useState(false)
  const [doomed, setDoomed] = useState<ManagementKey | undefined>(undefined)
  const revoke = useChange('management-key.revoke', {
    changes: ['keys'],
    onDone() {
      setDoomed(undefined)
      toast.good('Management key revoked.')
    },
  })
  const add = (
    <Button variant="primary" size="small" onClick={() => setAdding(true)}>
      <Plus aria-hidden="true" />
      Create management key
    </Button>
  )
  return (
    <Card
      flush
      title="Management keys"
      description={
        <>
          For scripts that read usage or manage keys with this account's{' '}
          <a href="/docs" className="text-accent underline">
            management API
          </a>
          . They can't call models.
        </>
      }
      actions={(keys.data?.length ?? 0) > 0 ? add : undefined}
    >
      {keys.error !== null ? (
        <Problem problem={keys.error} onRetry={() => void keys.refetch()} className="mx-5 mb-5" />
      ) : (
        <Table
          caption="Management keys"
          expected={2}
          rows={keys.data}
          keyOf={({ id }) => id}
          empty={
            <Empty
              icon={<KeySquare />}
              title="No management keys yet"
              text="Create one with only the scopes a script needs."
              action={add}
            />
          }
          columns={columnsFor(setDoomed)}
        />
      )}
      {isAdding ? <NewManagementKey onClose={() => setAdding(false)} /> : null}
      {doomed === undefined ? null : (
        <ConfirmDialog
          open
          onOpenChange={() => setDoomed(undefined)}
          title={`Revoke ${doomed.name}?`}
          action="Revoke"
          pending={revoke.isPending}
          onConfirm={() => revoke.mutate({ managementKey: doomed.id })}
        >
          <p>Programs that use it lose access immediately. This can't be undone.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

function columnsFor(onRevoke: (key: ManagementKey) => void): readonly Column<ManagementKey>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      cell: ({ name, label, scopes }) => (
        <span>
          <span className="font-medium">{name}</span>
          <code className="block font-mono text-sm text-ink-soft">{label}…</code>
          <OnPhone>
            <span className="block max-w-52 text-sm whitespace-normal text-ink-soft">
              {scopes.join(', ')}
            </span>
          </OnPhone>
        </span>
      ),
    },
    {
      id: 'scopes',
      header: 'Scopes',
      cell: ({ scopes }) => (
        <span className="flex flex-wrap gap-1">
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </span>
      ),
      className: 'min-w-56 whitespace-normal',
      wide: true,
    },
    {
      id: 'used',
      header: 'Last used',
      wide: true,
      cell: ({ lastUsed }) => (lastUsed === null ? 'Never' : <When at={lastUsed} />),
    },
    {
      id: 'ends',
      header: 'Expires',
      wide: true,
      cell: ({ expires }) => (expires === null ? 'Never' : <When at={expires} />),
    },
    {
      id: 'revoke',
      header: <span className="sr-only">Revoke</span>,
      align: 'right',
      cell: (key) =>
        key.revoked === null ? (
          <Button
            size="small"
            variant="ghost"
            aria-label={`Revoke ${key.name}`}
            onClick={() => onRevoke(key)}
          >
            Revoke
          </Button>
        ) : (
          <Badge tone="bad">Revoked</Badge>
        ),
    },
  ]
}
