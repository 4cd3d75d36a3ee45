/**
 * The balances of the platform accounts, cached: each is a sum over every entry, so a result is shown
 * for a hundred times as long as it took to compute, and concurrent requests share one computation.
 */
import type { Clock } from '../../base/clock.ts'
import type { Ledger } from '../../ledger/types.ts'

type PlatformBalances = Awaited<ReturnType<Ledger['platformBalances']>>

interface CachedBalances {
  readonly balances: Promise<PlatformBalances>
  /** null: it is being computed. */
  untilMonoMs: number | null
}

const cacheFactor = 100
const cache = new WeakMap<Ledger, CachedBalances>()

export function platformBalances({
  ledger,
  clock,
}: {
  readonly ledger: Ledger
  readonly clock: Clock
}): Promise<PlatformBalances> {
  const present = cache.get(ledger)
  const isFresh =
    present !== undefined && (present.untilMonoMs === null || clock.monoMs() < present.untilMonoMs)
  if (isFresh) return present.balances
  const begunMs = clock.monoMs()
  const next: CachedBalances = { balances: ledger.platformBalances(), untilMonoMs: null }
  cache.set(ledger, next)
  const done = (): void => {
    const endedMs = clock.monoMs()
    next.untilMonoMs = endedMs + cacheFactor * (endedMs - begunMs)
  }
  const failed = (): void => void cache.delete(ledger)
  next.balances.then(done, failed)
  return next.balances
}
