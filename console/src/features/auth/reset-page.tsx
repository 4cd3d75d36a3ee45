/** Sets a new password with the token of a reset link. */
import { Link, useNavigate } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { Button, LinkButton } from '@/components/button'
import { Problem } from '@/components/problem'
import { toast } from '@/components/toaster'
import { identity } from '@/lib/identity'
import { useSearch } from '@/lib/search'
import { useSubmit } from '@/lib/use-submit'
import { AuthFrame, Message, textLink } from './auth-frame.tsx'
import { PasswordField } from './credentials.tsx'

export function ResetPage(): JSX.Element {
  const { token, error } = useSearch()
  return (
    <AuthFrame
      title="Set new password"
      footer={
        <Link to="/console/sign-in" search={{}} className={textLink}>
          Back to sign-in
        </Link>
      }
    >
      {token === undefined || error !== undefined ? <BadLink /> : <NewPassword token={token} />}
    </AuthFrame>
  )
}

function BadLink(): JSX.Element {
  return (
    <Message
      title="This link does not work"
      text="It was already used, has expired, or is incomplete."
      action={
        <LinkButton to="/console/forgot" search={{}} variant="primary">
          Request a new link
        </LinkButton>
      }
    />
  )
}

function NewPassword({ token }: { readonly token: string }): JSX.Element {
  const [password, setPassword] = useState('')
  const submit = useSubmit()
  const navigate = useNavigate()
  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        void submit.run(
          () => identity('POST', '/reset-password', { newPassword: password, token }),
          async () => {
            toast.good('Password updated. Sign in with it.')
            await navigate({ to: '/console/sign-in', search: {} })
          },
        )
      }}
    >
      <p className="text-ink-soft">Changing your password signs you out everywhere.</p>
      {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
      <PasswordField kind="new" label="New password" value={password} onChange={setPassword} focused />
      <Button type="submit" variant="primary" className="h-10 w-full" pending={submit.isPending}>
        Set password
      </Button>
    </form>
  )
}
