/** Connect. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function ConnectPage(): JSX.Element {
  return (
    <Page title="Connect">
      <Skeleton className="h-72" />
    </Page>
  )
}
