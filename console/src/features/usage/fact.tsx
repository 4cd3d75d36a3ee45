/** A term and its description. Belongs in a `<dl>`. */
import type { JSX, ReactNode } from 'react'

export interface FactProps {
  readonly label: string
  readonly children: ReactNode
}

export function Fact({ label, children }: FactProps): JSX.Element {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-ink-soft">{label}</dt>
      <dd className="mt-0.5 min-w-0">{children}</dd>
    </div>
  )
}
