/** Settings. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function SettingsPage(): JSX.Element {
  return (
    <Page title="Settings">
      <Skeleton className="h-72" />
    </Page>
  )
}
