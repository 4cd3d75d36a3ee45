/** A notice above a page: the problem and its solution. */

import type { JSX, ReactNode } from 'react'
import { CircleAlert, CircleCheck, Info, TriangleAlert } from '@/components/icons'
import { cn } from '@/lib/class-names'

export interface BannerProps {
  readonly tone?: 'info' | 'good' | 'warn' | 'bad'
  readonly title: ReactNode
  readonly children?: ReactNode
  readonly action?: ReactNode
  readonly className?: string
}

const looks = {
  info: ['border-note/30 bg-note-soft', 'text-note', Info],
  good: ['border-good/30 bg-good-soft', 'text-good', CircleCheck],
  warn: ['border-warn/30 bg-warn-soft', 'text-warn', CircleAlert],
  bad: ['border-bad/30 bg-bad-soft', 'text-bad', TriangleAlert],
} as const

export function Banner({ tone = 'info', title, children, action, className }: BannerProps): JSX.Element {
  const [box, color, Icon] = looks[tone]
  return (
    <div
      role="status"
      className={cn(
        'flex flex-wrap items-center gap-x-3 gap-y-2.5 rounded-lg border px-4 py-3',
        box,
        className,
      )}
    >
      <div className="flex min-w-0 flex-1 basis-64 gap-3">
        <Icon aria-hidden="true" className={cn('mt-0.75 size-4 shrink-0', color)} />
        <div className="min-w-0">
          <span className="font-medium">{title}</span>
          {children === undefined ? null : (
            <>
              {/* A space and not only a margin: copied text and screen readers have it too. */}{' '}
              <span className="text-ink-soft">{children}</span>
            </>
          )}
        </div>
      </div>
      {action === undefined ? null : <div className="flex items-center gap-2 max-sm:ml-7">{action}</div>}
    </div>
  )
}
