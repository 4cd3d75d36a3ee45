/** An empty state: what will be here, and the next step. */
import type { JSX, ReactNode } from 'react'
import { cn } from '@/lib/class-names'

export interface EmptyProps {
  readonly icon?: ReactNode
  readonly title: ReactNode
  readonly text?: ReactNode
  readonly action?: ReactNode
  readonly className?: string
}

export function Empty({ icon, title, text, action, className }: EmptyProps): JSX.Element {
  return (
    <div className={cn('flex flex-col items-center px-6 py-12 text-center', className)}>
      {icon === undefined ? null : (
        <span
          aria-hidden="true"
          className="mb-3 flex size-10 items-center justify-center rounded-full border border-line bg-sunken text-ink-soft [&_svg]:size-5"
        >
          {icon}
        </span>
      )}
      <p className="text-[0.9375rem] font-semibold">{title}</p>
      {text === undefined ? null : <p className="mt-1 max-w-prose text-balance text-ink-soft">{text}</p>}
      {action === undefined ? null : <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}
