/** The second factor: turning it on with an authenticator app, new backup codes, turning it off. */
import { useQueryClient } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Dialog } from '@/components/dialog'
import { toast } from '@/components/toaster'
import { useMe } from '@/lib/account'
import { identity } from '@/lib/identity'
import { refresh } from '@/lib/operations'
import { BackupCodes } from './backup-codes.tsx'
import { EnrolTwoFactor } from './enrol-two-factor.tsx'
import { WithPassword } from './with-password.tsx'

type Open = 'turn on' | 'new codes' | 'turn off'

export function TwoFactorCard(): JSX.Element {
  const { person } = useMe()
  const [open, setOpen] = useState<Open | undefined>(undefined)
  const close = (): void => setOpen(undefined)
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          Two-factor authentication
          {person.twoFactor ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>}
        </span>
      }
      description="Requires a code from an app on your phone in addition to your password."
    >
      <div className="flex flex-wrap gap-2">
        {person.twoFactor ? (
          <>
            <Button onClick={() => setOpen('new codes')}>New backup codes</Button>
            <Button variant="ghost" onClick={() => setOpen('turn off')}>
              Turn off
            </Button>
          </>
        ) : (
          <Button variant="primary" onClick={() => setOpen('turn on')}>
            Turn on
          </Button>
        )}
      </div>
      {open === 'turn on' ? <EnrolTwoFactor onClose={close} /> : null}
      {open === 'new codes' ? <NewCodes onClose={close} /> : null}
      {open === 'turn off' ? <TurnOff onClose={close} /> : null}
    </Card>
  )
}

interface Closing {
  readonly onClose: () => void
}

function NewCodes({ onClose }: Closing): JSX.Element {
  const [codes, setCodes] = useState<readonly string[] | undefined>(undefined)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      held={codes !== undefined}
      title="New backup codes"
      description={codes === undefined ? 'Your current codes stop working.' : undefined}
      size="small"
    >
      {codes === undefined ? (
        <WithPassword<{ readonly backupCodes: readonly string[] }>
          action="Create codes"
          exchange={(password) => identity('POST', '/two-factor/generate-backup-codes', { password })}
          onDone={({ backupCodes }) => setCodes(backupCodes)}
          onClose={onClose}
        />
      ) : (
        <BackupCodes codes={codes} onClose={onClose} />
      )}
    </Dialog>
  )
}

function TurnOff({ onClose }: Closing): JSX.Element {
  const client = useQueryClient()
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Turn off two-factor authentication"
      description="Your password alone will be enough to sign in."
      size="small"
    >
      <WithPassword
        action="Turn off"
        danger
        exchange={(password) => identity('POST', '/two-factor/disable', { password })}
        onDone={async () => {
          await refresh(client, ['people', 'account'])
          toast.good('Two-factor authentication is off.')
          onClose()
        }}
        onClose={onClose}
      />
    </Dialog>
  )
}
