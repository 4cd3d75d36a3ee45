/** The passkeys of the person: adding and removing. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ConfirmDialog, Dialog, DialogActions } from '@/components/dialog'
import { Field } from '@/components/field'
import { Fingerprint, Trash2 } from '@/components/icons'
import { Input } from '@/components/input'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { toast } from '@/components/toaster'
import { When } from '@/components/when'
import { identity, look } from '@/lib/identity'
import { useOperation } from '@/lib/operations'
import { addPasskey, type Passkey, passkeyProblem } from '@/lib/passkeys'
import { useSubmit } from '@/lib/use-submit'

const queryKey = ['passkeys']

export function PasskeysCard(): JSX.Element {
  const installation = useOperation('installation.show')
  const [isAdding, setAdding] = useState(false)
  const cannot = installation.data === undefined ? null : passkeyProblem(installation.data)
  return (
    <Card
      title="Passkeys"
      description="Sign in with a fingerprint, face or security key instead of your password."
      actions={
        cannot === null ? (
          <Button size="small" onClick={() => setAdding(true)}>
            Add passkey
          </Button>
        ) : undefined
      }
    >
      {cannot === null ? <List /> : <p className="text-ink-soft">{cannot}</p>}
      {isAdding ? <Add onClose={() => setAdding(false)} /> : null}
    </Card>
  )
}

function List(): JSX.Element {
  const passkeys = useQuery({
    queryKey,
    queryFn: () => look<readonly Passkey[]>('/passkey/list-user-passkeys'),
  })
  const [doomed, setDoomed] = useState<Passkey | undefined>(undefined)
  const submit = useSubmit()
  const client = useQueryClient()
  if (passkeys.error !== null)
    return <Problem problem={passkeys.error} onRetry={() => void passkeys.refetch()} />
  if (passkeys.data === undefined) return <Skeleton className="h-10" />
  if (passkeys.data.length === 0) return <p className="text-ink-soft">No passkeys yet.</p>
  const remove = (passkey: Passkey): Promise<void> =>
    submit.run(
      () => identity('POST', '/passkey/delete-passkey', { id: passkey.id }),
      async () => {
        await client.invalidateQueries({ queryKey })
        setDoomed(undefined)
        toast.good('Passkey removed.')
      },
    )
  return (
    <>
      <ul className="flex flex-col divide-y divide-line">
        {passkeys.data.map((passkey) => (
          <li key={passkey.id} className="flex items-center gap-3 py-2">
            <Fingerprint aria-hidden="true" className="size-4 text-ink-soft" />
            <span className="min-w-0 flex-1 truncate font-medium">{nameOf(passkey)}</span>
            <span className="text-sm text-ink-soft">
              added <When at={passkey.createdAt} />
            </span>
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Remove ${nameOf(passkey)}`}
              onClick={() => setDoomed(passkey)}
            >
              <Trash2 aria-hidden="true" />
            </Button>
          </li>
        ))}
      </ul>
      {doomed === undefined ? null : (
        <ConfirmDialog
          open
          onOpenChange={() => setDoomed(undefined)}
          title={`Remove ${nameOf(doomed)}?`}
          action="Remove"
          pending={submit.isPending}
          onConfirm={() => void remove(doomed)}
        >
          <p>You can no longer sign in with it. Delete it from the device, too.</p>
          {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
        </ConfirmDialog>
      )}
    </>
  )
}

function nameOf({ name }: Passkey): string {
  return name == null || name === '' ? 'Passkey' : name
}

function Add({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [name, setName] = useState('')
  const submit = useSubmit()
  const client = useQueryClient()
  return (
    <Dialog open onOpenChange={onClose} title="Add passkey" size="small">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          event.stopPropagation()
          void submit.run(
            () => addPasskey(name.trim()),
            async () => {
              await client.invalidateQueries({ queryKey })
              toast.good('Passkey added.')
              onClose()
            },
          )
        }}
      >
        {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
        <Field label="Name" hint="A name to recognize it by, such as “Laptop” or “Blue security key”.">
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
            Add
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
