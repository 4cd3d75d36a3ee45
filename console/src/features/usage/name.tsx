/** A user-chosen name of any length and direction, on one line, whole in its title. */
import type { JSX } from 'react'
import { cn } from '@/lib/class-names'

export interface NameProps {
  readonly children: string
  readonly className?: string
}

export function Name({ children, className }: NameProps): JSX.Element {
  return (
    <bdi title={children} className={cn('inline-block max-w-64 truncate align-bottom', className)}>
      {children}
    </bdi>
  )
}
