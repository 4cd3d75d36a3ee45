/** Forgot. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function ForgotPage(): JSX.Element {
  return (
    <Page title="Forgot">
      <Skeleton className="h-72" />
    </Page>
  )
}
