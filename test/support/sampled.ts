/**
 * How much of a large matrix a run goes through. `npm test` takes some of its cases, always the same ones, spread from the
 * first to the last; `npm test -- --whole`, as .ci/run does, takes all. For repetition only: whatever a test promises
 * must stand in the sample too.
 */
export const isWholeRun = process.env.TOLLGATE_TESTS === 'whole'

/** At most `count` of the items in their order, the first and the last among them; all of them in a whole run. */
export function sampled<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (isWholeRun || items.length <= count) return items
  const step = (items.length - 1) / Math.max(count - 1, 1)
  return Array.from({ length: count }, (_, place) => items[Math.round(place * step)] as Item)
}

/** How often something is repeated: `count` times, in a whole run `whole` times. */
export function repeated(count: number, whole: number): number {
  return isWholeRun ? whole : count
}

/** Every so many of the items, the first among them. */
export function* everyNth<Item>(items: Iterable<Item>, step: number): Generator<Item> {
  let place = 0
  for (const item of items) {
    if (place % step === 0) yield item
    place += 1
  }
}
