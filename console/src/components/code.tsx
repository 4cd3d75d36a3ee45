/** A code block with a copy button. */
import type { JSX } from 'react'
import { cn } from '@/lib/class-names'
import { CopyButton } from './copy-button.tsx'

export interface CodeProps {
  readonly code: string
  /** The label above the code, such as "Shell". */
  readonly language?: string
  /** What is copied, for the button's accessible name. */
  readonly what?: string
  /** Wraps long lines instead of scrolling. */
  readonly wrap?: boolean
  readonly className?: string
}

export function Code({ code, language, what = 'the code', wrap = false, className }: CodeProps): JSX.Element {
  return (
    <figure className={cn('min-w-0 overflow-hidden rounded-lg border border-line bg-sunken', className)}>
      <figcaption className="flex h-10 items-center justify-between border-b border-line pr-1 pl-4 text-sm text-ink-soft">
        <span>{language ?? 'Code'}</span>
        <CopyButton text={code} what={what} label="Copy" variant="ghost" />
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
        tabIndex={0}
        className={cn(
          'overflow-x-auto p-4 font-mono text-[0.8125rem] leading-5 -outline-offset-2',
          wrap && 'break-all whitespace-pre-wrap',
        )}
      >
        <code>{code}</code>
      </pre>
    </figure>
  )
}
