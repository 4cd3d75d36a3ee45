/**
 * How much of a large matrix a run covers. `npm test` runs a fixed sample, spread from the first case to the last;
 * `npm test -- --whole` runs all, and of the largest a larger sample, drawn with the seed of the run;
 * `npm test -- --exhaustive` runs all. For repetition only: every guarantee of a test must be in the smallest sample too.
 */
import { createHash } from 'node:crypto'

const extent = process.env.TOLLGATE_TESTS
export const isExhaustiveRun = extent === 'exhaustive'
export const isWholeRun = extent === 'whole' || isExhaustiveRun

/** The same for all processes of a run, which prints it. */
export const runSeed = isWholeRun ? Number(process.env.TOLLGATE_TESTS_SEED ?? 0) : 0

/**
 * At most `count` of the items in their order, including the first and the last; in a whole run these and drawn ones, at
 * most `whole` together; in an exhaustive one all of them.
 */
export function sampled<Item>(
  items: readonly Item[],
  count: number,
  whole = Number.POSITIVE_INFINITY,
): readonly Item[] {
  const most = isExhaustiveRun ? items.length : isWholeRun ? whole : count
  if (items.length <= most) return items
  const step = (items.length - 1) / Math.max(count - 1, 1)
  const taken = new Set(Array.from({ length: count }, (_, place) => Math.round(place * step)))
  for (const place of drawn(items.length)) if (taken.size < most) taken.add(place)
  return items.filter((_, place) => taken.has(place))
}

/** The places from 0 to `count` in an order that the seed of the run decides. */
function drawn(count: number): readonly number[] {
  const rank = (place: number) => createHash('sha256').update(`${runSeed} ${place}`).digest('hex')
  const ranks = new Map(Array.from({ length: count }, (_, place) => [place, rank(place)]))
  return [...ranks].sort(([, one], [, other]) => (one < other ? -1 : 1)).map(([place]) => place)
}

/** The number of repetitions: `count`, in a whole run `whole`, in an exhaustive one `exhaustive`. */
export function repeated(count: number, whole: number, exhaustive = whole): number {
  return isExhaustiveRun ? exhaustive : isWholeRun ? whole : count
}

/** Every n-th of the items, beginning with the first; in a whole run with the one that its seed decides. */
export function* everyNth<Item>(items: Iterable<Item>, step: number): Generator<Item> {
  let place = 0
  for (const item of items) {
    if (place % step === runSeed % step) yield item
    place += 1
  }
}
