/** The warning that the balance will not last as long as the account wants to be warned before, or is not filled now. */
import type { JSX } from 'react'
import { Banner } from '@/components/banner'
import { LinkButton } from '@/components/button'
import { useAccount } from '@/lib/account'
import { useOperation } from '@/lib/operations'
import { isZero } from '@/lib/usd'
import { TopUpsWait } from './auto-top-up.tsx'
import { daysLeftWords } from './billing-words.ts'
import { useMayPay } from './use-may-pay.ts'

/** Nothing where the balance is empty: that is told on every page. */
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
  if (billing === undefined || billing.alertDays === null || billing.daysLeft === null) return null
  if (billing.daysLeft >= billing.alertDays || isZero(billing.posted)) return null
  return (
    <Banner tone="warn" title={`The balance lasts ${daysLeftWords(billing.daysLeft)}`} action={addCredit}>
      at the rate of the last seven days.
    </Banner>
  )
}
