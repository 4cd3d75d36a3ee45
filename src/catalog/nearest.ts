/** Finds the models that a user probably meant by an unavailable name. Pure. */
import { nearest } from '../base/nearest.ts'

const countMax = 3

/** At most three of `names` that resemble `wanted`, the best first; empty when none does. */
export function nearestNames(wanted: string, names: readonly string[]): readonly string[] {
  const spelled = new Map(names.map((name) => [plain(name), name]))
  return nearest(plain(wanted), [...spelled.keys()], countMax).map((name) => spelled.get(name) ?? name)
}

/** Removes common variations: a vendor before a slash, a `[1m]` suffix, dots for hyphens. */
function plain(name: string): string {
  const bare = name.slice(name.lastIndexOf('/') + 1).replace(/\[[^\]]{0,20}\]$/, '')
  return bare.replace(/[._]/g, '-')
}
