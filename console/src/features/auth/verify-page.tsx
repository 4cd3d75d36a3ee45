/** Verify. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function VerifyPage(): JSX.Element {
  return (
    <Page title="Verify">
      <Skeleton className="h-72" />
    </Page>
  )
}
