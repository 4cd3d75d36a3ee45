/**
 * Finds the names that a user probably meant by an unknown name. Pure; the caps bound the
 * work for any name and list.
 */

const wantedCharactersMax = 80
const namesMax = 5_000

/** At most `countMax` of `names` that resemble `wanted`, the best first; empty when none does. */
export function nearest(wanted: string, names: readonly string[], countMax: number): readonly string[] {
  const target = wanted.slice(0, wantedCharactersMax).toLowerCase()
  if (target === '') return []
  const found: { readonly name: string; readonly distance: number }[] = []
  for (const name of names.slice(0, namesMax)) {
    const distance = distanceOf(target, name.slice(0, wantedCharactersMax).toLowerCase())
    if (distance !== undefined) found.push({ name, distance })
  }
  found.sort((one, other) => one.distance - other.distance || (one.name < other.name ? -1 : 1))
  return found.slice(0, countMax).map(({ name }) => name)
}

/** The edits between them if they are few; where one begins with the other, between one edit and two. */
function distanceOf(target: string, name: string): number | undefined {
  const shorter = Math.min(name.length, target.length)
  const longer = Math.max(name.length, target.length)
  const isBeginning = shorter >= 3 && (name.startsWith(target) || target.startsWith(name))
  const asBeginning = isBeginning ? 2 - shorter / longer : undefined
  const editsMax = Math.max(1, Math.floor(longer / 4))
  const asEdits = longer - shorter > editsMax ? undefined : edits(target, name, editsMax)
  if (asBeginning === undefined || asEdits === undefined) return asBeginning ?? asEdits
  return Math.min(asBeginning, asEdits)
}

/** Insertions, deletions, replacements and swaps of adjacent letters between two texts; undefined above `editsMax`. */
function edits(one: string, other: string, editsMax: number): number | undefined {
  let beforeLast: readonly number[] = []
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = last[column - 1]! + (one[row - 1] === other[column - 1] ? 0 : 1)
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const swapped = isSwap && row > 1 && column > 1 ? beforeLast[column - 2]! + 1 : replaced
      current.push(Math.min(last[column]! + 1, current[column - 1]! + 1, replaced, swapped))
    }
    if (Math.min(...current) > editsMax && Math.min(...last) > editsMax) return undefined
    beforeLast = last
    last = current
  }
  const distance = last[other.length]!
  return distance <= editsMax ? distance : undefined
}
