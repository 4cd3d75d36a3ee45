/** A section of a form that few need: closed until it is opened. */
import type { JSX, ReactNode } from 'react'
import { ChevronRight } from '@/components/icons'

export interface DisclosureProps {
  readonly title: string
  readonly open: boolean
  readonly children: ReactNode
}

export function Disclosure({ title, open, children }: DisclosureProps): JSX.Element {
  return (
    <details open={open} className="group rounded-lg border border-line">
      <summary className="flex min-h-11 items-center gap-2 px-3 font-medium">
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-ink-soft transition-transform group-open:rotate-90"
        />
        {title}
      </summary>
      <div className="flex flex-col gap-5 border-t border-line px-4 py-4">{children}</div>
    </details>
  )
}
