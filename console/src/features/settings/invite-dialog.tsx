/** Invites someone to an organization: email and role, then the link to share. */
import { useQueryClient } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Code } from '@/components/code'
import { Dialog, DialogActions } from '@/components/dialog'
import { Field } from '@/components/field'
import { Problem } from '@/components/problem'
import { Select } from '@/components/select'
import { EmailField } from '@/features/auth/credentials'
import { identity } from '@/lib/identity'
import { useOperation } from '@/lib/operations'
import { useSubmit } from '@/lib/use-submit'
import { roleLabel, roleWords } from './role-words.ts'

interface InviteDialogProps {
  readonly organization: string
  readonly onClose: () => void
}

interface Invited {
  readonly id: string
  readonly email: string
}

export function InviteDialog({ organization, onClose }: InviteDialogProps): JSX.Element {
  const [invited, setInvited] = useState<Invited | undefined>(undefined)
  return (
    <Dialog open onOpenChange={onClose} title="Invite member" size="small">
      {invited === undefined ? (
        <InviteForm organization={organization} onInvited={setInvited} onClose={onClose} />
      ) : (
        <Link invited={invited} onClose={onClose} />
      )}
    </Dialog>
  )
}

interface InviteFormProps extends InviteDialogProps {
  readonly onInvited: (invited: Invited) => void
}

function InviteForm({ organization, onInvited, onClose }: InviteFormProps): JSX.Element {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState('developer')
  const submit = useSubmit()
  const client = useQueryClient()
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        void submit.run(
          () =>
            identity<Invited>('POST', '/organization/invite-member', {
              email: email.trim(),
              role,
              organizationId: organization,
            }),
          async (value) => {
            await client.invalidateQueries({ queryKey: ['organization', organization] })
            onInvited(value)
          },
        )
      }}
    >
      {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
      <EmailField value={email} onChange={setEmail} focused />
      <Field label="Role" hint={roleWords.find(([name]) => name === role)?.[1]}>
        <Select value={role} onChange={(event) => setRole(event.target.value)}>
          {roleWords.map(([name]) => (
            <option key={name} value={name}>
              {roleLabel(name)}
            </option>
          ))}
        </Select>
      </Field>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" pending={submit.isPending}>
          Invite
        </Button>
      </DialogActions>
    </form>
  )
}

function Link({
  invited,
  onClose,
}: {
  readonly invited: Invited
  readonly onClose: () => void
}): JSX.Element {
  const installation = useOperation('installation.show')
  const address = `${installation.data?.address ?? location.origin}/console/invitation?id=${encodeURIComponent(invited.id)}`
  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-soft">
        {installation.data?.mail === true
          ? `We sent the link to ${invited.email}. You can also share it yourself:`
          : `This server can't send email. Share this link with ${invited.email} yourself.`}
      </p>
      <Code code={address} language="Link" what="the link" wrap />
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </div>
  )
}
