/** Aligned text for a terminal: columns under headings, or labels with values. */

const gap = '  '

/** Columns as wide as their widest cell; columns named in `right` are right-aligned. */
export function columns(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly string[] = [],
): string {
  const all = [headings, ...rows]
  const widths = headings.map((_, place) => Math.max(...all.map((row) => (row[place] ?? '').length)))
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
  return pairs.map(([label, value]) => `${label.padEnd(width)}${gap}${value}\n`).join('')
}
