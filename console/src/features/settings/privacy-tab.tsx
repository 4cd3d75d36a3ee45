/** The person's data: export, and deleting the account. */
import { useNavigate } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ConfirmDialog } from '@/components/dialog'
import { Problem } from '@/components/problem'
import { toast } from '@/components/toaster'
import { useAccounts, useMe } from '@/lib/account'
import type { ApiError } from '@/lib/api'
import { queryClient, useChange, useOperation } from '@/lib/operations'
import { saveFile } from '@/lib/save-file'

export function PrivacyTab(): JSX.Element {
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <ExportCard />
      <DeleteCard />
    </div>
  )
}

function ExportCard(): JSX.Element {
  const save = useChange('me.export', { onDone: saveFile })
  return (
    <Card
      title="Export your data"
      description="A JSON file with your profile, accounts, keys, ledger entries and requests, without secrets."
    >
      <Button pending={save.isPending} onClick={() => save.mutate({})}>
        Download
      </Button>
    </Card>
  )
}

function DeleteCard(): JSX.Element {
  const { person } = useMe()
  const organizations = useAccounts().filter(({ kind }) => kind === 'organization')
  const [isOpen, setOpen] = useState(false)
  const [problem, setProblem] = useState<ApiError | undefined>(undefined)
  const navigate = useNavigate()
  const remove = useChange('me.delete', {
    onProblem: setProblem,
    async onDone() {
      queryClient.clear()
      toast.good('Your account was deleted.')
      await navigate({ to: '/console/sign-in', search: {} })
    },
  })
  return (
    <Card
      title="Delete account"
      description="Permanently deletes your sessions, keys, name and uploaded files, and organizations where you are the only member. Remaining balances are forfeited. Ledger entries are kept without them."
    >
      <Button variant="quiet-danger" onClick={() => setOpen(true)}>
        Delete account
      </Button>
      <ConfirmDialog
        open={isOpen}
        onOpenChange={setOpen}
        title="Delete your account?"
        action="Delete permanently"
        typed={person.email}
        typedLabel={`Type ${person.email} to confirm`}
        pending={remove.isPending}
        onConfirm={() => {
          setProblem(undefined)
          remove.mutate({ email: person.email })
        }}
      >
        <p>
          All your keys stop working immediately, the remaining balance is forfeited, and the account can't be
          restored.
        </p>
        {organizations.map(({ id, name }) => (
          <ClosedToo key={id} account={id} name={name} />
        ))}
        {problem === undefined ? null : <Problem problem={problem} />}
      </ConfirmDialog>
    </Card>
  )
}

/** Warns about organizations in which no one else is a member. */
function ClosedToo({
  account,
  name,
}: {
  readonly account: string
  readonly name: string
}): JSX.Element | null {
  const members = useOperation('member.list', { account })
  if (members.data?.length !== 1) return null
  return (
    <p>
      You are the only member of <bdi className="font-medium text-ink">{name}</bdi>. It is closed too, with
      its keys and its balance.
    </p>
  )
}
