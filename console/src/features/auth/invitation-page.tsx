/** Invitation. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function InvitationPage(): JSX.Element {
  return (
    <Page title="Invitation">
      <Skeleton className="h-72" />
    </Page>
  )
}
