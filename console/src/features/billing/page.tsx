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
          <div className="grid items-start gap-6 lg:grid-cols-2">
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
              <>
                <div className="flex min-w-0 flex-col gap-6">
                  <TopUp payments={billing.data.payments} />
                  <Redeem />
                </div>
                <div className="flex min-w-0 flex-col gap-6">
                  <AutoTopUp billing={billing.data} />
                  <LowBalance alertDays={billing.data.alertDays} />
                </div>
              </>
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
            label: 'Invoices',
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

function Balance({ billing }: { readonly billing: Billing | undefined }): JSX.Element {
  const bone = <Skeleton className="my-1 h-6 w-24" />
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4" aria-live="polite">
      <Stat
        label="Balance"
        value={billing === undefined ? bone : <Money amount={billing.posted} />}
        hint="including reserved"
      />
      <Stat
        label="Reserved"
        value={billing === undefined ? bone : <Money amount={billing.held} />}
        hint="by running requests"
      />
      <Stat
        label="Available"
        value={billing === undefined ? bone : <Money amount={billing.available} />}
        hint="what the next request can use"
      />
      <Stat
        label="Runway (estimated)"
        value={billing === undefined ? bone : daysLeftShort(billing.daysLeft)}
        hint={billing === undefined ? '' : runwayHint(billing.daysLeft)}
      />
    </div>
  )
}
