/** Billing. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function BillingPage(): JSX.Element {
  return (
    <Page title="Billing">
      <Skeleton className="h-72" />
    </Page>
  )
}
