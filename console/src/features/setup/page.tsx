/** Setup. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function SetupPage(): JSX.Element {
  return (
    <Page title="Setup">
      <Skeleton className="h-72" />
    </Page>
  )
}
