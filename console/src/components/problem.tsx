/** An error: what happened, what to do, and a retry button. */

import type { JSX } from 'react'
import { TriangleAlert } from '@/components/icons'
import { ApiError } from '@/lib/api'
import { cn } from '@/lib/class-names'
import { Button } from './button.tsx'

export interface ProblemProps {
  readonly problem: Error
  readonly onRetry?: () => void
  readonly className?: string
}

export function Problem({ problem, onRetry, className }: ProblemProps): JSX.Element {
  const known = problem instanceof ApiError ? problem : undefined
  return (
    <div
      role="alert"
      className={cn(
        'flex flex-wrap items-start gap-x-3 gap-y-2 rounded-lg border border-bad/30 bg-bad-soft px-4 py-3',
        className,
      )}
    >
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{known?.message ?? 'Something went wrong.'}</p>
        {known?.requestId === undefined ? null : (
          <p className="mt-0.5 text-sm text-ink-soft">
            Error <code>{known.code}</code>, request <code>{known.requestId}</code>
          </p>
        )}
      </div>
      {onRetry === undefined ? null : (
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}
