/** A console page: heading, actions and content. */
import { type JSX, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { cn } from '@/lib/class-names'
import { takesFirstPlace } from '@/lib/first-page'

export interface PageProps {
  /** Also the title of the browser tab. */
  readonly title: string
  /** Replaces the title in the heading, where the heading is more than text. */
  readonly heading?: ReactNode
  readonly description?: ReactNode
  readonly actions?: ReactNode
  /** A link back, above the heading. */
  readonly back?: ReactNode
  readonly className?: string
  readonly children: ReactNode
}

export function Page(props: PageProps): JSX.Element {
  const { title, heading, description, actions, back, className, children } = props
  const headingElement = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Tollgate`
  }, [title])
  // Before the first paint, so that the focus is never lost in between.
  useLayoutEffect(() => {
    if (!takesFirstPlace()) headingElement.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div className={cn('mx-auto flex w-full max-w-6xl flex-col gap-6', className)}>
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 md:flex-nowrap">
        <div className="min-w-0">
          {back === undefined ? null : <div className="mb-2 text-sm">{back}</div>}
          <h1
            ref={headingElement}
            tabIndex={-1}
            className="text-2xl leading-8 font-semibold tracking-tight break-words"
          >
            {heading ?? title}
          </h1>
          {description === undefined ? null : (
            <p className="mt-1 max-w-[46rem] text-pretty text-ink-soft">{description}</p>
          )}
        </div>
        {actions === undefined ? null : (
          <div className="flex flex-wrap gap-2 md:shrink-0 print:hidden">{actions}</div>
        )}
      </header>
      {children}
    </div>
  )
}
