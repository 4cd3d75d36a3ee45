/** Invoice. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function InvoicePage(): JSX.Element {
  return (
    <Page title="Invoice">
      <Skeleton className="h-72" />
    </Page>
  )
}
