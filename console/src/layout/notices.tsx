/**
 * Notices on every page: why the account waits or requests are rejected; for administrators, who
 * waits for approval.
 */
import { useRouterState } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Banner } from '@/components/banner'
import { Button, LinkButton } from '@/components/button'
import { Money } from '@/components/money'
import { SetupLinkPlace } from '@/components/setup-link-place'
import { toast } from '@/components/toaster'
import { When } from '@/components/when'
import { useAccount, useMay, useMe } from '@/lib/account'
import { resendVerification } from '@/lib/identity'
import { useOperation } from '@/lib/operations'
import { useSearch } from '@/lib/search'
import { compareUsd, isZero, usd } from '@/lib/usd'

/** Whether the notices above a page are known, so that they don't push the page down later. A failed query counts. */
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

/**
 * A link to someone else's account, or to an organization that was left: the page shows another account than the URL
 * names.
 */
function Elsewhere(): JSX.Element | null {
  const { account: wanted } = useSearch()
  const { id } = useAccount()
  if (wanted === undefined || wanted === id) return null
  return (
    <Banner
      tone="warn"
      title="You don't have access to the account in this link."
      action={
        <LinkButton to="/console" search={{ account: id }} size="small">
          Go to your account
        </LinkButton>
      }
    >
      It belongs to someone else, or to an organization you are not a member of. This is your personal
      account.
    </Banner>
  )
}

/** About the person, so it is not shown for accounts of organizations. */
function Waiting(): JSX.Element | null {
  const { waitsFor, person } = useMe()
  const { kind } = useAccount()
  const installation = useOperation('installation.show')
  const credit = installation.data?.signupCredit
  const gift =
    credit === undefined || isZero(credit) ? '' : ` Your starting credit of ${usd(credit)} is added then.`
  if (kind !== 'personal') return null
  if (waitsFor === 'confirmation')
    return <Unconfirmed gift={gift} hasNobody={installation.data?.needsSetup === true} />
  if (waitsFor === 'tomorrow') {
    return (
      <Banner title="Your starting credit arrives tomorrow (UTC).">
        This server's starting credit for today is used up. Yours is added when you come back.
      </Banner>
    )
  }
  if (waitsFor !== 'verification') return null
  const resend = async (): Promise<void> => {
    const outcome = await resendVerification(person.email)
    if (outcome.kind === 'rejected') toast.problem(outcome.problem.message)
    else toast.good(`We sent a new link to ${person.email}.`)
  }
  return (
    <Banner
      title="Verify your email."
      action={
        <Button size="small" onClick={() => void resend()}>
          Resend link
        </Button>
      }
    >
      We sent a link to {person.email}.{gift}
    </Banner>
  )
}

interface UnconfirmedProps {
  readonly gift: string
  /** There is no administrator: the setup link was not used yet. */
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
      <Banner tone="warn" title="An administrator needs to approve you, and there is none yet.">
        If you started this server, open <SetupLinkPlace />. To create a new one, run{' '}
        <code className="font-mono text-[0.8125rem]">node bin/tollgate.js setup-link</code>.
      </Banner>
    )
  }
  return (
    <Banner title="Waiting for approval.">
      This server can't send email, so an administrator approves new accounts. Let them know that{' '}
      {person.email} is waiting.{gift} This page updates automatically
      {isPoor ? '; until then requests are rejected.' : '.'}{' '}
      {contact === null ? null : (
        <span className="block whitespace-pre-line">
          Contact: <bdi>{contact}</bdi>
        </span>
      )}
    </Banner>
  )
}

/** For administrators, on the pages they start from; not on the page that lists the same people. */
function tellsOfWaiting(path: string): boolean {
  return path === '/console' || (path.startsWith('/console/admin') && path !== '/console/admin/people')
}

/** Sign-ups publish no event to the administrator's accounts. */
const toConfirmEveryMs = 15_000
const waitingListMax = 10

function ToConfirm(): JSX.Element | null {
  const { operator } = useMe().person
  const installation = useOperation('installation.show')
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const enabled = operator && installation.data?.mail === false && tellsOfWaiting(path)
  const people = useOperation(
    'people.list',
    { state: 'to_confirm', limit: waitingListMax },
    { enabled, everyMs: toConfirmEveryMs },
  )
  const [first, ...others] = people.data ?? []
  if (!enabled || first === undefined) return null
  return (
    <Banner
      title={waitingTitle(1 + others.length)}
      action={
        <LinkButton
          to="/console/admin/$section"
          params={{ section: 'people' }}
          search={{ state: 'to_confirm' }}
          size="small"
        >
          Review
        </LinkButton>
      }
    >
      <bdi>{first.name}</bdi> ({first.email}){' '}
      {others.length === 0 ? ' has' : ` and ${others.length} more have`} signed up and can't spend until you
      approve them.
    </Banner>
  )
}

function AccountState(): JSX.Element | null {
  const { id, kind, suspended } = useAccount()
  const { waitsFor } = useMe()
  const billing = useOperation('billing.show', { account: id })
  const state = billing.data
  // A frozen account is suspended too; the reason for freezing is more specific.
  if (suspended && state?.frozen != null) {
    return (
      <Banner tone="bad" title="This account is frozen.">
        {state.frozen} Requests are rejected until the dispute is won or an administrator lifts the freeze.
      </Banner>
    )
  }
  if (suspended && !billing.isPending) {
    return (
      <Banner tone="bad" title="This account is suspended.">
        Requests are rejected; the balance is retained. An administrator of this server can resume it.
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
    <Banner tone="warn" title="Your balance is empty." action={<AddCredit />}>
      Requests are rejected until it is topped up.{' '}
      {isPayer ? null : ' Owners, admins and billing members of this organization can do that.'}
    </Banner>
  )
}

/** More than any request needs: above it nothing is rejected for lack of credit, and no query is needed. */
const ampleUsd = '10'

/** A balance is seldom spent to the last digit: the rest may be too little for the next request. */
function ShortOfCredit({ available }: { readonly available: string }): JSX.Element | null {
  const { id } = useAccount()
  const enabled = compareUsd(available, ampleUsd) < 0
  const rejections = useOperation('rejections.list', { account: id }, { enabled })
  const credits = useOperation('entries.list', { account: id, kind: 'credit', limit: 1 }, { enabled })
  const rejected = rejections.data?.latest.find(({ code }) => code === 'insufficient_balance')
  if (!enabled || rejected === undefined || credits.data === undefined) return null
  const credited = credits.data[0]
  if (credited !== undefined && credited.at > rejected.at) return null
  return (
    <Banner tone="warn" title="Requests are being rejected: not enough credit." action={<AddCredit />}>
      The last one was rejected <When at={rejected.at} />. <Money amount={available} /> is available.
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

/** The list ends at `waitingListMax`, so that many may be more. */
function waitingTitle(people: number): string {
  if (people === 1) return '1 person is waiting for approval.'
  return `${people}${people === waitingListMax ? ' or more' : ''} people are waiting for approval.`
}
