/** An amount: rounded for the eye, exact in its title. */
import type { JSX } from 'react'
import { cn } from '@/lib/class-names'
import { exactUsd, roundUsd, usd } from '@/lib/usd'

export interface MoneyProps {
  /** A decimal text of the API. */
  readonly amount: string
  /** `exact`: every digit, for lines that must add up; `round`: cents. */
  readonly form?: 'short' | 'exact' | 'round'
  /** Puts a plus before what is gained. */
  readonly signed?: boolean
  readonly className?: string
}

const forms = { short: usd, exact: exactUsd, round: roundUsd }

export function Money({ amount, form = 'short', signed = false, className }: MoneyProps): JSX.Element {
  const isGain = signed && !amount.startsWith('-') && /[1-9]/.test(amount)
  return (
    <span className={cn('tabular whitespace-nowrap', className)} title={exactUsd(amount)}>
      {isGain ? '+' : ''}
      {forms[form](amount)}
    </span>
  )
}
