/** A table column of amounts in one precision, so that their decimal points are aligned. */
import { alignedUsd, type ColumnKind, writtenDecimalsMax } from '@/lib/usd'
import { Money } from './money.tsx'
import type { Column } from './table.tsx'

export interface MoneyColumn<Row> extends Pick<Column<Row>, 'id' | 'header' | 'wide'> {
  readonly amount: (row: Row) => string
  /** The kind of amounts; by default amounts spent or left. */
  readonly kind?: ColumnKind
  /** Shows a plus sign on positive amounts. */
  readonly signed?: boolean
}

export function moneyColumn<Row>({
  amount,
  kind = 'cost',
  signed = false,
  ...column
}: MoneyColumn<Row>): Column<Row> {
  return {
    ...column,
    align: 'right',
    cell: (row) => <Money amount={amount(row)} column={kind} signed={signed} />,
  }
}

/** Prices keep every digit and get no zeros, which would read as a precision that they do not have. */
export function priceColumn<Row>({
  amount,
  ...column
}: Pick<MoneyColumn<Row>, 'id' | 'header' | 'wide' | 'amount'>): Column<Row> {
  const measured = new WeakMap<readonly Row[], number>()
  const decimalsOf = (rows: readonly Row[]): number => {
    const decimals = measured.get(rows) ?? writtenDecimalsMax(rows.map(amount))
    measured.set(rows, decimals)
    return decimals
  }
  return { ...column, align: 'right', cell: (row, rows) => alignedUsd(amount(row), decimalsOf(rows)) }
}
