/**
 * Tables as CSV files for spreadsheets: quoted by RFC 4180, and so that no text cell is ever taken
 * for a formula. Pure.
 */

/** Text is guarded, numbers and amounts are written as they are; null is an empty cell. */
export type CsvCell = string | number | bigint | CsvAmount | null

/** A decimal number that arrives as text, such as an amount of money. */
export interface CsvAmount {
  readonly amount: string
}

/** Spreadsheets take this for the beginning of a formula, also behind characters that they skip. */
const formulaStart = /^[\s\p{Cc}]*[=+\-@＝＋－＠]|^[\t\r\n]/u

export function csvText(header: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return csvLines([header, ...rows])
}

/** Rows to add to a text that has its header. */
export function csvLines(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('')
}

function cellText(cell: CsvCell): string {
  if (cell === null) return ''
  if (typeof cell === 'number' || typeof cell === 'bigint') return String(cell)
  if (typeof cell === 'object') return cell.amount
  const guarded = formulaStart.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
