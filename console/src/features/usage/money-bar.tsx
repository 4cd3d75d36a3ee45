/** How much of an amount is used, as a bar with text next to it. */
import type { JSX } from 'react'
import { cn } from '@/lib/class-names'
import { permilleOf } from './amount.ts'

export interface MoneyBarProps {
  readonly part: string
  readonly whole: string
  /** The accessible name: "Budget used". */
  readonly label: string
  /** A high share is not a problem: a reservation, for example. */
  readonly calm?: boolean
  readonly className?: string
}

export function MoneyBar({ part, whole, label, calm = false, className }: MoneyBarProps): JSX.Element {
  const permille = permilleOf(part, whole)
  const tone = calm || permille < 800 ? 'fill-accent' : permille < 1_000 ? 'fill-warn' : 'fill-bad'
  return (
    <svg
      role="img"
      aria-label={`${label}: ${Math.round(permille / 10)} %`}
      viewBox="0 0 1000 10"
      preserveAspectRatio="none"
      className={cn('block h-1.5 w-full overflow-hidden rounded-full bg-line', className)}
    >
      <rect width={permille} height="10" className={tone} />
    </svg>
  )
}
