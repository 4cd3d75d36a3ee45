/** Overview. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function OverviewPage(): JSX.Element {
  return (
    <Page title="Overview">
      <Skeleton className="h-72" />
    </Page>
  )
}
