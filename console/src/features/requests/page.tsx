/** Requests. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function RequestsPage(): JSX.Element {
  return (
    <Page title="Requests">
      <Skeleton className="h-72" />
    </Page>
  )
}
