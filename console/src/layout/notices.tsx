/**
 * What the person must know on every page: what their account waits for and why requests are refused; and where
 * administrators look first, who waits for them.
 */
import { useRouterState } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Banner } from '@/components/banner'
import { Button, LinkButton } from '@/components/button'
import { Money } from '@/components/money'
import { toast } from '@/components/toaster'
import { When } from '@/components/when'
import { useAccount, useMay, useMe } from '@/lib/account'
import { resendVerification } from '@/lib/identity'
import { useOperation } from '@/lib/operations'
import { useSearch } from '@/lib/search'
import { compareUsd, isZero, usd } from '@/lib/usd'

/** Whether what stands above a page is known, so that it does not push the page down later. Asked in vain counts. */
export function useNoticesKnown(): boolean {
  const { id } = useAccount()
  const billing = useOperation('billing.show', { account: id })
  return !billing.isPending || billing.failureCount > 0
}

export function Notices(): JSX.Element {
  return (
    <div className="mx-auto mb-6 flex w-full max-w-6xl flex-col gap-2 empty:hidden print:hidden">
      <Elsewhere />
      <Waiting />
      <AccountState />
      <ToConfirm />
    </div>
  )
}

/** A link of somebody else's, or an organization that was left: what is shown is not what the address names. */
function Elsewhere(): JSX.Element | null {
  const { account: wanted } = useSearch()
  const { id } = useAccount()
  if (wanted === undefined || wanted === id) return null
  return (
    <Banner
      tone="warn"
      title="You do not act for the account in this address."
      action={
        <LinkButton to="/console" search={{ account: undefined }} size="small">
          Go to your own
        </LinkButton>
      }
    >
      It is of somebody else, or of an organization that you are no member of. This is your personal account.
    </Banner>
  )
}

/** Of the person themselves, so it says nothing of the accounts of their organizations. */
function Waiting(): JSX.Element | null {
  const { waitsFor, person } = useMe()
  const { kind } = useAccount()
  const installation = useOperation('installation.show')
  const credit = installation.data?.signupCredit
  const gift =
    credit === undefined || isZero(credit) ? '' : ` Your starting credit of ${usd(credit)} follows then.`
  if (kind !== 'personal') return null
  if (waitsFor === 'confirmation')
    return <Unconfirmed gift={gift} hasNobody={installation.data?.needsSetup === true} />
  if (waitsFor === 'tomorrow') {
    return (
      <Banner title="Your starting credit follows tomorrow (UTC).">
        This server gives away so much a day, and today’s is given. It is here when you come back.
      </Banner>
    )
  }
  if (waitsFor !== 'verification') return null
  const resend = async (): Promise<void> => {
    const outcome = await resendVerification(person.email)
    if (outcome.kind === 'refused') toast.problem(outcome.problem.message)
    else toast.good(`A new link is on its way to ${person.email}.`)
  }
  return (
    <Banner
      title="Confirm your e-mail address."
      action={
        <Button size="small" onClick={() => void resend()}>
          Send the link again
        </Button>
      }
    >
      A link was sent to {person.email}.{gift}
    </Banner>
  )
}

interface UnconfirmedProps {
  readonly gift: string
  /** Nobody could: the setup link was not used yet. */
  readonly hasNobody: boolean
}

function Unconfirmed({ gift, hasNobody }: UnconfirmedProps): JSX.Element {
  const { person } = useMe()
  const { id } = useAccount()
  const billing = useOperation('billing.show', { account: id })
  const payments = billing.data?.payments
  const contact = payments?.kind === 'operator' ? payments.contact : null
  const isPoor = billing.data !== undefined && isEmpty(billing.data.posted)
  if (hasNobody) {
    return (
      <Banner tone="warn" title="An administrator has to confirm you, and there is none yet.">
        Whoever started this server becomes it with the setup link: the server printed it, and{' '}
        <code className="font-mono text-[0.8125rem]">node bin/tollgate.js setup-link</code> makes another.
      </Banner>
    )
  }
  return (
    <Banner title="An administrator has to confirm you.">
      This server sends no mail, so it is done by hand: tell an administrator that {person.email} waits.{gift}{' '}
      This page shows it by itself{isPoor ? '; until then requests are refused.' : '.'}
      {contact === null ? null : (
        <span className="block whitespace-pre-line">
          They say: <bdi>{contact}</bdi>
        </span>
      )}
    </Banner>
  )
}

