/** How an account without credit gets some, by what this server offers and what the person may do. */
import type { JSX } from 'react'
import { LinkButton } from '@/components/button'
import { Wallet } from '@/components/icons'
import { Skeleton } from '@/components/skeleton'
import { useAccount, useMe } from '@/lib/account'
import { GiveCredit } from '../admin/give-credit.tsx'
import type { Billing } from '../billing/billing-words.ts'
import { WhomToAsk } from '../billing/top-up.tsx'
import { payersOnly, useMayPay } from '../billing/use-may-pay.ts'

export interface FirstCreditProps {
  /** undefined: not known yet. */
  readonly billing: Billing | undefined
  readonly isDone: boolean
  /** Whether this is the first step that is not done: one primary button at a time. */
  readonly isNext: boolean
}

export function FirstCredit({ billing, isDone, isNext }: FirstCreditProps): JSX.Element {
  const account = useAccount()
  const { operator } = useMe().person
  const mayPay = useMayPay()
  if (billing === undefined) return <Skeleton className="h-9 w-36" />
  if (isDone) return <p className="text-ink-soft">Requests are paid from this balance.</p>
  const { payments } = billing
  if (payments.kind === 'operator' && operator) {
    return (
      <>
        <p className="text-ink-soft">
          Requests are paid from a prepaid balance. As an administrator of this server you can add credit
          yourself.
        </p>
        <div>
          <GiveCredit account={account.id} name={account.name} variant={isNext ? 'primary' : 'secondary'} />
        </div>
      </>
    )
  }
  if (!mayPay) return <p className="text-ink-soft">Requests are paid from a prepaid balance. {payersOnly}</p>
  const button = (label: string) => (
    <LinkButton to="/console/billing" variant={isNext ? 'primary' : 'secondary'} className="self-start">
      <Wallet aria-hidden="true" />
      {label}
    </LinkButton>
  )
  if (payments.kind === 'stripe') {
    return (
      <>
        <p className="text-ink-soft">
          Requests are paid from a prepaid balance. Pay by card, or redeem a code.
        </p>
        {button('Add credit')}
      </>
    )
  }
  return (
    <>
      <p className="text-ink-soft">
        Requests are paid from a prepaid balance. Ask an administrator of this server to add credit, or to
        give you a code.
      </p>
      <WhomToAsk contact={payments.contact} />
      {button('Redeem a code')}
    </>
  )
}
