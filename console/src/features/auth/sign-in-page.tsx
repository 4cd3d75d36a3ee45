/** SignIn. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function SignInPage(): JSX.Element {
  return (
    <Page title="SignIn">
      <Skeleton className="h-72" />
    </Page>
  )
}
