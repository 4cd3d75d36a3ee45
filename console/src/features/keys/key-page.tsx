/** API Key. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function KeyPage(): JSX.Element {
  return (
    <Page title="API Key">
      <Skeleton className="h-72" />
    </Page>
  )
}
