/**
 * Token usage and duration of settled requests as histograms, under the names of the conventions for generative AI. Names
 * of models come from the operator's configuration, and the number of series is bounded.
 * Source: https://github.com/open-telemetry/semantic-conventions-genai
 */
import { inputTokens, outputTokens } from '../../contract/meters.ts'
import { type Attributes, otlpAttributes } from './otlp.ts'
import { cumulative, type OtlpMetric, type PointTimes } from './prometheus-metrics.ts'
import type { SettledUsage } from './usage-attributes.ts'

/** The boundaries that the conventions advise. */
const tokenBounds = Array.from({ length: 14 }, (_, power) => 4 ** power)
const secondBounds = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power)
const otherName = 'other'

interface Series {
  readonly attributes: Attributes
  readonly counts: number[]
  count: number
  sum: number
}

class HistogramSeries {
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, Series>()
  readonly #seriesMax: number

  constructor(bounds: readonly number[], seriesMax: number) {
    this.#bounds = bounds
    this.#seriesMax = seriesMax
  }

  record(value: number, attributes: Attributes): void {
    const series = this.#seriesOf(attributes)
    const bucket = this.#bounds.findIndex((bound) => value <= bound)
    const index = bucket < 0 ? this.#bounds.length : bucket
    series.counts[index] = (series.counts[index] ?? 0) + 1
    series.count += 1
    series.sum += value
  }

  points(times: PointTimes): readonly object[] {
    return [...this.#series.values()].map(({ attributes, counts, count, sum }) => ({
      attributes: otlpAttributes(attributes),
      ...times,
      count: String(count),
      sum,
      bucketCounts: counts.map(String),
      explicitBounds: this.#bounds,
    }))
  }

  #seriesOf(attributes: Attributes): Series {
    const name = Object.values(attributes).join('\n')
    const found = this.#series.get(name)
    if (found !== undefined) return found
    if (this.#series.size >= this.#seriesMax && attributes['gen_ai.request.model'] !== otherName)
      return this.#seriesOf({
        ...attributes,
        'gen_ai.request.model': otherName,
        'gen_ai.provider.name': otherName,
      })
    const series = { attributes, counts: Array.from(this.#bounds, () => 0).concat(0), count: 0, sum: 0 }
    this.#series.set(name, series)
    return series
  }
}

export class GenAiMetrics {
  readonly #tokens: HistogramSeries
  readonly #durations: HistogramSeries

  /** `seriesMax`: of each histogram. */
  constructor(seriesMax: number) {
    this.#tokens = new HistogramSeries(tokenBounds, seriesMax)
    this.#durations = new HistogramSeries(secondBounds, seriesMax)
  }

  settled({ model, provider, tokens }: SettledUsage, operation: string, seconds: number): void {
    const request = {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
    }
    this.#durations.record(seconds, request)
    this.#tokens.record(inputTokens(tokens), { ...request, 'gen_ai.token.type': 'input' })
    this.#tokens.record(outputTokens(tokens), { ...request, 'gen_ai.token.type': 'output' })
  }

  /** Yields the metrics, each read on demand. */
  *read(times: PointTimes): Iterable<OtlpMetric> {
    const histogram = (
      name: string,
      unit: string,
      description: string,
      series: HistogramSeries,
    ): OtlpMetric => ({
      ...{ name, unit, description },
      histogram: { aggregationTemporality: cumulative, dataPoints: series.points(times) },
    })
    yield histogram('gen_ai.client.token.usage', '{token}', 'Tokens of settled requests.', this.#tokens)
    yield histogram(
      'gen_ai.client.operation.duration',
      's',
      'Time from the request line to the last byte.',
      this.#durations,
    )
  }
}
