/** A formatted amount with the exact value in its title. */
import type { JSX } from 'react'
import { cn } from '@/lib/class-names'
import { alignedUsd, centsUsd, exactUsd, fixedUsd, isZero, usd } from '@/lib/usd'

export interface MoneyProps {
  /** A decimal string from the API. */
  readonly amount: string
  /** `short`: cut to a readable length; `cents`: whole cents; `exact`: every digit, for lines that must add up. */
  readonly form?: 'short' | 'cents' | 'exact'
  /** The precision of its column; overrides `form`. */
  readonly decimals?: number | undefined
  /** Shows a plus sign on positive amounts. */
  readonly signed?: boolean
  readonly className?: string
}

const forms = { short: usd, cents: centsUsd, exact: exactUsd }

export function Money({
  amount,
  form = 'short',
  decimals,
  signed = false,
  className,
}: MoneyProps): JSX.Element {
  const isGain = signed && !amount.startsWith('-') && !isZero(amount)
  return (
    <span
      className={cn(
        'tabular whitespace-nowrap',
        decimals !== undefined && isZero(amount) && 'text-ink-soft',
        isGain && 'text-good',
        className,
      )}
      title={exactUsd(amount)}
    >
      {isGain ? '+' : ''}
      {decimals === undefined
        ? forms[form](amount)
        : isZero(amount)
          ? alignedUsd('0.00', decimals)
          : fixedUsd(amount, decimals)}
    </span>
  )
}
