/** The warning that the balance runs out sooner than the account's threshold, or that automatic top-ups are paused. */
import type { JSX } from 'react'
import { Banner } from '@/components/banner'
import { LinkButton } from '@/components/button'
import { Money } from '@/components/money'
import { useAccount } from '@/lib/account'
import { useOperation } from '@/lib/operations'
import { isZero } from '@/lib/usd'
import { lowBalanceDays } from '../../../../contract/low-balance.ts'
import { TopUpsWait } from './auto-top-up.tsx'
import { daysLeftWords, daysWords } from './billing-words.ts'
import { useMayPay } from './use-may-pay.ts'

/** Nothing for an empty balance: every page says that already. */
export function RunningLow(): JSX.Element | null {
  const account = useAccount()
  const mayPay = useMayPay()
  const billing = useOperation('billing.show', { account: account.id }).data
  const addCredit = mayPay ? (
    <LinkButton size="small" to="/console/billing">
      Add credit
    </LinkButton>
  ) : undefined
  if (billing !== undefined && billing.autoTopUpWaits !== null) {
    return <TopUpsWait until={billing.autoTopUpWaits} action={addCredit} />
  }
  if (billing === undefined || !billing.runsLow || isZero(billing.posted)) return null
  const { daysLeft, available, alertDays } = billing
  return (
    <Banner
      tone="warn"
      title={daysLeft === null ? 'Your balance is low.' : `Your balance will last ${daysLeftWords(daysLeft)}`}
      action={addCredit}
    >
      {daysLeft === null ? (
        <>
          At your recent rate, <Money amount={available} /> lasts less than{' '}
          {daysWords(alertDays ?? lowBalanceDays)}. The runway is estimated once there is more history.
        </>
      ) : (
        'at your 7-day average.'
      )}
    </Banner>
  )
}
