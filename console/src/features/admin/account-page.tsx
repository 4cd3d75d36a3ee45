/** Account. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function AdminAccountPage(): JSX.Element {
  return (
    <Page title="Account">
      <Skeleton className="h-72" />
    </Page>
  )
}
