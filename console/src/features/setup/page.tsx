/** Becoming the first administrator with the token of the setup link. */
import { type JSX, useState } from 'react'
import { Button, LinkButton } from '@/components/button'
import { Code } from '@/components/code'
import { KeyRound, ShieldCheck, Wallet } from '@/components/icons'
import { Problem } from '@/components/problem'
import { SetupLinkPlace } from '@/components/setup-link-place'
import { Skeleton } from '@/components/skeleton'
import { AuthFrame, Message } from '@/features/auth/auth-frame'
import { EmailField, NameField, PasswordField } from '@/features/auth/credentials'
import { type ApiError, call } from '@/lib/api'
import { type Outcome, signIn } from '@/lib/identity'
import { useOperation } from '@/lib/operations'
import { useSearch } from '@/lib/search'
import { useSubmit } from '@/lib/use-submit'
import { useEnter } from '@/lib/where-next'

export function SetupPage(): JSX.Element {
  const { token } = useSearch()
  const installation = useOperation('installation.show')
  const needsSetup = installation.data?.needsSetup
  return (
    <AuthFrame title="Set up this server">
      {installation.error === null ? null : (
        <Problem problem={installation.error} onRetry={() => void installation.refetch()} />
      )}
      {installation.isPending ? <Skeleton className="h-96" /> : null}
      {needsSetup === false ? <Done /> : null}
      {needsSetup === true && token === undefined ? <NoToken /> : null}
      {needsSetup === true && token !== undefined ? <Claim token={token} /> : null}
    </AuthFrame>
  )
}

function Done(): JSX.Element {
  return (
    <Message
      title="This server has an administrator"
      text="The setup link was already used. It works once."
      action={
        <LinkButton to="/console/sign-in" search={{}} variant="primary">
          Sign in
        </LinkButton>
      }
    />
  )
}

function NoToken(): JSX.Element {
  return (
    <>
      <p className="text-ink-soft">
        Open <SetupLinkPlace />. To create a new one, run this command on the server:
      </p>
      <Code language="Shell" code="node bin/tollgate.js setup-link" what="the command" />
    </>
  )
}

const effects = [
  [ShieldCheck, "You'll become the administrator of this server."],
  [Wallet, 'The local account and its credit become your personal account.'],
  [KeyRound, 'The API key created at the first start keeps working and becomes yours.'],
] as const

function Claim({ token }: { readonly token: string }): JSX.Element {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const submit = useSubmit()
  const enter = useEnter()
  const claim = async (): Promise<Outcome<unknown>> => {
    try {
      await call('setup.claim', { token, name: name.trim(), email: email.trim(), password })
    } catch (error) {
      return { kind: 'rejected', problem: error as ApiError }
    }
    return signIn(email.trim(), password)
  }
  return (
    <>
      <ul className="flex flex-col gap-2.5">
        {effects.map(([Icon, text]) => (
          <li key={text} className="flex gap-3 text-ink-soft">
            <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
            {text}
          </li>
        ))}
      </ul>
      <form
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          void submit.run(claim, () => enter('/console'))
        }}
      >
        {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
        <NameField value={name} onChange={setName} focused />
        <EmailField value={email} onChange={setEmail} hint="Used to sign in. No email is sent to it." />
        <PasswordField kind="new" value={password} onChange={setPassword} />
        <Button type="submit" variant="primary" className="h-10 w-full" pending={submit.isPending}>
          Become administrator
        </Button>
      </form>
    </>
  )
}
