/** A labeled number. */
import type { JSX, ReactNode } from 'react'
import { cn } from '@/lib/class-names'

export interface StatProps {
  readonly label: ReactNode
  readonly value: ReactNode
  readonly hint?: ReactNode
  readonly className?: string
}

export function Stat({ label, value, hint, className }: StatProps): JSX.Element {
  return (
    <div
      className={cn(
        'min-w-0 rounded-xl border border-line bg-surface px-5 py-4 max-sm:px-4 max-sm:py-3',
        className,
      )}
    >
      <p className="truncate text-sm font-medium text-ink-soft">{label}</p>
      <p className="tabular mt-1 truncate text-2xl leading-8 font-semibold tracking-tight max-sm:text-xl">
        {value}
      </p>
      <p className="mt-0.5 min-h-5 text-sm text-ink-soft">{hint}</p>
    </div>
  )
}
