/** Whether a free model is available, so that a caller without funds may request it. */
import type { PriceVersion, Snapshot } from './types.ts'

const known = new WeakMap<Snapshot, boolean>()

/** Looked up once for each snapshot, which never changes. Prices of other times count too: when in doubt, true. */
export function sellsForFree(snapshot: Snapshot): boolean {
  const found = known.get(snapshot)
  if (found !== undefined) return found
  const sells = [...snapshot.models.values()].some(({ prices }) => prices.some(isFree))
  known.set(snapshot, sells)
  return sells
}

const isFree = ({ rates }: PriceVersion): boolean => rates.input === 0n && rates.output === 0n
