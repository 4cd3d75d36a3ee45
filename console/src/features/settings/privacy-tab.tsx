/** All that is kept of the person: taking it along, and deleting the account. */
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
      title="Take your data along"
      description="One JSON file with your person, accounts, keys, entries and requests. Secrets are not in it."
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
      toast.good('Your account is deleted.')
      await navigate({ to: '/console/sign-in', search: {} })
    },
  })
  return (
    <Card
      title="Delete your account"
      description="Your sessions, keys, name and uploaded files go for good, and with them the organizations in which you are the only member; what is left of their balances is lost. The ledger keeps its entries without them."
    >
      <Button variant="quiet-danger" onClick={() => setOpen(true)}>
        Delete the account
      </Button>
      <ConfirmDialog
        open={isOpen}
        onOpenChange={setOpen}
        title="Delete your account?"
        action="Delete for good"
        typed={person.email}
        typedLabel={`Type ${person.email} to confirm`}
        pending={remove.isPending}
        onConfirm={() => {
          setProblem(undefined)
          remove.mutate({ email: person.email })
        }}
      >
        <p>
          All your keys stop working at once, what is left of the balance is lost, and nobody can bring the
          account back.
        </p>
        {organizations.map(({ id, name }) => (
          <ClosedToo key={id} account={id} name={name} />
        ))}
        {problem === undefined ? null : <Problem problem={problem} />}
      </ConfirmDialog>
    </Card>
  )
}

/** Says so of an organization in which nobody else is. */
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
      You are the only member of <bdi className="font-medium text-ink">{name}</bdi>: it is closed too, with
      its keys and its balance.
    </p>
  )
}
