/** Requests a password reset link. The answer is the same whether or not the address is known. */
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
      title="Reset password"
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
          title="This server can't send email"
          text="Ask an administrator for a reset link. They can create one on the Admin page or with the CLI."
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
          title="Check your email"
          text={`If an account exists for ${sentTo}, we sent a link to set a new password. It expires in an hour.`}
          action={<Button onClick={() => setSentTo(undefined)}>Use another email</Button>}
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
      <p className="text-ink-soft">We'll email you a link to set a new password.</p>
      {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
      <EmailField value={email} onChange={setEmail} focused />
      <Button type="submit" variant="primary" className="h-10 w-full" pending={submit.isPending}>
        Send link
      </Button>
    </form>
  )
}
