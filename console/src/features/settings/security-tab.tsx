/** Login security: password, second factor, passkeys, sessions. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Problem } from '@/components/problem'
import { toast } from '@/components/toaster'
import { PasswordField } from '@/features/auth/credentials'
import { identity } from '@/lib/identity'
import { useSubmit } from '@/lib/use-submit'
import { PasskeysCard } from './passkeys-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { TwoFactorCard } from './two-factor-card.tsx'

export function SecurityTab(): JSX.Element {
  return (
    <div className="flex flex-col gap-6">
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <PasswordCard />
        <div className="flex flex-col gap-6">
          <TwoFactorCard />
          <PasskeysCard />
        </div>
      </div>
      <SessionsCard />
    </div>
  )
}

function PasswordCard(): JSX.Element {
  const [present, setPresent] = useState('')
  const [next, setNext] = useState('')
  const submit = useSubmit()
  return (
    <Card title="Password" description="Changing it signs you out everywhere else.">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void submit.run(
            () =>
              identity('POST', '/change-password', {
                currentPassword: present,
                newPassword: next,
              }),
            () => {
              setPresent('')
              setNext('')
              toast.good('Password changed. You were signed out everywhere else.')
            },
          )
        }}
      >
        {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
        <PasswordField label="Current password" kind="present" value={present} onChange={setPresent} />
        <PasswordField label="New password" kind="new" value={next} onChange={setNext} />
        <Button
          type="submit"
          variant="primary"
          className="self-start"
          pending={submit.isPending}
          disabled={present === '' || next === ''}
        >
          Change password
        </Button>
      </form>
    </Card>
  )
}
