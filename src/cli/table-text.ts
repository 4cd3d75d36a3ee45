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

/** One line for each label. */
export function labeled(pairs: readonly (readonly [label: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([label]) => label.length))
  return pairs
    .map(([label, value]) => `${label.padEnd(width)}${gap}${withoutHiddenCharacters(value)}\n`)
    .join('')
}
