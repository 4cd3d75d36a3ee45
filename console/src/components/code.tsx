/** A code block with a copy button, highlighted where its language is known. */
import { type JSX, lazy, Suspense } from 'react'
import { cn } from '@/lib/class-names'
import { patiently } from '@/lib/connection'
import { CopyButton } from './copy-button.tsx'

const Highlighted = lazy(
  patiently(async () => ({ default: (await import('./highlighted.tsx')).Highlighted })),
)

export interface CodeProps {
  readonly code: string
  /** The label above the code, such as "Shell". */
  readonly language?: string
  /** The language that it is highlighted as, such as `python`; left out: plain. */
  readonly grammar?: string | undefined
  /** Name of the copied text, for the button's accessible name. */
  readonly what?: string
  /** Wraps long lines instead of scrolling. */
  readonly wrap?: boolean
  readonly className?: string
}

export function Code({
  code,
  language,
  grammar,
  what = 'the code',
  wrap = false,
  className,
}: CodeProps): JSX.Element {
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
        <code>
          {grammar === undefined ? (
            code
          ) : (
            <Suspense fallback={<span aria-busy="true">{code}</span>}>
              <Highlighted code={code} language={grammar} />
            </Suspense>
          )}
        </code>
      </pre>
    </figure>
  )
}
