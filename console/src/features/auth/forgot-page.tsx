/** Asking for a link that sets a new password. Says the same whether or not the address is known. */
import { Link } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { identity } from '@/lib/identity'
import { useOperation } from '@/lib/operations'
import { useSubmit } from '@/lib/use-submit'
import { AuthFrame, Message, textLink } from './auth-frame.tsx'
import { EmailField } from './credentials.tsx'

export function ForgotPage(): JSX.Element {
  const installation = useOperation('installation.show')
  return (
    <AuthFrame
      title="Reset the password"
      footer={
        <Link to="/console/sign-in" search={{}} className={textLink}>
          Back to sign-in
        </Link>
      }
    >
      {installation.error === null ? null : (
        <Problem problem={installation.error} onRetry={() => void installation.refetch()} />
      )}
      {installation.data === undefined ? <Skeleton className="h-40" /> : null}
      {installation.data?.mail === true ? <AskForm /> : null}
      {installation.data?.mail === false ? (
        <Message
          title="This server sends no mail"
          text="Ask an administrator for a reset link: they make one on the Admin page, or with the command line."
        />
      ) : null}
    </AuthFrame>
  )
}

function AskForm(): JSX.Element {
  const [email, setEmail] = useState('')
  const [sentTo, setSentTo] = useState<string | undefined>(undefined)
  const submit = useSubmit()
  if (sentTo !== undefined) {
    return (
      <div role="status">
        <Message
          title="Look into your mail"
          text={`If ${sentTo} has an account here, a link to set a new password is on its way. It works for an hour.`}
          action={<Button onClick={() => setSentTo(undefined)}>Use another address</Button>}
        />
      </div>
    )
  }
  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        const address = email.trim()
        void submit.run(
          () => identity('POST', '/request-password-reset', { email: address, redirectTo: '/console/reset' }),
          () => setSentTo(address),
        )
      }}
    >
      <p className="text-ink-soft">We send a link to your address with which you set a new one.</p>
      {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
      <EmailField value={email} onChange={setEmail} focused />
      <Button type="submit" variant="primary" className="h-10 w-full" pending={submit.isPending}>
        Send the link
      </Button>
    </form>
  )
}
