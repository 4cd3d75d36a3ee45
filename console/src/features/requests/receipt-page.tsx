/** Receipt. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function ReceiptPage(): JSX.Element {
  return (
    <Page title="Receipt">
      <Skeleton className="h-72" />
    </Page>
  )
}
