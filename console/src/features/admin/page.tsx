/** Admin. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function AdminPage(): JSX.Element {
  return (
    <Page title="Admin">
      <Skeleton className="h-72" />
    </Page>
  )
}
