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
import type { RequestContext } from './request.ts'
import { type MeasuredSettlement, usageMetrics } from './usage-metrics.ts'

export interface Metrics {
  readonly registry: Registry
  requestEnded(context: RequestContext, outcome: string, seconds: number): void
  settled(request: MeasuredSettlement): void
  upstreamFailed(provider: string, code: string): void
  /** Files of closed accounts that their upstreams have not deleted yet. */
  filesToDelete(count: number): void
  /** Refused requests that could not be logged. */
  refusalsDropped(count: number): void
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

/** Those of this thread together with those of the others: sums, except where a metric says otherwise. */
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

/** What gauges read when they are scraped. */
export interface MetricSources {
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
    help: 'Requests by dialect and outcome: `ok`, or a code of the error table.',
    labelNames: ['dialect', 'outcome'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'tollgate_request_seconds',
    help: 'Time from the request line to the last byte.',
    labelNames: ['dialect'],
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
    name: 'tollgate_refusals_dropped_total',
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
      requests.inc({ dialect: context.dialect.name, outcome })
      duration.observe({ dialect: context.dialect.name }, seconds)
    },
    upstreamFailed: (provider, code) => failures.inc({ provider, code }),
    refusalsDropped: (count) => dropped.inc(count),
    spansDropped: (count) => spansDropped.inc(count),
    configurationReloaded: (isApplied) => reloaded.set(isApplied ? 1 : 0),
  }
}
