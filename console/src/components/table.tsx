/** A data table. It scrolls sideways on narrow pages; the page itself never does. */
import { Fragment, type JSX, type MouseEvent, type ReactNode } from 'react'
import { cn } from '@/lib/class-names'
import { Skeleton } from './skeleton.tsx'

/** For the link or button of a row that a click anywhere in the row activates. */
export const opensRow = {
  'data-opens-row': '',
  className: 'font-medium decoration-line-strong underline-offset-3 group-hover/row:underline',
} as const

export interface Column<Row> {
  readonly id: string
  readonly header: ReactNode
  readonly cell: (row: Row, rows: readonly Row[]) => ReactNode
  readonly align?: 'left' | 'right'
  /** Hidden on phones. */
  readonly wide?: boolean
  readonly className?: string
}

export interface TableProps<Row> {
  /** The accessible name of the table. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  /** undefined: loading. */
  readonly rows: readonly Row[] | undefined
  readonly keyOf: (row: Row) => string
  /** The heading above a group of rows; rows of a group are together. */
  readonly groupOf?: (row: Row) => string
  /** Shown when there are no rows. */
  readonly empty?: ReactNode
  /** How many skeleton rows to show while loading. */
  readonly expected?: number
  /** Height of rows and skeletons, the same so that nothing moves when rows arrive. */
  readonly rowHeight?: keyof typeof rowHeights
  readonly className?: string
}

const rowHeights = {
  oneLine: 'h-11',
  twoLines: 'h-14',
  /** A second line on phones only. */
  twoLinesOnPhone: 'h-11 max-md:h-14',
} as const

export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { caption, columns, rows, empty, className } = props
  if (rows?.length === 0) return <>{empty ?? <p className="px-5 py-6 text-ink-soft">Nothing yet.</p>}</>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
    <section aria-label={caption} tabIndex={0} className={cn('relative overflow-x-auto', className)}>
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line">
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                className={cn(place(column, columns), 'h-9 text-sm font-medium text-ink-soft')}
              >
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody aria-busy={rows === undefined || undefined}>
          <Rows {...props} />
        </tbody>
      </table>
    </section>
  )
}

function Rows<Row>(props: TableProps<Row>): JSX.Element {
  const { columns, rows, keyOf, groupOf, expected = 5, rowHeight = 'oneLine' } = props
  const height = rowHeights[rowHeight]
  if (rows === undefined) {
    return (
      <>
        {Array.from({ length: expected }, (_, index) => `row-${index}`).map((row) => (
          <tr key={row} className="border-b border-line last:border-0">
            {columns.map((column) => (
              <td key={column.id} className={cn(place(column, columns), height)}>
                <Skeleton className={cn('h-4 w-20', column.align === 'right' && 'ml-auto')} />
              </td>
            ))}
          </tr>
        ))}
      </>
    )
  }
  return (
    <>
      {rows.map((row, index) => {
        const group = groupOf?.(row)
        const before = rows[index - 1]
        const isFirst = group !== undefined && (before === undefined || groupOf?.(before) !== group)
        return (
          <Fragment key={keyOf(row)}>
            {isFirst ? <GroupHeading columns={columns.length}>{group}</GroupHeading> : null}
            <tr onClick={openRow} className={rowLook}>
              {columns.map((column) => (
                <td key={column.id} className={cn(place(column, columns), height, 'py-2', column.className)}>
                  {column.cell(row, rows)}
                </td>
              ))}
            </tr>
          </Fragment>
        )
      })}
    </>
  )
}

function GroupHeading({
  columns,
  children,
}: {
  readonly columns: number
  readonly children: ReactNode
}): JSX.Element {
  return (
    <tr className="border-b border-line bg-sunken/60">
      <th colSpan={columns} scope="colgroup" className="h-9 px-5 text-left text-sm font-semibold">
        {children}
      </th>
    </tr>
  )
}

const rowLook = cn(
  'group/row border-b border-line last:border-0 hover:bg-sunken/60',
  'has-[[data-opens-row]]:cursor-pointer has-[[data-opens-row]:focus-visible]:bg-sunken/60',
)

/** A click anywhere in a row follows its link, unless it is on a control or selects text. */
function openRow(event: MouseEvent<HTMLTableRowElement>): void {
  const { target, currentTarget, ctrlKey, metaKey, shiftKey } = event
  // Events of menus and dialogs of the row arrive here too, from outside of it.
  if (!(target instanceof Element) || !currentTarget.contains(target)) return
  if (target.closest('a, button, input, select, label, [role=menu], [role=dialog]') !== null) return
  if (String(getSelection()) !== '') return
  currentTarget
    .querySelector('[data-opens-row]')
    ?.dispatchEvent(
      new globalThis.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
    )
}

function place<Row>(column: Column<Row>, columns: readonly Column<Row>[]): string {
  const { align, wide } = column
  const before = columns[columns.indexOf(column) - 1]
  const isFirstOnPhone = columns.find((one) => one.wide !== true) === column
  const isLastOnPhone = columns.findLast((one) => one.wide !== true) === column
  return cn(
    'px-3 whitespace-nowrap first:pl-5 last:pr-5',
    isFirstOnPhone && 'max-md:pl-5',
    isLastOnPhone && 'max-md:pr-5',
    align === 'right' && 'tabular text-right',
    // Text that begins where a number ends would read as one with it.
    align !== 'right' && before?.align === 'right' && 'pl-8',
    wide === true && 'max-md:hidden',
  )
}
