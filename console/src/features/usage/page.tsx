/** Usage. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function UsagePage(): JSX.Element {
  return (
    <Page title="Usage">
      <Skeleton className="h-72" />
    </Page>
  )
}
