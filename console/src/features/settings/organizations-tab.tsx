/** The organizations of the person: creating, opening, leaving. */
import { useQueryClient } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ConfirmDialog, Dialog, DialogActions } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { Field } from '@/components/field'
import { Building2, Plus } from '@/components/icons'
import { Input } from '@/components/input'
import { Problem } from '@/components/problem'
import { Table } from '@/components/table'
import { toast } from '@/components/toaster'
import { type ActiveAccount, useAccounts, useSwitchAccount } from '@/lib/account'
import { call } from '@/lib/api'
import { identity } from '@/lib/identity'
import { refresh } from '@/lib/operations'
import { randomSuffix } from '@/lib/random-suffix'
import { useSearch, useSetSearch } from '@/lib/search'
import { useSubmit } from '@/lib/use-submit'

export function OrganizationsTab(): JSX.Element {
  const organizations = useAccounts().filter(({ kind }) => kind === 'organization')
  const isNew = useSearch().new !== undefined
  const setSearch = useSetSearch()
  const switchTo = useSwitchAccount()
  const [left, setLeft] = useState<ActiveAccount | undefined>(undefined)
  const add = (
    <Button variant="primary" size="small" onClick={() => setSearch({ new: '1' })}>
      <Plus aria-hidden="true" />
      Create organization
    </Button>
  )
  return (
    <Card
      flush
      title="Organizations"
      description="Share one balance with other people, each with a role. An organization starts at $0.00."
      actions={organizations.length > 0 ? add : undefined}
    >
      <Table
        caption="Organizations"
        rows={organizations}
        keyOf={({ id }) => id}
        empty={
          <Empty
            icon={<Building2 />}
            title="No organizations yet"
            text="Create one to share a balance with others, or open an invitation link you received."
            action={add}
          />
        }
        columns={[
          { id: 'name', header: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
          { id: 'role', header: 'Your role', cell: ({ role }) => <Badge>{role}</Badge> },
          {
            id: 'actions',
            header: <span className="sr-only">Actions</span>,
            align: 'right',
            cell: (organization) => (
              <span className="flex justify-end gap-1">
                <Button size="small" variant="ghost" onClick={() => setLeft(organization)}>
                  Leave
                </Button>
                <Button size="small" onClick={() => switchTo(organization.id)}>
                  Open
                </Button>
              </span>
            ),
          },
        ]}
      />
      {isNew ? <NewOrganization onClose={() => setSearch({ new: undefined })} /> : null}
      {left === undefined ? null : <Leave organization={left} onClose={() => setLeft(undefined)} />}
    </Card>
  )
}

function NewOrganization({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [name, setName] = useState('')
  const submit = useSubmit()
  const client = useQueryClient()
  const switchTo = useSwitchAccount()
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Create organization"
      description="You'll be the owner and can invite others."
      size="small"
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          event.stopPropagation()
          void submit.run(
            () =>
              identity<{ readonly id: string }>('POST', '/organization/create', {
                name: name.trim(),
                slug: slugOf(name),
              }),
            async ({ id }) => {
              await refresh(client, ['account', 'people'])
              toast.good(`${name.trim()} created.`)
              const made = (await call('me.show')).accounts.find(({ organization }) => organization === id)
              if (made === undefined) onClose()
              else switchTo(made.account)
            },
          )
        }}
      >
        {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
        <Field label="Name">
          <Input
            required
            autoFocus
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" pending={submit.isPending}>
            Create
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** The name as a slug, made unique because names need not be. */
function slugOf(name: string): string {
  const words = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)
  return `${words === '' ? 'organization' : words}-${randomSuffix()}`
}

interface LeaveProps {
  readonly organization: ActiveAccount
  readonly onClose: () => void
}

function Leave({ organization, onClose }: LeaveProps): JSX.Element {
  const submit = useSubmit()
  const client = useQueryClient()
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Leave ${organization.name}?`}
      action="Leave"
      pending={submit.isPending}
      onConfirm={() =>
        void submit.run(
          () => identity('POST', '/organization/leave', { organizationId: organization.organization }),
          async () => {
            await refresh(client, ['account', 'people'])
            toast.good(`You left ${organization.name}.`)
            onClose()
          },
        )
      }
    >
      <p>You lose access to its account. Keys you created keep working for its members.</p>
      {organization.role === 'owner' ? (
        <p>The only owner can't leave. Make someone else an owner first.</p>
      ) : null}
      {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
    </ConfirmDialog>
  )
}
