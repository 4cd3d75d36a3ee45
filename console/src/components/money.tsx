/** A formatted amount with the exact value in its title. */
import type { JSX } from 'react'
import { cn } from '@/lib/class-names'
import { balanceUsd, columnUsd, exactUsd, isZero, roundUsd, usd } from '@/lib/usd'

export interface MoneyProps {
  /** A decimal string from the API. */
  readonly amount: string
  /**
   * `exact`: every digit, for lines that must add up; `round`: cents; `column`: aligned with others; `balance`: cut,
   * never rounded up.
   */
  readonly form?: 'short' | 'balance' | 'exact' | 'round' | 'column'
  /** Shows a plus sign on positive amounts. */
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
