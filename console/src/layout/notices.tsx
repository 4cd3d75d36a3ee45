/** What the person must know on every page: what their account waits for, and why requests are refused. */
import type { JSX } from 'react'
import { Banner } from '@/components/banner'
import { Button, LinkButton } from '@/components/button'
import { toast } from '@/components/toaster'
import { useAccount, useMay, useMe } from '@/lib/account'
import { resendVerification } from '@/lib/identity'
import { useOperation } from '@/lib/operations'
import { isZero } from '@/lib/usd'

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
  const isPayer = useMay('owner', 'admin', 'billing')
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
  if (!isEmpty(state.posted) || waitsFor !== null) return null
  return (
    <Banner
      tone="warn"
      title="The balance is empty."
      action={
        isPayer ? (
          <LinkButton to="/console/billing" size="small">
            Add credit
          </LinkButton>
        ) : undefined
      }
    >
      Requests are refused until it is topped up.
    </Banner>
  )
}

function isEmpty(posted: string): boolean {
  return posted.startsWith('-') || isZero(posted)
}
