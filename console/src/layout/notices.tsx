/** What the person must know on every page: what their account waits for, and why requests are refused. */
import type { JSX } from 'react'
import { Banner } from '@/components/banner'
import { Button, LinkButton } from '@/components/button'
import { Money } from '@/components/money'
import { toast } from '@/components/toaster'
import { When } from '@/components/when'
import { useAccount, useMay, useMe } from '@/lib/account'
import { resendVerification } from '@/lib/identity'
import { useOperation } from '@/lib/operations'
import { compareUsd, isZero } from '@/lib/usd'

export function Notices(): JSX.Element {
  return (
    <div className="mx-auto mb-6 flex w-full max-w-6xl flex-col gap-2 empty:hidden print:hidden">
      <Waiting />
      <AccountState />
    </div>
  )
}

function Waiting(): JSX.Element | null {
  const { waitsFor, person } = useMe()
  const installation = useOperation('installation.show')
  const credit = installation.data?.signupCredit
  const gift = credit === undefined || isZero(credit) ? '' : ` Your starting credit follows then.`
  if (waitsFor === 'confirmation') {
    return (
      <Banner title="An administrator has to confirm you.">
        This server sends no mail, so the administrator does it by hand.{gift}
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

function AccountState(): JSX.Element | null {
  const { id, suspended } = useAccount()
  const { waitsFor } = useMe()
  const billing = useOperation('billing.show', { account: id })
  if (suspended) {
    return (
      <Banner tone="bad" title="This account is suspended.">
        Requests are refused; the balance stays. Whoever runs this server can resume it.
      </Banner>
    )
  }
  const state = billing.data
  if (state === undefined) return null
  if (state.frozen !== null) {
    return (
      <Banner tone="bad" title="This account is frozen.">
        {state.frozen}
      </Banner>
    )
  }
  if (waitsFor !== null) return null
  return isEmpty(state.posted) ? <NoCredit /> : <ShortOfCredit available={state.available} />
}

function isEmpty(posted: string): boolean {
  return posted.startsWith('-') || isZero(posted)
}

function NoCredit(): JSX.Element {
  return (
    <Banner tone="warn" title="The balance is empty." action={<AddCredit />}>
      Requests are refused until it is topped up.
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

function AddCredit(): JSX.Element | null {
  const isPayer = useMay('owner', 'admin', 'billing')
  if (!isPayer) return null
  return (
    <LinkButton to="/console/billing" size="small">
      Add credit
    </LinkButton>
  )
}
