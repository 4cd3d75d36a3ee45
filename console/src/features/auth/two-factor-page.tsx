/** TwoFactor. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function TwoFactorPage(): JSX.Element {
  return (
    <Page title="TwoFactor">
      <Skeleton className="h-72" />
    </Page>
  )
}
