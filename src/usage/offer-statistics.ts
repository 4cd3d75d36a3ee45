/**
 * Attempts, failures, time to first byte and cost of each offer over the last hour and day, for operators. In this process
 * alone and bounded; routing does not read them and billing reads the ledger.
 */
import type { Clock } from '../base/clock.ts'
import { addCounts, bucketOf, count, type Histogram, quantile } from '../base/histogram.ts'

export type StatisticsPeriod = 'hour' | 'day'

/** The sums of an offer over a period. */
export interface OfferSums {
  /** Attempts at the upstream, whatever their outcome. */
  readonly requests: number
  /** Of these, those that failed through no fault of a caller. */
  readonly failures: number
  /** Of streamed responses; null: there were none. */
  readonly firstByteP50Ms: number | null
  readonly firstByteP95Ms: number | null
  /** Nano-USD at the cost price of the offer. */
  readonly cost: bigint
}

export interface OfferStatistics {
  /** Counts an attempt. */
  attempted(upstream: string, upstreamModel: string, failed: boolean): void
  /** Adds what a settled request cost there. */
  settled(
    upstream: string,
    upstreamModel: string,
    used: { readonly firstByteMs: number | null; readonly cost: bigint },
  ): void
  sums(upstream: string, upstreamModel: string, period: StatisticsPeriod): OfferSums
  /** The name belongs to another upstream from now on. */
  forget(upstream: string): void
  /** Since when this process counts (wall clock). */
  readonly sinceMs: number
}

interface Slot {
  /** The number of the slot since the beginning of the clock. */
  readonly number: number
  requests: number
  failures: number
  cost: bigint
  readonly firstBytes: Histogram
}

interface RingShape {
  readonly slotMs: number
  readonly slots: number
}

/** An hour in twelfths and a day in hours: the oldest slot is dropped whole. */
const shapes: Readonly<Record<StatisticsPeriod, RingShape>> = {
  hour: { slotMs: 300_000, slots: 12 },
  day: { slotMs: 3_600_000, slots: 24 },
}

interface Counted {
  lastMs: number
  readonly rings: Readonly<Record<StatisticsPeriod, (Slot | undefined)[]>>
}

/** Opens empty statistics. */
export function openOfferStatistics({
  limits,
  clock,
}: {
  readonly limits: { readonly offerStatisticsMax: number }
  readonly clock: Pick<Clock, 'monoMs' | 'wallMs'>
}): OfferStatistics {
  // Two maps, because joining both names for each request costs more than a second lookup.
  const known = new Map<string, Map<string, Counted>>()
  let size = 0

  function countedAt(upstream: string, upstreamModel: string): Counted {
    const found = known.get(upstream)?.get(upstreamModel)
    if (found !== undefined) return found
    if (size >= limits.offerStatisticsMax) dropOldest()
    const made: Counted = { lastMs: 0, rings: { hour: [], day: [] } }
    const here = known.get(upstream) ?? new Map<string, Counted>()
    here.set(upstreamModel, made)
    known.set(upstream, here)
    size += 1
    return made
  }

  /** Drops the offer whose last request is the longest ago; only where a new one comes to a full table. */
  function dropOldest(): void {
    let oldest: {
      readonly from: Map<string, Counted>
      readonly model: string
      readonly lastMs: number
    } | null = null
    for (const from of known.values())
      for (const [model, { lastMs }] of from)
        if (oldest === null || lastMs < oldest.lastMs) oldest = { from, model, lastMs }
    if (oldest?.from.delete(oldest.model) === true) size -= 1
  }

  function eachSlot(upstream: string, upstreamModel: string, add: (slot: Slot) => void): void {
    const nowMs = clock.monoMs()
    const counted = countedAt(upstream, upstreamModel)
    counted.lastMs = nowMs
    add(slotAt(counted.rings.hour, shapes.hour, nowMs))
    add(slotAt(counted.rings.day, shapes.day, nowMs))
  }

  return {
    sinceMs: clock.wallMs(),
    attempted(upstream, upstreamModel, failed) {
      eachSlot(upstream, upstreamModel, (slot) => {
        slot.requests += 1
        if (failed) slot.failures += 1
      })
    },
    settled(upstream, upstreamModel, { firstByteMs, cost }) {
      const bucket = firstByteMs === null ? null : bucketOf(firstByteMs)
      eachSlot(upstream, upstreamModel, (slot) => {
        slot.cost += cost
        if (bucket !== null) count(slot.firstBytes, bucket)
      })
    },
    sums(upstream, upstreamModel, period) {
      const ring = known.get(upstream)?.get(upstreamModel)?.rings[period] ?? []
      return sumsOf(ring, shapes[period], clock.monoMs())
    },
    forget(upstream) {
      size -= known.get(upstream)?.size ?? 0
      known.delete(upstream)
    },
  }
}

function slotAt(ring: (Slot | undefined)[], { slotMs, slots }: RingShape, nowMs: number): Slot {
  const number = Math.floor(nowMs / slotMs)
  const place = number % slots
  const found = ring[place]
  if (found?.number === number) return found
  const made: Slot = { number, requests: 0, failures: 0, cost: 0n, firstBytes: [] }
  while (ring.length < slots) ring.push(undefined)
  ring[place] = made
  return made
}

function sumsOf(ring: readonly (Slot | undefined)[], { slotMs, slots }: RingShape, nowMs: number): OfferSums {
  const oldest = Math.floor(nowMs / slotMs) - slots
  const sums = { requests: 0, failures: 0, cost: 0n }
  const firstBytes: Histogram = []
  for (const slot of ring) {
    if (slot === undefined || slot.number <= oldest) continue
    sums.requests += slot.requests
    sums.failures += slot.failures
    sums.cost += slot.cost
    addCounts(firstBytes, slot.firstBytes)
  }
  return {
    ...sums,
    firstByteP50Ms: quantile(firstBytes, 0.5),
    firstByteP95Ms: quantile(firstBytes, 0.95),
  }
}
