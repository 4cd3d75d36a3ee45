/**
 * Aligned text for a terminal: columns under headings, or labels with values. What other servers and people write controls
 * neither the terminal nor the lines.
 */
import { withoutHiddenCharacters } from '../../contract/visible-text.ts'

const gap = '  '

/** Columns as wide as their widest cell; columns named in `right` are right-aligned. */
export function columns(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly string[] = [],
): string {
  const all = [headings, ...rows.map((row) => row.map(withoutHiddenCharacters))]
  const widths = headings.map((_, place) =>
    all.reduce((width, row) => Math.max(width, (row[place] ?? '').length), 0),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, place) => {
        const width = widths[place] ?? 0
        return right.includes(headings[place] ?? '') ? cell.padStart(width) : cell.padEnd(width)
      })
      .join(gap)
      .trimEnd()
  return `${all.map(line).join('\n')}\n`
}

/** Prints each label with its value on one line, values aligned. */
export function labeled(pairs: readonly (readonly [label: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([label]) => label.length))
  return pairs
    .map(([label, value]) => `${label.padEnd(width)}${gap}${withoutHiddenCharacters(value)}\n`)
    .join('')
}

type Shown = string | number | null
type FieldOf<Row> = { [Name in keyof Row]: Row[Name] extends Shown ? Name : never }[keyof Row] & string
/** A field of the row, or what is made of it; null is shown as a dash. */
type Cell<Row> = FieldOf<Row> | ((row: Row) => Shown)
/** By heading or label; a heading that begins with `>` is of a right-aligned column. */
type Cells<Row> = Readonly<Record<string, Cell<Row>>>

function cellText<Row>(row: Row, cell: Cell<Row>): string {
  const value = typeof cell === 'function' ? cell(row) : (row[cell] as Shown)
  return value === null ? '–' : String(value)
}

/** Prints rows as columns; `empty` is printed if there are none, null: the headings are. */
export function tableOf<Row>(empty: string | null, cells: Cells<Row>): (rows: readonly Row[]) => string {
  const headings = Object.keys(cells).map((heading) => heading.replace('>', ''))
  const right = headings.filter((heading) => `>${heading}` in cells)
  const shown = Object.values(cells)
  return (rows) =>
    rows.length === 0 && empty !== null
      ? empty
      : columns(
          headings,
          rows.map((row) => shown.map((cell) => cellText(row, cell))),
          right,
        )
}

/** Prints a line for each label. */
export function factsOf<Row>(cells: Cells<Row>): (row: Row) => string {
  return (row) => labeled(Object.entries(cells).map(([label, cell]) => [label, cellText(row, cell)]))
}

/** The part of requests that failed. */
export const percentage = ({
  failures,
  requests,
}: {
  readonly failures: number
  readonly requests: number
}) => (requests === 0 ? '-' : `${((100 * failures) / requests).toFixed(1)}%`)

export const milliseconds = (value: number | null): string => (value === null ? '-' : `${value} ms`)
