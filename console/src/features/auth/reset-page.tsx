/** Reset. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function ResetPage(): JSX.Element {
  return (
    <Page title="Reset">
      <Skeleton className="h-72" />
    </Page>
  )
}
