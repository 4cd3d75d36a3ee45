/** Shows an invitation to an organization, to accept it. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Button, LinkButton } from '@/components/button'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { toast } from '@/components/toaster'
import { call } from '@/lib/api'
import { identity } from '@/lib/identity'
import { useOperation } from '@/lib/operations'
import { useSearch } from '@/lib/search'
import { useSubmit } from '@/lib/use-submit'
import { AuthFrame, Message } from './auth-frame.tsx'

interface Invitation {
  readonly id: string
  readonly email: string
  readonly role: string
  readonly organizationId: string
  readonly organizationName: string
  readonly inviterEmail: string
}

export function InvitationPage(): JSX.Element {
  const { id } = useSearch()
  const me = useOperation('me.show')
  return (
    <AuthFrame title="Invitation">
      {id === undefined ? <Gone /> : null}
      {id !== undefined && me.isPending ? <Skeleton className="h-48" /> : null}
      {id !== undefined && me.error !== null ? <SignInFirst /> : null}
      {id !== undefined && me.data !== undefined ? <Choice id={id} email={me.data.person.email} /> : null}
    </AuthFrame>
  )
}

function SignInFirst(): JSX.Element {
  const next = useRouterState({ select: ({ location }) => location.href })
  return (
    <Message
      title="You're invited to an organization"
      text="Sign in or create an account with the email the invitation was sent to. Then you can accept it."
      action={
        <>
          <LinkButton to="/console/sign-in" search={{ next }} variant="primary">
            Sign in
          </LinkButton>
          <LinkButton to="/console/sign-up" search={{ next }}>
            Create account
          </LinkButton>
        </>
      }
    />
  )
}

function Choice({ id, email }: { readonly id: string; readonly email: string }): JSX.Element {
  const query = new URLSearchParams({ id }).toString()
  const invitation = useQuery({
    queryKey: ['invitation', id],
    queryFn: () => identity<Invitation>('GET', `/organization/get-invitation?${query}`),
    retry: false,
  })
  if (invitation.data === undefined) return <Skeleton className="h-48" />
  if (invitation.data.kind === 'rejected') return <Gone email={email} />
  return <Offer invitation={invitation.data.value} />
}

function Offer({ invitation }: { readonly invitation: Invitation }): JSX.Element {
  const submit = useSubmit()
  const client = useQueryClient()
  const navigate = useNavigate()
  const answer = (
    path: '/organization/accept-invitation' | '/organization/reject-invitation',
    said: string,
  ) =>
    submit.run(
      () => identity('POST', path, { invitationId: invitation.id }),
      async () => {
        await client.invalidateQueries()
        const { accounts } = await call('me.show')
        toast.good(said)
        // Accepting opens the organization; declining stays in the personal account.
        const account = accounts.find(
          ({ organization }) => organization === invitation.organizationId,
        )?.account
        await navigate({ to: '/console', search: account === undefined ? {} : { account } })
      },
    )
  return (
    <>
      <p>
        <strong>{invitation.inviterEmail}</strong> invited you to{' '}
        <strong>{invitation.organizationName}</strong> as <strong>{invitation.role}</strong>. Members share
        one balance, with access based on their role.
      </p>
      {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
      <div className="flex flex-col gap-2">
        <Button
          variant="primary"
          className="h-10"
          pending={submit.isPending}
          onClick={() =>
            void answer('/organization/accept-invitation', `You joined ${invitation.organizationName}.`)
          }
        >
          Accept
        </Button>
        <Button
          className="h-10"
          onClick={() => void answer('/organization/reject-invitation', 'Invitation declined.')}
        >
          Decline
        </Button>
      </div>
    </>
  )
}

function Gone({ email }: { readonly email?: string }): JSX.Element {
  return (
    <Message
      title="Invitation not found"
      text={
        email === undefined
          ? 'The link may be incomplete. Ask for a new one.'
          : `It was used, withdrawn or has expired, or it was not sent to ${email}. Ask the sender for a new one.`
      }
      action={
        <LinkButton to="/console" search={{}}>
          Go to the console
        </LinkButton>
      }
    />
  )
}
