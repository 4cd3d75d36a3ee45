/** An ID with a button that copies it. */
import type { JSX } from 'react'
import { CopyButton } from './copy-button.tsx'

export interface CopyIdProps {
  readonly text: string
  /** Name of the copied text: "request ID". */
  readonly what: string
}

export function CopyId({ text, what }: CopyIdProps): JSX.Element {
  return (
    <span className="inline-flex max-w-full items-center gap-1 align-bottom">
      <code className="min-w-0 truncate font-mono text-[0.8125rem]" title={text}>
        {text}
      </code>
      <CopyButton text={text} what={what} variant="ghost" className="-my-2" />
    </span>
  )
}
