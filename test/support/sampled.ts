/**
 * How much of a large matrix a run covers. `npm test` runs a fixed sample, spread from the
 * first case to the last; `npm test -- --whole`, as .ci/run does, runs all. For repetition only: every guarantee of a test
 * must be in the sample too.
 */
export const isWholeRun = process.env.TOLLGATE_TESTS === 'whole'

/** At most `count` of the items in their order, including the first and the last; all of them in a whole run. */
export function sampled<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (isWholeRun || items.length <= count) return items
  const step = (items.length - 1) / Math.max(count - 1, 1)
  return Array.from({ length: count }, (_, place) => items[Math.round(place * step)] as Item)
}

/** The number of repetitions: `count`, in a whole run `whole`. */
export function repeated(count: number, whole: number): number {
  return isWholeRun ? whole : count
}

/** Every n-th of the items, including the first. */
export function* everyNth<Item>(items: Iterable<Item>, step: number): Generator<Item> {
  let place = 0
  for (const item of items) {
    if (place % step === 0) yield item
    place += 1
  }
}
