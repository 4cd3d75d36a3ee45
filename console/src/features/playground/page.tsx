/** Playground. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'

export function PlaygroundPage(): JSX.Element {
  return (
    <Page title="Playground">
      <Skeleton className="h-72" />
    </Page>
  )
}
