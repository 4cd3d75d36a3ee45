/** A short status label. Color is never the only signal: the text says it too. */
import { cva, type VariantProps } from 'class-variance-authority'
import type { JSX, ReactNode } from 'react'
import { cn } from '@/lib/class-names'

const look = cva(
  'inline-flex items-center gap-1 rounded-full border px-2 py-px text-xs leading-5 font-medium whitespace-nowrap [&_svg]:size-3',
  {
    variants: {
      tone: {
        neutral: 'border-line bg-sunken text-ink-soft',
        good: 'border-good/25 bg-good-soft text-good',
        warn: 'border-warn/25 bg-warn-soft text-warn',
        bad: 'border-bad/25 bg-bad-soft text-bad',
        info: 'border-note/25 bg-note-soft text-note',
      },
    },
    defaultVariants: { tone: 'neutral' },
  },
)

export type Tone = NonNullable<VariantProps<typeof look>['tone']>

export interface BadgeProps {
  readonly tone?: Tone
  readonly title?: string | undefined
  readonly className?: string
  readonly children: ReactNode
}

export function Badge({ tone = 'neutral', title, className, children }: BadgeProps): JSX.Element {
  return (
    <span title={title} className={cn(look({ tone }), className)}>
      {children}
    </span>
  )
}
