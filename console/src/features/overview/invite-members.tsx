/** The step of an organization's managers to its other members. */
import { type JSX, useState } from 'react'
import { Button, LinkButton } from '@/components/button'
import { UserPlus } from '@/components/icons'
import { InviteDialog } from '../settings/invite-dialog.tsx'

export function InviteMembers({ organization }: { readonly organization: string }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <p className="text-ink-soft">
        Members share this balance, and each has a role. You can do this at any time in the settings.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setOpen(true)}>
          <UserPlus aria-hidden="true" />
          Invite member
        </Button>
        <LinkButton to="/console/settings" search={{ tab: 'members' }} variant="ghost">
          Members
        </LinkButton>
      </div>
      {isOpen ? <InviteDialog organization={organization} onClose={() => setOpen(false)} /> : null}
    </>
  )
}
