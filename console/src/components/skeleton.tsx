/** The place of something that is on its way; give it the size of what comes. */
import type { JSX } from 'react'
import { cn } from '@/lib/class-names'

export function Skeleton({ className }: { readonly className?: string }): JSX.Element {
  return <span aria-hidden="true" className={cn('block animate-pulse rounded-md bg-sunken', className)} />
}
