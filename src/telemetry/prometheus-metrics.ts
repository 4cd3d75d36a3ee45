/** The metrics of `/metrics` in the JSON form of OTLP, under the same names. */
import type { MetricObjectWithValues, MetricValue, MetricValueWithName } from 'prom-client'
import { otlpAttributes } from './otlp.ts'

/** Values count from the start of the process. */
export const cumulative = 2

export interface OtlpMetric {
  readonly name: string
  readonly description: string
  readonly unit?: string
  readonly sum?: object
  readonly gauge?: object
  readonly histogram?: object
}

export interface PointTimes {
  readonly startTimeUnixNano: string
  readonly timeUnixNano: string
}

type RegisteredMetric = MetricObjectWithValues<MetricValue<string>>

/** `metrics`: as the registry returns them. */
export function* otlpMetrics(metrics: readonly RegisteredMetric[], times: PointTimes): Iterable<OtlpMetric> {
  for (const metric of metrics) {
    const kind = kinds[String(metric.type)]
    if (kind !== undefined) yield { name: metric.name, description: metric.help, ...kind(metric, times) }
  }
}

type Points = Pick<OtlpMetric, 'sum' | 'gauge' | 'histogram'>

/** By the library's name of the type; those without a row are not exported. */
const kinds: Readonly<Record<string, (metric: RegisteredMetric, times: PointTimes) => Points>> = {
  counter: (metric, times) => ({
    sum: {
      aggregationTemporality: cumulative,
      isMonotonic: true,
      dataPoints: numberPoints(metric, times),
    },
  }),
  gauge: (metric, times) => ({ gauge: { dataPoints: numberPoints(metric, times) } }),
  histogram: ({ name, values }, times) => ({
    histogram: { aggregationTemporality: cumulative, dataPoints: histogramPoints(name, values, times) },
  }),
}

function numberPoints({ values }: RegisteredMetric, times: PointTimes): readonly object[] {
  return values.map(({ labels, value }) => ({
    attributes: otlpAttributes({ ...labels }),
    ...times,
    asDouble: value,
  }))
}

interface HistogramPoint {
  readonly labels: Readonly<Record<string, string | number>>
  /** Cumulative, as the library counts them. */
  readonly below: { readonly bound: number; readonly count: number }[]
  sum: number
  count: number
}

/** The library lists buckets, sum and count of all series as one row of values. */
function histogramPoints(
  name: string,
  values: readonly MetricValue<string>[],
  times: PointTimes,
): readonly object[] {
  const points = new Map<string, HistogramPoint>()
  for (const row of values) {
    const { le, ...labels } = row.labels as Record<string, string | number>
    const key = JSON.stringify(labels)
    const point = points.get(key) ?? { labels, below: [], sum: 0, count: 0 }
    points.set(key, point)
    const { metricName } = row as MetricValueWithName<string>
    if (metricName === `${name}_sum`) point.sum = row.value
    else if (metricName === `${name}_count`) point.count = row.value
    else if (le !== undefined && le !== '+Inf') point.below.push({ bound: Number(le), count: row.value })
  }
  return [...points.values()].map(({ labels, below, sum, count }) => {
    const counts = below.map((bucket, index) => bucket.count - (below[index - 1]?.count ?? 0))
    const above = count - (below.at(-1)?.count ?? 0)
    return {
      attributes: otlpAttributes(labels),
      ...times,
      count: String(count),
      sum,
      bucketCounts: [...counts, above].map(String),
      explicitBounds: below.map(({ bound }) => bound),
    }
  })
}
