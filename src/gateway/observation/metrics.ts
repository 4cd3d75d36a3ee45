/**
 * Metrics for the operator's monitoring: counts and durations by format and outcome, never by key, account or a model
 * name that a caller chose.
 */
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import { eachMeter, type Meter, meterNames, meters } from '../../../contract/meters.ts'
import type { EndReason, Settled, Settlement } from '../../ledger/types.ts'
import type { RequestContext, WastedAttempt } from '../request.ts'

export interface Metrics {
  readonly registry: Registry
  requestEnded(context: RequestContext, outcome: string, seconds: number): void
  settled(request: MeasuredSettlement): void
  upstreamFailed(provider: string, code: string): void
  /** Files of closed accounts that their upstreams have not deleted yet. */
  filesToDelete(count: number): void
  /** Rejected requests that could not be logged. */
  rejectionsDropped(count: number): void
  /** Spans that did not reach the collector. */
  spansDropped(count: number): void
  /** Whether the last reload of the configuration took effect. */
  configurationReloaded(isApplied: boolean): void
}

/** The values of one thread's metrics. */
export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[]

/** Metrics as they are scraped. */
export interface MetricsText {
  readonly contentType: string
  text(): Promise<string>
}

/** Metrics of all threads: summed, except where a metric says otherwise. */
export function metricsText(registry: Registry, others: () => Promise<readonly MetricValues[]>): MetricsText {
  const { contentType } = registry
  return {
    contentType,
    async text() {
      const found = await others()
      if (found.length === 0) return registry.metrics()
      const all = [await registry.getMetricsAsJSON(), ...found]
      // The library takes them as they come from another process, where each is an array that has lost its type.
      return AggregatorRegistry.aggregate(all as unknown as object[]).metrics()
    },
  }
}

/** State that gauges read when they are scraped. */
interface MetricSources {
  readonly running: { readonly count: number }
  readonly upstreams: () => readonly { readonly name: string; readonly isHealthy: boolean }[]
}

/** `hasReader`: whether the metrics are scraped or exported; otherwise process metrics are not collected. */
export function createMetrics(
  { running, upstreams }: MetricSources,
  hasReader: boolean,
  { metricPairsMax }: { readonly metricPairsMax: number },
): Metrics {
  const registry = new Registry()
  if (hasReader) {
    collectDefaultMetrics({ register: registry })
    // Gauges under the name of a counter, which `promtool check metrics` rejects; the series by type have the same counts.
    for (const kind of ['handles', 'requests', 'resources'])
      registry.removeSingleMetric(`nodejs_active_${kind}_total`)
  }
  const requests = new Counter({
    name: 'tollgate_requests_total',
    help: 'Requests by format and outcome: `ok`, or a code of the error table.',
    labelNames: ['format', 'outcome'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'tollgate_request_seconds',
    help: 'Time from the request line to the last byte.',
    labelNames: ['format'],
    buckets: [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 1_200, 3_600],
    registers: [registry],
  })
  const failures = new Counter({
    name: 'tollgate_upstream_failures_total',
    help: 'Failed attempts, by provider and code.',
    labelNames: ['provider', 'code'],
    registers: [registry],
  })
  const dropped = new Counter({
    name: 'tollgate_rejections_dropped_total',
    help: 'Rejected requests missing from the rejection log because there were too many or the database failed.',
    registers: [registry],
  })
  const spansDropped = new Counter({
    name: 'tollgate_spans_dropped_total',
    help: 'Spans that the OpenTelemetry collector did not accept, or that there was no room for.',
    registers: [registry],
  })
  new Gauge({
    name: 'tollgate_requests_running',
    help: 'Requests with an open hold.',
    registers: [registry],
    collect() {
      this.set(running.count)
    },
  })
  new Gauge({
    name: 'tollgate_upstream_healthy',
    help: '1, or 0 while an upstream is set aside after failures.',
    labelNames: ['upstream'],
    aggregator: 'min',
    registers: [registry],
    collect() {
      this.reset()
      for (const { name, isHealthy } of upstreams()) this.set({ upstream: name }, isHealthy ? 1 : 0)
    },
  })
  const filesToDelete = new Gauge({
    name: 'tollgate_files_to_delete',
    help: 'Files of closed accounts that their upstreams have not deleted yet.',
    registers: [registry],
  })
  const reloaded = new Gauge({
    name: 'tollgate_config_last_reload_successful',
    help: '1, or 0 where the last reload of the configuration was rejected and the one before it is in use.',
    aggregator: 'min',
    registers: [registry],
  })
  reloaded.set(1)
  return {
    registry,
    settled: usageMetrics(registry, metricPairsMax),
    filesToDelete: (count) => filesToDelete.set(count),
    requestEnded(context, outcome, seconds) {
      requests.inc({ format: context.format.name, outcome })
      duration.observe({ format: context.format.name }, seconds)
    },
    upstreamFailed: (provider, code) => failures.inc({ provider, code }),
    rejectionsDropped: (count) => dropped.inc(count),
    spansDropped: (count) => spansDropped.inc(count),
    configurationReloaded: (isApplied) => reloaded.set(isApplied ? 1 : 0),
  }
}

export interface MeasuredSettlement {
  /** Public name. */
  readonly model: string
  readonly settlement: Settlement
  readonly result: Settled
  /** The reserved amount in nano-USD; null if no longer known, as for background responses. */
  readonly held: bigint | null
  /** Undelivered attempts, whose cost is part of the write-off; omitted if none. */
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
 * Returns what counts a settled request, for dashboards and alerts; billing reads the ledger. Names come from the operator's
 * configuration, and their pairs are bounded. A request adds to plain numbers, which the library reads when it is scraped.
 * @param pairsMax pairs of a model and an upstream with series of their own
 */
function usageMetrics(registry: Registry, pairsMax: number): (settled: MeasuredSettlement) => void {
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
