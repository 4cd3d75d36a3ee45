/** API Keys. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function KeysPage(): JSX.Element {
  return (
    <Page title="API Keys">
      <Skeleton className="h-72" />
    </Page>
  )
}
