/** The frame of the sign-in pages: one column, one task. */
import { type JSX, type ReactNode, useEffect, useRef } from 'react'
import { PublicHeader } from '@/layout/public-header'
import { takesFirstPlace } from '@/lib/first-page'

export interface AuthFrameProps {
  readonly title: string
  readonly description?: ReactNode
  readonly children: ReactNode
  /** The alternative, below the form. */
  readonly footer?: ReactNode
}

export function AuthFrame({ title, description, children, footer }: AuthFrameProps): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Tollgate`
    takesFirstPlace()
    // A form with a first field keeps the focus there.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <div className="flex min-h-dvh flex-col">
      <PublicHeader />
      <main className="mx-auto flex w-full max-w-[26rem] flex-1 flex-col px-4 pt-[8vh] pb-12">
        <h1
          ref={heading}
          tabIndex={-1}
          className="text-2xl leading-8 font-semibold tracking-tight outline-none"
        >
          {title}
        </h1>
        {description === undefined ? null : <div className="mt-1.5 text-ink-soft">{description}</div>}
        <div className="mt-6 flex flex-col gap-5">{children}</div>
        {footer === undefined ? null : (
          <div className="mt-8 border-t border-line pt-5 text-ink-soft">{footer}</div>
        )}
      </main>
    </div>
  )
}

export interface MessageProps {
  readonly title: string
  readonly text: ReactNode
  readonly action?: ReactNode
}

/** An outcome in place of a form, aligned with the heading. */
export function Message({ title, text, action }: MessageProps): JSX.Element {
  return (
    <div>
      <p className="text-[0.9375rem] font-semibold">{title}</p>
      <p className="mt-1 text-pretty text-ink-soft">{text}</p>
      {action === undefined ? null : <div className="mt-5 flex flex-wrap gap-2">{action}</div>}
    </div>
  )
}

/** A text link on these pages. */
export const textLink = 'font-medium text-accent underline underline-offset-2 hover:text-accent-strong'
