/**
 * Attempts, failures, time to first byte and cost of each offer over the last hour and day, for operators. Counted in memory
 * and added to the database every few seconds, so that a restart loses little and every server reads the sums of all. Billing
 * reads the ledger.
 */
import type { Clock, Timer } from '../base/clock.ts'
import { bucketOf, count, type Histogram, quantile } from '../base/histogram.ts'
import type { Store } from '../store/store.ts'
import type { OfferOperations, OfferReads } from './record-offers.ts'
import type { OfferCounts, OfferSlotRows, SlotRange } from './types.ts'

export type StatisticsPeriod = 'hour' | 'day'

/** The sums of an offer over a period. */
export interface OfferSums {
  /** Attempts at the upstream, whatever their outcome. */
  readonly requests: number
  /** Failed requests for which no caller was at fault. */
  readonly failures: number
  /** Time to first byte of streamed responses; null: there were none. */
  readonly firstByteP50Ms: number | null
  readonly firstByteP95Ms: number | null
  /** Nano-USD at the cost price of the offer. */
  readonly cost: bigint
}

/** The sums of all offers of some upstreams. */
export interface PeriodSums {
  of(upstream: string, upstreamModel: string): OfferSums
  /** When counting began (wall clock): the start of the period, or of its first slot with data. */
  readonly sinceMs: number
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
  /** Sums of all servers, with the counts of this one until now. `upstream` null: all upstreams. */
  sums(period: StatisticsPeriod, upstream: string | null): Promise<PeriodSums>
  /** The name belongs to another upstream from now on. */
  forget(upstream: string): Promise<void>
  /** Writes what was counted. */
  close(): Promise<void>
}

interface StatisticsDeps {
  readonly store: Pick<Store, 'read' | 'run'>
  readonly clock: Pick<Clock, 'wallMs' | 'after'>
  readonly limits: {
    readonly offerStatisticsMax: number
    readonly offerStatisticsFlushMs: number
  }
  readonly onTrouble: (error: unknown) => void
}

interface Counted {
  requests: number
  failures: number
  cost: bigint
  readonly firstBytes: Histogram
}

interface PeriodShape {
  readonly slotMs: number
  readonly slots: number
}

/** An hour in twelfths and a day in hours: the oldest slot is removed as a unit. */
const shapes: Readonly<Record<StatisticsPeriod, PeriodShape>> = {
  hour: { slotMs: 300_000, slots: 12 },
  day: { slotMs: 3_600_000, slots: 24 },
}
const eachShape = Object.values(shapes)

/** Rows in one operation of the writer, which requests wait for. */
const rowsPerOperation = 100

const slotAt = ({ slotMs }: PeriodShape, nowMs: number): number => Math.floor(nowMs / slotMs)
const oldestSlot = (shape: PeriodShape, nowMs: number): number => slotAt(shape, nowMs) - shape.slots + 1

export function openOfferStatistics(deps: StatisticsDeps): OfferStatistics {
  return new StoredStatistics(deps)
}

class StoredStatistics implements OfferStatistics {
  readonly #deps: StatisticsDeps
  // Two maps, because joining both names for each request costs more than a second lookup.
  #counted = new Map<string, Map<string, Counted>>()
  #size = 0
  /** When the first of them was counted; they are written long before the slot is over, or into it. */
  #sinceMs = 0
  #timer: Timer | undefined
  #writing: Promise<void> = Promise.resolve()
  #writes = 0

  constructor(deps: StatisticsDeps) {
    this.#deps = deps
  }

  attempted(upstream: string, upstreamModel: string, failed: boolean): void {
    const counted = this.#at(upstream, upstreamModel)
    if (counted === undefined) return
    counted.requests += 1
    if (failed) counted.failures += 1
  }

  settled(
    upstream: string,
    upstreamModel: string,
    { firstByteMs, cost }: { readonly firstByteMs: number | null; readonly cost: bigint },
  ): void {
    const counted = this.#at(upstream, upstreamModel)
    if (counted === undefined) return
    counted.cost += cost
    if (firstByteMs !== null) count(counted.firstBytes, bucketOf(firstByteMs))
  }

  async sums(period: StatisticsPeriod, upstream: string | null): Promise<PeriodSums> {
    await this.#flush()
    const { clock, store } = this.#deps
    const shape = shapes[period]
    const nowMs = clock.wallMs()
    const [from, to] = [oldestSlot(shape, nowMs), slotAt(shape, nowMs)]
    const sums = new GrowingSums()
    // A slot in a read, so that others get their turn on the thread between two of them.
    for (let slot = from; slot <= to; slot += 1)
      sums.add(await read(store, 'offerSlot', shape.slotMs, slot, upstream))
    const first = await read(store, 'offersSince', shape.slotMs, from)
    return {
      of: (name, upstreamModel) => sums.of(name, upstreamModel),
      sinceMs: first === null ? nowMs : first * shape.slotMs,
    }
  }

