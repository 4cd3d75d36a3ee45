/** Creating an account, by the mode of this installation: open, by invitation, or closed. */
import { Link, useNavigate } from '@tanstack/react-router'
import { type JSX, type ReactNode, useState } from 'react'
import { Banner } from '@/components/banner'
import { Button } from '@/components/button'
import { Problem } from '@/components/problem'
import { SetupLinkPlace } from '@/components/setup-link-place'
import { Skeleton } from '@/components/skeleton'
import type { OperationOutput } from '@/lib/api'
import { identity, signIn } from '@/lib/identity'
import { useOperation } from '@/lib/operations'
import { useSearch } from '@/lib/search'
import { isZero, usd } from '@/lib/usd'
import { useSubmit } from '@/lib/use-submit'
import { useEnter, useNext } from '@/lib/where-next'
import { AuthFrame, Message, textLink } from './auth-frame.tsx'
import { EmailField, NameField, PasswordField } from './credentials.tsx'
import { OtherWays } from './other-ways.tsx'

type Installation = OperationOutput<'installation.show'>

export function SignUpPage(): JSX.Element {
  const { next: wanted, invitation } = useSearch()
  const installation = useOperation('installation.show')
  const facts = installation.data
  const mayEnter =
    facts !== undefined &&
    (facts.signup === 'open' || (facts.signup === 'invite' && invitation !== undefined))
  return (
    <AuthFrame
      title="Create account"
      description={facts === undefined || !mayEnter ? undefined : welcome(facts, invitation)}
      footer={
        <p>
          Already have an account?{' '}
          <Link to="/console/sign-in" search={{ next: wanted }} className={textLink}>
            Sign in
          </Link>
        </p>
      }
    >
      {installation.error === null ? null : (
        <Problem problem={installation.error} onRetry={() => void installation.refetch()} />
      )}
      {facts === undefined ? <Skeleton className="h-72" /> : null}
      {facts !== undefined && !mayEnter ? <NotOpen facts={facts} /> : null}
      {facts?.needsSetup === true && mayEnter ? <SetupFirst /> : null}
      {facts !== undefined && mayEnter ? <SignUpForm installation={facts} invitation={invitation} /> : null}
    </AuthFrame>
  )
}

function welcome({ signupCredit, mail }: Installation, invitation: string | undefined): ReactNode {
  if (isZero(signupCredit)) return 'One API key for every model on this server.'
  // People invited by an administrator need no approval; an email still verifies the address.
  if (invitation !== undefined && !mail)
    return `You've been invited. You'll start with ${usd(signupCredit)} in credit.`
  const condition = mail ? 'your email is verified' : 'an administrator approves you'
  return `You'll start with ${usd(signupCredit)} in credit once ${condition}.`
}

function SetupFirst(): JSX.Element {
  return (
    <Banner title="Did you start this server?">
      Instead, open <SetupLinkPlace />. It makes you the administrator and gives you the credit of the local
      account. An account created here needs an administrator's approval.
    </Banner>
  )
}

function NotOpen({ facts }: { readonly facts: Installation }): JSX.Element {
  if (facts.needsSetup) {
    return (
      <Message
        title="This server isn't set up yet"
        text={
          <>
            The administrator needs to open <SetupLinkPlace />.
          </>
        }
      />
    )
  }
  return facts.signup === 'invite' ? (
    <Message
      title="Sign-up is by invitation only"
      text="Ask an administrator of this server for an invitation link."
    />
  ) : (
    <Message title="Sign-up is closed" text="This server isn't accepting new accounts." />
  )
}

interface SignUpFormProps {
  readonly installation: Installation
  readonly invitation: string | undefined
}

function SignUpForm({ installation, invitation }: SignUpFormProps): JSX.Element {
  const invited = useSearch().email
  const [name, setName] = useState('')
  const [email, setEmail] = useState(invited ?? '')
  const [password, setPassword] = useState('')
  const submit = useSubmit()
  const next = useNext()
  const enter = useEnter()
  const navigate = useNavigate()
  const verify = (): Promise<void> => navigate({ to: '/console/verify', search: { email: email.trim() } })
  /** The link of an invitation proves the address, so the new password opens the console. */
  const enterInvited = async (): Promise<void> => {
    const entered = await signIn(email.trim(), password)
    await (entered.kind === 'done' ? enter(next) : verify())
  }
  const join = () =>
    identity<{ readonly token: string | null }>('POST', '/sign-up/email', {
      name: name.trim(),
      email: email.trim(),
      password,
      callbackURL: '/console/verify',
      ...(invitation === undefined ? {} : { invitation }),
    })
  return (
    <>
      <form
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          void submit.run(join, ({ token }) =>
            token !== null ? enter(next) : invitation === undefined ? verify() : enterInvited(),
          )
        }}
      >
        {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
        <NameField value={name} onChange={setName} focused />
        <EmailField
          value={email}
          onChange={setEmail}
          hint={invited === undefined ? undefined : 'The invitation is for this email.'}
        />
        <PasswordField kind="new" value={password} onChange={setPassword} />
        <Button type="submit" variant="primary" className="h-10 w-full" pending={submit.isPending}>
          Create account
        </Button>
      </form>
      <OtherWays installation={installation} next={next} passkeys="left out" />
    </>
  )
}
