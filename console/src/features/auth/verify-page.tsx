/** Verifies an email address, and says what to do while the email is on its way. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { Button, LinkButton } from '@/components/button'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { cn } from '@/lib/class-names'
import { identity, resendVerification } from '@/lib/identity'
import { useOperation } from '@/lib/operations'
import { useSearch } from '@/lib/search'
import { useSubmit } from '@/lib/use-submit'
import { AuthFrame, Message, textLink } from './auth-frame.tsx'
import { EmailField } from './credentials.tsx'
import { newAddressOf } from './verification-token.ts'

export function VerifyPage(): JSX.Element {
  const { token, email, error } = useSearch()
  return (
    <AuthFrame title="Verify your email">
      {token === undefined ? null : <Verification token={token} />}
      {token === undefined && error !== undefined ? <Failed email={email} /> : null}
      {token === undefined && error === undefined && email !== undefined ? <Sent email={email} /> : null}
      {token === undefined && error === undefined && email === undefined ? <Confirmed /> : null}
    </AuthFrame>
  )
}

function Verification({ token }: { readonly token: string }): JSX.Element {
  const query = new URLSearchParams({ token }).toString()
  const outcome = useQuery({
    queryKey: ['verify', token],
    queryFn: () => identity('GET', `/verify-email?${query}`),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (outcome.data === undefined) return <Skeleton className="h-40" />
  if (outcome.data.kind === 'rejected') return <Failed email={undefined} />
  const next = newAddressOf(token)
  return next === undefined ? <Confirmed /> : <OneMore email={next} />
}

/** The first of the two emails that change an address leads to the second. */
function OneMore({ email }: { readonly email: string }): JSX.Element {
  return (
    <div role="status">
      <Message
        title="One more email"
        text={`We sent a link to ${email}. Your email changes once you open it.`}
      />
    </div>
  )
}

/** Verifying an address does not sign in: programs read mail, too. */
function Confirmed(): JSX.Element {
  const isIn = useOperation('me.show').data !== undefined
  return (
    <div role="status">
      <Message
        title="Email verified"
        text={isIn ? "You're all set." : 'Sign in and create your first API key.'}
        action={
          <LinkButton to={isIn ? '/console' : '/console/sign-in'} search={{}} variant="primary">
            {isIn ? 'Go to the console' : 'Sign in'}
          </LinkButton>
        }
      />
    </div>
  )
}

function Sent({ email }: { readonly email: string }): JSX.Element {
  return (
    <>
      <Message
        title="Check your email"
        text={`We sent a link to ${email}. Open it to verify your address.`}
      />
      <Resend email={email} />
      <p className="text-center text-sm text-ink-soft">
        Nothing after a few minutes? Check your spam folder. Wrong address?{' '}
        <Link to="/console/sign-up" search={{}} className={textLink}>
          Sign up again
        </Link>
      </p>
    </>
  )
}

function Failed({ email }: { readonly email: string | undefined }): JSX.Element {
  return (
    <>
      <Message
        title="This link does not work"
        text="It has expired or was already used. If you used it, just sign in; otherwise request a new one."
      />
      <Resend email={email} />
    </>
  )
}

function Resend({ email: known }: { readonly email: string | undefined }): JSX.Element {
  const [email, setEmail] = useState(known ?? '')
  const [isSent, setSent] = useState(false)
  const submit = useSubmit()
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void submit.run(
          () => resendVerification(email.trim()),
          () => setSent(true),
        )
      }}
    >
      {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
      {known === undefined ? <EmailField value={email} onChange={setEmail} /> : null}
      <Button type="submit" pending={submit.isPending} className="h-10 w-full">
        Resend link
      </Button>
      <p role="status" className="min-h-5 text-center text-sm text-ink-soft">
        {isSent ? 'If this address needs verification, a new link is on its way.' : ''}
      </p>
      <Link to="/console/sign-in" search={{}} className={cn(textLink, 'self-start')}>
        Sign in
      </Link>
    </form>
  )
}
