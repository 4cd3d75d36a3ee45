/** A formatted amount with the exact value in its title. */
import type { JSX } from 'react'
import { cn } from '@/lib/class-names'
import { type ColumnKind, centsUsd, columnDecimals, exactUsd, fixedUsd, isZero, usd } from '@/lib/usd'

export interface MoneyProps {
  /** A decimal string from the API. */
  readonly amount: string
  /** `short`: cut to a readable length; `cents`: whole cents; `exact`: every digit, for lines that must add up. */
  readonly form?: 'short' | 'cents' | 'exact'
  /** The kind of its column, which decides how many decimals all rows have; overrides `form`. */
  readonly column?: ColumnKind | undefined
  /** Shows a plus sign on positive amounts. */
  readonly signed?: boolean
  readonly className?: string
}

const forms = { short: usd, cents: centsUsd, exact: exactUsd }

export function Money({
  amount,
  form = 'short',
  column,
  signed = false,
  className,
}: MoneyProps): JSX.Element {
  const isGain = signed && !amount.startsWith('-') && !isZero(amount)
  return (
    <span
      className={cn(
        'tabular whitespace-nowrap',
        column !== undefined && isZero(amount) && 'text-ink-soft',
        isGain && 'text-good',
        className,
      )}
      title={exactUsd(amount)}
    >
      {isGain ? '+' : ''}
      {column === undefined ? (
        forms[form](amount)
      ) : (
        <InColumn text={fixedUsd(amount, columnDecimals[column])} />
      )}
    </span>
  )
}

/** Zeros that only align the column are fainter than digits that tell something. */
function InColumn({ text }: { readonly text: string }): JSX.Element {
  const [, digits = text, zeros = ''] = /^(.*\.\d\d\d*?)(0*)$/.exec(text) ?? []
  return (
    <>
      {digits}
      {zeros === '' ? null : <span className="text-ink-soft">{zeros}</span>}
    </>
  )
}