  async forget(upstream: string): Promise<void> {
    await this.#flush()
    const nowMs = this.#deps.clock.wallMs()
    const ranges = eachShape.map((shape): SlotRange => {
      return { slotMs: shape.slotMs, from: oldestSlot(shape, nowMs), to: slotAt(shape, nowMs) }
    })
    await run(this.#deps.store, 'forgetOffers', upstream, ranges)
  }

  close(): Promise<void> {
    return this.#flush()
  }

  /** undefined: as many offers as may be held wait to be written, and nothing can be written. */
  #at(upstream: string, upstreamModel: string): Counted | undefined {
    const found = this.#counted.get(upstream)?.get(upstreamModel)
    if (found !== undefined) return found
    const { clock, limits } = this.#deps
    if (this.#size >= limits.offerStatisticsMax) {
      if (this.#writes > 0) return undefined
      void this.#flush()
    }
    if (this.#size === 0) this.#sinceMs = clock.wallMs()
    const made: Counted = { requests: 0, failures: 0, cost: 0n, firstBytes: [] }
    const here = this.#counted.get(upstream) ?? new Map<string, Counted>()
    here.set(upstreamModel, made)
    this.#counted.set(upstream, here)
    this.#size += 1
    this.#timer ??= clock.after(limits.offerStatisticsFlushMs, () => void this.#flush())
    return made
  }

  /** Never rejects: what cannot be written is lost. */
  #flush(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#size === 0) return this.#writing
    const rows = rowsOf(this.#counted, this.#sinceMs)
    this.#counted = new Map()
    this.#size = 0
    this.#writes += 1
    this.#writing = this.#writing
      .then(() => this.#write(rows))
      .catch(this.#deps.onTrouble)
      .finally(() => {
        this.#writes -= 1
      })
    return this.#writing
  }

  async #write(rows: readonly OfferCounts[]): Promise<void> {
    const { clock, store } = this.#deps
    const nowMs = clock.wallMs()
    const oldest = eachShape.map((shape) => ({ slotMs: shape.slotMs, slot: oldestSlot(shape, nowMs) }))
    for (let from = 0; from < rows.length; from += rowsPerOperation)
      await run(store, 'recordOffers', { counts: rows.slice(from, from + rowsPerOperation), oldest })
  }
}

/** In one order, so that servers that write at the same time wait for each other and never both. */
function rowsOf(
  counted: ReadonlyMap<string, ReadonlyMap<string, Counted>>,
  atMs: number,
): readonly OfferCounts[] {
  const rows = [...counted].flatMap(([upstream, models]) =>
    [...models].flatMap(([upstreamModel, counts]) =>
      eachShape.map((shape): OfferCounts => {
        return { slotMs: shape.slotMs, slot: slotAt(shape, atMs), upstream, upstreamModel, ...counts }
      }),
    ),
  )
  const orderOf = ({ slotMs, upstream, upstreamModel }: OfferCounts) =>
    `${slotMs}\n${upstream}\n${upstreamModel}`
  return rows.sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
}

const none: OfferSums = { requests: 0, failures: 0, cost: 0n, firstByteP50Ms: null, firstByteP95Ms: null }

/** Sums of offers, to which slots are added. */
class GrowingSums {
  readonly #offers = new Map<string, Counted>()

  add({ counts, firstBytes }: OfferSlotRows): void {
    for (const { upstream, upstreamModel, requests, failures, cost } of counts) {
      const sums = this.#at(upstream, upstreamModel)
      sums.requests += requests
      sums.failures += failures
      sums.cost += cost
    }
    for (const { upstream, upstreamModel, bucket, count: times } of firstBytes)
      count(this.#at(upstream, upstreamModel).firstBytes, bucket, times)
  }

  of(upstream: string, upstreamModel: string): OfferSums {
    const found = this.#offers.get(keyOf(upstream, upstreamModel))
    if (found === undefined) return none
    const { firstBytes, ...sums } = found
    return {
      ...sums,
      firstByteP50Ms: quantile(firstBytes, 0.5),
      firstByteP95Ms: quantile(firstBytes, 0.95),
    }
  }

  #at(upstream: string, upstreamModel: string): Counted {
    const key = keyOf(upstream, upstreamModel)
    const found = this.#offers.get(key)
    if (found !== undefined) return found
    const made: Counted = { requests: 0, failures: 0, cost: 0n, firstBytes: [] }
    this.#offers.set(key, made)
    return made
  }
}

const keyOf = (upstream: string, upstreamModel: string): string => `${upstream}\n${upstreamModel}`

// The types of both ends come from the same tables; only the way between them is untyped.

function read<Name extends keyof OfferReads>(
  store: Pick<Store, 'read'>,
  name: Name,
  ...values: Parameters<OfferReads[Name]['run']>
): Promise<ReturnType<OfferReads[Name]['run']>> {
  return store.read([name, ...values]) as never
}

function run<Name extends keyof OfferOperations>(
  store: Pick<Store, 'run'>,
  name: Name,
  ...values: Parameters<OfferOperations[Name]['run']>
): Promise<ReturnType<OfferOperations[Name]['run']>> {
  return store.run([name, ...values]) as never
}
