/** The sign-in page. People who are already signed in continue directly. */
import { Link, useNavigate } from '@tanstack/react-router'
import { type JSX, useEffect, useState } from 'react'
import { Banner } from '@/components/banner'
import { Button } from '@/components/button'
import { Problem } from '@/components/problem'
import { SetupLinkPlace } from '@/components/setup-link-place'
import { Skeleton } from '@/components/skeleton'
import { signIn } from '@/lib/identity'
import { useOperation } from '@/lib/operations'
import { useSearch } from '@/lib/search'
import { useSubmit } from '@/lib/use-submit'
import { useEnter, useNext } from '@/lib/where-next'
import { AuthFrame, textLink } from './auth-frame.tsx'
import { EmailField, PasswordField } from './credentials.tsx'
import { OtherWays } from './other-ways.tsx'

export function SignInPage(): JSX.Element {
  const { next: wanted, error } = useSearch()
  const next = useNext()
  const installation = useOperation('installation.show')
  const me = useOperation('me.show')
  const enter = useEnter()
  const isIn = me.data !== undefined
  useEffect(() => {
    if (isIn) void enter(next)
  }, [isIn, next, enter])
  return (
    <AuthFrame
      title="Sign in"
      description={isHome(wanted) ? undefined : 'Sign in to continue.'}
      // An account without an administrator to approve it could not do anything.
      footer={
        installation.isPending || installation.data?.needsSetup === true ? undefined : (
          <p>
            New here?{' '}
            <Link to="/console/sign-up" search={{ next: wanted }} className={textLink}>
              Create account
            </Link>
          </p>
        )
      }
    >
      {installation.data?.needsSetup === true ? <NeedsSetup /> : null}
      {installation.error === null ? null : (
        <Problem problem={installation.error} onRetry={() => void installation.refetch()} />
      )}
      {error === undefined ? null : (
        <Banner tone="bad" title="Sign-in failed.">
          {reasonOf(error)}
        </Banner>
      )}
      {/* The notice above it must not push the form down later. */}
      {installation.isPending && installation.failureCount === 0 ? (
        <Skeleton className="h-56 rounded-xl" />
      ) : (
        <PasswordForm next={next} />
      )}
      {installation.data === undefined ? null : (
        <OtherWays installation={installation.data} next={next} passkeys="offered" />
      )}
    </AuthFrame>
  )
}

/** Typing the console's address alone is not a request for a specific page. */
const isHome = (wanted: string | undefined) => wanted === undefined || wanted === '/console'

/** The result of a sign-in at an identity provider. */
function reasonOf(error: string): string {
  return (
    providerErrors[error] ?? "The provider couldn't verify your identity. Try again, or use another method."
  )
}

const providerErrors: Readonly<Record<string, string>> = {
  access_denied: 'Access was denied at the provider.',
  signup_disabled: 'There is no account for this email, and sign-up is not open.',
  account_not_linked:
    'An account with this email already exists. Sign in with its password; then you can add the provider.',
}

function PasswordForm({ next }: { readonly next: string }): JSX.Element {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const submit = useSubmit()
  const navigate = useNavigate()
  const enter = useEnter()
  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        void submit.run(
          () => signIn(email.trim(), password),
          (value) =>
            value.twoFactorRedirect === true
              ? navigate({ to: '/console/two-factor', search: { next } })
              : enter(next),
        )
      }}
    >
      {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
      <EmailField value={email} onChange={setEmail} focused />
      <div className="flex flex-col gap-2">
        <PasswordField kind="present" value={password} onChange={setPassword} />
        <Link
          to="/console/forgot"
          search={{}}
          className="self-end text-sm text-ink-soft underline hover:text-ink"
        >
          Forgot password?
        </Link>
      </div>
      <Button type="submit" variant="primary" className="h-10 w-full" pending={submit.isPending}>
        Sign in
      </Button>
    </form>
  )
}

function NeedsSetup(): JSX.Element {
  return (
    <Banner title="This server has no administrator yet.">
      Open <SetupLinkPlace />. To create a new one, run{' '}
      <code className="font-mono text-sm">node bin/tollgate.js setup-link</code>.
    </Banner>
  )
}
