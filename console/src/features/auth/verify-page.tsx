/** The end of the link that confirms an address, and what to do while it is on its way. */
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
    <AuthFrame title="Confirm your address">
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
  if (outcome.data.kind === 'refused') return <Failed email={undefined} />
  const next = newAddressOf(token)
  return next === undefined ? <Confirmed /> : <OneMore email={next} />
}

/** The first of two letters that change an address leads to the second. */
function OneMore({ email }: { readonly email: string }): JSX.Element {
  return (
    <div role="status">
      <Message
        title="One more letter"
        text={`Now a link is on its way to ${email}. Your address changes once you open that one.`}
      />
    </div>
  )
}

/** The link of a letter confirms an address and signs nobody in: mail is read by more programs than people. */
function Confirmed(): JSX.Element {
  const isIn = useOperation('me.show').data !== undefined
  return (
    <div role="status">
      <Message
        title="Your address is confirmed"
        text={isIn ? 'Everything is ready.' : 'Everything is ready: sign in and make your first key.'}
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
        title="Look into your mail"
        text={`A link was sent to ${email}. Open it to confirm that the address is yours.`}
      />
      <Resend email={email} />
      <p className="text-center text-sm text-ink-soft">
        Nothing there after some minutes? Look among unwanted mail. Is the address wrong?{' '}
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
        text="It is too old, or it was used already: then you only need to sign in. Else have a new one sent."
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
        Send the link again
      </Button>
      <p role="status" className="min-h-5 text-center text-sm text-ink-soft">
        {isSent ? 'If the address waits for it, a new link is on its way.' : ''}
      </p>
      <Link to="/console/sign-in" search={{}} className={cn(textLink, 'self-start')}>
        Sign in
      </Link>
    </form>
  )
}
