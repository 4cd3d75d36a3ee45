/**
 * Metrics of settled requests by model and upstream, for dashboards and alerts; billing reads the ledger. Names come from the
 * operator's configuration, never from a caller, and the number of pairs is bounded. A request adds to plain numbers,
 * which the library reads when it is scraped.
 */
import { Counter, Histogram, type Registry } from 'prom-client'
import { eachMeter, type Meter, meterNames, meters } from '../../contract/meters.ts'
import type { EndReason, Settled, Settlement } from '../ledger/types.ts'
import type { WastedAttempt } from './request.ts'

export interface MeasuredSettlement {
  /** Public name. */
  readonly model: string
  readonly settlement: Settlement
  readonly result: Settled
  /** What was reserved, in nano-USD; null: not known any more, as for background responses. */
  readonly held: bigint | null
  /** What other attempts cost, which is a part of what was written off; left out: nothing. */
  readonly wasted?: readonly WastedAttempt[]
}

/** The model and the upstream of all pairs that have no series of their own. */
const otherName = 'other'
const firstByteBuckets = [0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 12, 30, 60, 120]

/** The sums of one pair. */
interface PairSums {
  readonly pair: { readonly model: string; readonly upstream: string }
  readonly ended: Map<EndReason, number>
  readonly tokens: Record<Meter, number>
  charged: number
  held: number
  upstreamCost: number
  writtenOff: number
  readonly firstByte: { observe(seconds: number): void }
}

/** The counters that have one value for each pair. */
const amounts = {
  charged: { name: 'tollgate_charged_usd_total', help: 'Charged to accounts, in USD.' },
  held: {
    name: 'tollgate_held_usd_total',
    help: 'Reserved by settled requests before they began, in USD.',
  },
  upstreamCost: {
    name: 'tollgate_upstream_cost_usd_total',
    help: 'What upstreams charge for the usage, in USD.',
  },
  writtenOff: { name: 'tollgate_written_off_usd_total', help: 'Not charged to accounts, in USD.' },
} as const
const amountNames = Object.keys(amounts) as readonly (keyof typeof amounts)[]

/**
 * Returns what counts a settled request.
 * @param pairsMax pairs of a model and an upstream with series of their own
 */
export function usageMetrics(registry: Registry, pairsMax: number): (settled: MeasuredSettlement) => void {
  const known = new Map<string, PairSums>()
  registerCounters(registry, known)
  const firstByte = new Histogram({
    name: 'tollgate_first_byte_seconds',
    help: 'Time from the request line to the first byte of the upstream response.',
    labelNames: ['model', 'upstream'],
    buckets: firstByteBuckets,
    registers: [registry],
  })

  function sumsOf(model: string, upstream: string): PairSums {
    const name = `${model}\n${upstream}`
    const found = known.get(name)
    if (found !== undefined) return found
    if (known.size >= pairsMax && model !== otherName) return sumsOf(otherName, otherName)
    const pair = { model, upstream }
    const sums: PairSums = {
      pair,
      ended: new Map(),
      tokens: eachMeter(() => 0),
      ...{ charged: 0, held: 0, upstreamCost: 0, writtenOff: 0 },
      firstByte: firstByte.labels(pair),
    }
    known.set(name, sums)
    return sums
  }

  return ({ model, settlement: { receipt }, result, held, wasted = [] }) => {
    const sums = sumsOf(model, receipt.upstream)
    sums.ended.set(receipt.endReason, (sums.ended.get(receipt.endReason) ?? 0) + 1)
    for (const meter of meterNames) sums.tokens[meter] += receipt[meter]
    sums.charged += inUsd(result.charged)
    sums.upstreamCost += inUsd(receipt.upstreamCost)
    sums.writtenOff += inUsd(result.writtenOff)
    for (const { candidate, plan, cost } of wasted) {
      sums.writtenOff -= inUsd(cost)
      sumsOf(plan.model.name, candidate.upstream.name).writtenOff += inUsd(cost)
    }
    if (held !== null) sums.held += inUsd(held)
    if (receipt.firstByteMs !== null)
      sums.firstByte.observe((receipt.firstByteMs - receipt.startedMs) / 1_000)
  }
}

function registerCounters(registry: Registry, known: ReadonlyMap<string, PairSums>): void {
  const registers = [registry]
  const labelNames = ['model', 'upstream'] as const
  for (const amount of amountNames) {
    new Counter({
      ...amounts[amount],
      labelNames,
      registers,
      collect() {
        this.reset()
        for (const { pair, [amount]: value } of known.values()) this.inc(pair, value)
      },
    })
  }
  new Counter({
    name: 'tollgate_settled_requests_total',
    help: 'Settled requests by how they ended, such as `complete` or `client_abort`.',
    labelNames: [...labelNames, 'end'] as const,
    registers,
    collect() {
      this.reset()
      for (const { pair, ended } of known.values())
        for (const [end, count] of ended) this.inc({ ...pair, end }, count)
    },
  })
  new Counter({
    name: 'tollgate_tokens_total',
    help: 'Billed tokens by class.',
    labelNames: [...labelNames, 'meter'] as const,
    registers,
    collect() {
      this.reset()
      for (const { pair, tokens } of known.values())
        for (const meter of meterNames)
          if (tokens[meter] > 0) this.inc({ ...pair, meter: meters[meter].column }, tokens[meter])
    },
  })
}

/** For charts only: a float cannot hold every amount. */
const inUsd = (nano: bigint): number => Number(nano) / 1e9
