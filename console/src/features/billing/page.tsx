/** Billing: balance, top-ups, automatic top-ups and the warning, ledger, invoices. */
import type { JSX } from 'react'
import { Money } from '@/components/money'
import { Page } from '@/components/page'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { Stat } from '@/components/stat'
import { Tabs } from '@/components/tabs'
import { useAccount } from '@/lib/account'
import { useOperation } from '@/lib/operations'
import { isZero } from '@/lib/usd'
import { AutoTopUp } from './auto-top-up.tsx'
import { BillingDetails } from './billing-details.tsx'
import { type Billing, daysLeftShort, runwayHint } from './billing-words.ts'
import { Entries } from './entries.tsx'
import { Invoices } from './invoices.tsx'
import { LowBalance } from './low-balance.tsx'
import { PaymentResult } from './payment-result.tsx'
import { Redeem } from './redeem.tsx'
import { TopUp } from './top-up.tsx'
import { TopUps } from './top-ups.tsx'

/** Two columns end at one height: the last card of each fills it. */
const stack = 'flex min-w-0 flex-col gap-6 [&>:last-child]:flex-1'

export function BillingPage(): JSX.Element {
  const account = useAccount()
  const billing = useOperation('billing.show', { account: account.id })
  return (
    <Page
      title="Billing"
      description="Requests are paid from a prepaid balance. Usage can never take it below zero."
    >
      <PaymentResult />
      {billing.error !== null && billing.data === undefined ? (
        <Problem problem={billing.error} onRetry={() => void billing.refetch()} />
      ) : (
        <>
          <Balance billing={billing.data} />
          <div className="grid gap-6 lg:grid-cols-2">
            {billing.data === undefined ? (
              <>
                <div className="flex min-w-0 flex-col gap-6">
                  <Skeleton className="h-96 rounded-xl" />
                  <Skeleton className="h-27 rounded-xl" />
                </div>
                <div className="flex min-w-0 flex-col gap-6">
                  <Skeleton className="h-41 rounded-xl" />
                  <Skeleton className="h-46 rounded-xl" />
                </div>
              </>
            ) : (
              <Settings billing={billing.data} />
            )}
          </div>
        </>
      )}
      <Tabs
        label="Records"
        tabs={[
          { id: 'ledger', label: 'Ledger', content: <Entries /> },
          { id: 'top-ups', label: 'Top-ups', content: <TopUps /> },
          {
            id: 'invoices',
            label: 'Receipts',
            content: (
              <div className="flex flex-col gap-6">
                <Invoices />
                {billing.data === undefined ? null : <BillingDetails invoiceTo={billing.data.invoiceTo} />}
              </div>
            ),
          },
        ]}
      />
    </Page>
  )
}

/** Without payments there is less to set: each card has its own row or half of one. */
function Settings({ billing }: { readonly billing: Billing }): JSX.Element {
  const low = <LowBalance alertDays={billing.alertDays} />
  if (billing.payments.kind === 'operator') {
    return (
      <>
        <TopUp payments={billing.payments} />
        {low}
        <div className="lg:col-span-2">
          <Redeem />
        </div>
      </>
    )
  }
  return (
    <>
      <div className={stack}>
        <TopUp payments={billing.payments} />
        <Redeem />
      </div>
      <div className={stack}>
        <AutoTopUp billing={billing} />
        {low}
      </div>
    </>
  )
}

function Balance({ billing }: { readonly billing: Billing | undefined }): JSX.Element {
  const skeleton = <Skeleton className="my-1 h-6 w-24" />
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 sm:gap-4" aria-live="polite">
      <Stat
        label="Available"
        value={billing === undefined ? skeleton : <Money amount={billing.available} />}
        hint="what the next request can use"
      />
      <Stat
        label="Reserved"
        value={billing === undefined ? skeleton : <Money amount={billing.held} />}
        hint={
          billing === undefined || isZero(billing.held) ? (
            'nothing is running'
          ) : (
            <>
              of a balance of <Money amount={billing.posted} />
            </>
          )
        }
      />
      <Stat
        label="Runway (estimated)"
        value={billing === undefined ? skeleton : daysLeftShort(billing.daysLeft)}
        hint={billing === undefined ? '' : runwayHint(billing.daysLeft)}
      />
    </div>
  )
}
