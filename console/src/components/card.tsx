/** A section of a page with its own heading. */
import type { JSX, ReactNode } from 'react'
import { cn } from '@/lib/class-names'

export interface CardProps {
  readonly title?: ReactNode
  readonly description?: ReactNode
  /** Buttons next to the title. */
  readonly actions?: ReactNode
  /** No inner padding, for tables that reach the edges. */
  readonly flush?: boolean
  readonly className?: string
  readonly children?: ReactNode
}

export function Card({ title, description, actions, flush, className, children }: CardProps): JSX.Element {
  const hasHead = title !== undefined || actions !== undefined
  return (
    <section className={cn('min-w-0 rounded-xl border border-line bg-surface', className)}>
      {hasHead ? (
        <div
          className={cn(
            'flex justify-between gap-x-4 gap-y-2.5 px-5 pt-4 pb-3 max-sm:flex-wrap',
            // A title without a description shares one line with its buttons.
            description === undefined ? 'items-center' : 'items-start',
          )}
        >
          <div className="min-w-0">
            {title === undefined ? null : (
              <h2 className="text-[0.9375rem] font-semibold tracking-tight">{title}</h2>
            )}
            {description === undefined ? null : <p className="mt-0.5 text-ink-soft">{description}</p>}
          </div>
          {actions === undefined ? null : (
            <div className="flex shrink-0 flex-wrap gap-2 max-sm:shrink">{actions}</div>
          )}
        </div>
      ) : null}
      {children === undefined ? null : (
        <div className={cn(flush === true ? '' : 'px-5 pb-5', !hasHead && flush !== true && 'pt-5')}>
          {children}
        </div>
      )}
    </section>
  )
}