/** Where administrators look first, and where they work; not on the page that lists them, nor amid other work. */
function tellsOfWaiting(path: string): boolean {
  return path === '/console' || (path.startsWith('/console/admin') && path !== '/console/admin/people')
}

/** Who signs up elsewhere is told to no account of the administrator's. */
const toConfirmEveryMs = 15_000

function ToConfirm(): JSX.Element | null {
  const { operator } = useMe().person
  const installation = useOperation('installation.show')
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const enabled = operator && installation.data?.mail === false && tellsOfWaiting(path)
  const people = useOperation(
    'people.list',
    { state: 'to_confirm', limit: 10 },
    { enabled, everyMs: toConfirmEveryMs },
  )
  const [first, ...others] = people.data ?? []
  if (!enabled || first === undefined) return null
  return (
    <Banner
      title={others.length === 0 ? 'Somebody waits for you.' : 'People wait for you.'}
      action={
        <LinkButton
          to="/console/admin/$section"
          params={{ section: 'people' }}
          search={{ state: 'to_confirm' }}
          size="small"
        >
          Confirm people
        </LinkButton>
      }
    >
      <bdi>{first.name}</bdi> ({first.email})
      {others.length === 0 ? ' has' : ` and ${others.length} more have`} signed up and cannot spend before you
      confirm that you know them.
    </Banner>
  )
}

function AccountState(): JSX.Element | null {
  const { id, kind, suspended } = useAccount()
  const { waitsFor } = useMe()
  const billing = useOperation('billing.show', { account: id })
  const state = billing.data
  // A frozen account is suspended too; the reason says more.
  if (suspended && state?.frozen != null) {
    return (
      <Banner tone="bad" title="This account is frozen.">
        {state.frozen} Requests are refused until the dispute is won, or an administrator lifts it: ask them.
      </Banner>
    )
  }
  if (suspended && !billing.isPending) {
    return (
      <Banner tone="bad" title="This account is suspended.">
        Requests are refused; the balance stays. An administrator of this server can resume it.
      </Banner>
    )
  }
  if (state === undefined) return null
  if (waitsFor !== null && kind === 'personal') return null
  return isEmpty(state.posted) ? <NoCredit /> : <ShortOfCredit available={state.available} />
}

function isEmpty(posted: string): boolean {
  return posted.startsWith('-') || isZero(posted)
}

function NoCredit(): JSX.Element {
  const isPayer = useMay(...payers)
  return (
    <Banner tone="warn" title="The balance is empty." action={<AddCredit />}>
      Requests are refused until it is topped up.
      {isPayer ? null : ' Owners, admins and billing members of this organization do that.'}
    </Banner>
  )
}

/** More than any request needs: with it nothing is refused for lack of credit, and nobody has to ask. */
const ampleUsd = '10'

/** A balance is seldom spent to the last digit: what is left of it may be too little for the next request. */
function ShortOfCredit({ available }: { readonly available: string }): JSX.Element | null {
  const { id } = useAccount()
  const enabled = compareUsd(available, ampleUsd) < 0
  const refusals = useOperation('refusals.list', { account: id }, { enabled })
  const credits = useOperation('entries.list', { account: id, kind: 'credit', limit: 1 }, { enabled })
  const refused = refusals.data?.latest.find(({ code }) => code === 'insufficient_balance')
  if (!enabled || refused === undefined || credits.data === undefined) return null
  const credited = credits.data[0]
  if (credited !== undefined && credited.at > refused.at) return null
  return (
    <Banner tone="warn" title="Requests are refused for lack of credit." action={<AddCredit />}>
      The last one <When at={refused.at} />. <Money amount={available} /> are available.
    </Banner>
  )
}

const payers = ['owner', 'admin', 'billing'] as const

function AddCredit(): JSX.Element | null {
  const isPayer = useMay(...payers)
  if (!isPayer) return null
  return (
    <LinkButton to="/console/billing" size="small">
      Add credit
    </LinkButton>
  )
}
