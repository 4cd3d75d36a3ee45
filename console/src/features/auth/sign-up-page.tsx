/** SignUp. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function SignUpPage(): JSX.Element {
  return (
    <Page title="SignUp">
      <Skeleton className="h-72" />
    </Page>
  )
}
