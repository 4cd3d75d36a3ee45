/** An amount: rounded for the eye, exact in its title. */
import type { JSX } from 'react'
import { cn } from '@/lib/class-names'
import { balanceUsd, columnUsd, exactUsd, isZero, roundUsd, usd } from '@/lib/usd'

export interface MoneyProps {
  /** A decimal text of the API. */
  readonly amount: string
  /** `exact`: every digit, for lines that must add up; `round`: cents; `column`: aligned with others, quiet where nothing; `balance`: never more than there is. */
  readonly form?: 'short' | 'balance' | 'exact' | 'round' | 'column'
  /** Puts a plus before what is gained. */
  readonly signed?: boolean
  readonly className?: string
}

const forms = { short: usd, balance: balanceUsd, exact: exactUsd, round: roundUsd, column: columnUsd }

export function Money({ amount, form = 'short', signed = false, className }: MoneyProps): JSX.Element {
  const isGain = signed && !amount.startsWith('-') && /[1-9]/.test(amount)
  return (
    <span
      className={cn(
        'tabular whitespace-nowrap',
        form === 'column' && isZero(amount) && 'text-ink-soft',
        className,
      )}
      title={exactUsd(amount)}
    >
      {isGain ? '+' : ''}
      {forms[form](amount)}
    </span>
  )
}
