/** A term that is explained on hover, and to the keyboard on focus. */
import type { JSX, ReactNode } from 'react'
import { Tooltip } from './tooltip.tsx'

export interface ExplainedProps {
  /** A sentence or two. */
  readonly text: string
  readonly children: ReactNode
}

export function Explained({ text, children }: ExplainedProps): JSX.Element {
  return (
    <Tooltip text={text}>
      <button
        type="button"
        className="cursor-help rounded-sm text-inherit [text-align:inherit] underline decoration-line-strong decoration-dotted underline-offset-3"
      >
        {children}
      </button>
    </Tooltip>
  )
}
