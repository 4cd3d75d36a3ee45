/** A table column of amounts in one precision, so that their decimal points are aligned. */
import { alignedUsd, columnDecimals } from '@/lib/usd'
import { Money } from './money.tsx'
import type { Column } from './table.tsx'

export interface MoneyColumn<Row> extends Pick<Column<Row>, 'id' | 'header' | 'wide'> {
  readonly amount: (row: Row) => string
  /** Loses no digit: for ledgers and invoices. */
  readonly exact?: boolean
  /** Prices: aligned by spaces instead of zeros. Implies `exact`. */
  readonly prices?: boolean
  /** Shows a plus sign on positive amounts. */
  readonly signed?: boolean
}

export function moneyColumn<Row>({
  amount,
  exact = false,
  prices = false,
  signed = false,
  ...column
}: MoneyColumn<Row>): Column<Row> {
  const measured = new WeakMap<readonly Row[], number>()
  const decimalsOf = (rows: readonly Row[]): number => {
    const decimals = measured.get(rows) ?? columnDecimals(rows.map(amount), exact || prices)
    measured.set(rows, decimals)
    return decimals
  }
  return {
    ...column,
    align: 'right',
    cell: (row, rows) =>
      prices ? (
        alignedUsd(amount(row), decimalsOf(rows))
      ) : (
        <Money amount={amount(row)} decimals={decimalsOf(rows)} signed={signed} />
      ),
  }
}
