/** Operator actions on an account: add credit, suspend, resume, lift a restriction. */

import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Field } from '@/components/field'
import { Ban, CirclePlay, LockOpen } from '@/components/icons'
import { Textarea } from '@/components/input'
import { toast } from '@/components/toaster'
import { useChange } from '@/lib/operations'
import type { Account } from './accounts.tsx'
import { errorAt, FormDialog } from './form-dialog.tsx'
import { GiveCredit } from './give-credit.tsx'

interface ActionProps {
  readonly account: Account
}

export function AccountActions({ account }: ActionProps): JSX.Element {
  return (
    <>
      <GiveCredit account={account.account} name={account.name} />
      {account.restricted === null ? null : <Unrestrict account={account} />}
      {account.suspended === null ? <Suspend account={account} /> : <Resume account={account} />}
    </>
  )
}

function Suspend({ account }: ActionProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  const suspend = useChange('account.suspend', {
    changes: ['account'],
    onProblem: () => undefined,
    onDone() {
      setOpen(false)
      setReason('')
      toast.good(`${account.name} is suspended.`)
    },
  })
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Ban aria-hidden="true" />
        Suspend
      </Button>
      <FormDialog
        open={isOpen}
        onOpenChange={setOpen}
        title={`Suspend ${account.name}?`}
        description="All of its keys are rejected immediately. The balance is retained, and you can resume the account at any time."
        action="Suspend account"
        tone="danger"
        pending={suspend.isPending}
        problem={suspend.error}
        fields={['reason']}
        onSubmit={() =>
          suspend.mutate({
            account: account.account,
            ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
          })
        }
      >
        <Field
          label="Reason"
          optional
          hint="Recorded in the audit log."
          {...errorAt(suspend.error, 'reason')}
        >
          <Textarea value={reason} onChange={(event) => setReason(event.target.value)} />
        </Field>
      </FormDialog>
    </>
  )
}

function Resume({ account }: ActionProps): JSX.Element {
  const resume = useChange('account.resume', {
    changes: ['account'],
    onDone: () => toast.good(`${account.name} can make requests again.`),
  })
  return (
    <Button
      variant="primary"
      pending={resume.isPending}
      onClick={() => resume.mutate({ account: account.account })}
    >
      <CirclePlay aria-hidden="true" />
      Resume
    </Button>
  )
}

function Unrestrict({ account }: ActionProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const unrestrict = useChange('account.unrestrict', {
    changes: ['account'],
    onDone() {
      setOpen(false)
      toast.good(`${account.name} has all features again.`)
    },
  })
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <LockOpen aria-hidden="true" />
        Lift restriction
      </Button>
      <ConfirmDialog
        open={isOpen}
        onOpenChange={setOpen}
        title={`Lift the restriction on ${account.name}?`}
        action="Lift restriction"
        tone="primary"
        pending={unrestrict.isPending}
        onConfirm={() => unrestrict.mutate({ account: account.account })}
      >
        <p>
          Requests from this account cost more than they had reserved, so we turned off file inputs other than
          text and images, tools that run at the provider, and canceling by disconnecting. Lifting the
          restriction turns them back on, and any overrun is written off again.
        </p>
      </ConfirmDialog>
    </>
  )
}
