/** A placeholder for loading content; give it the size of that content. */
import type { JSX } from 'react'
import { cn } from '@/lib/class-names'

export function Skeleton({ className }: { readonly className?: string }): JSX.Element {
  return <span aria-hidden="true" className={cn('block animate-pulse rounded-md bg-sunken', className)} />
}
