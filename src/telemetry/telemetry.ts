/**
 * OpenTelemetry: traces of requests and metrics of the process, sent to a collector where the operator configured one.
 *
 * `const telemetry = openTelemetry({ … }); context.trace = telemetry.begin(headers, nowMs)`
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Registry } from 'prom-client'
import type { Timer } from '../base/clock.ts'
import type { RandomBytes } from '../base/ids.ts'
import { within } from '../base/within.ts'
import type { TelemetrySettings } from '../config/config.ts'
import type { Sender } from '../providers/send.ts'
import { GenAiMetrics } from './gen-ai-metrics.ts'
import { unixNano } from './otlp.ts'
import { type ExporterLimits, type ExporterOptions, OtlpExporter } from './otlp-exporter.ts'
import { otlpMetrics, type PointTimes } from './prometheus-metrics.ts'
import { type RequestEnd, RequestTrace } from './request-trace.ts'
import { readTraceContext } from './trace-context.ts'
import { type SettledUsage, usageAttributes } from './usage-attributes.ts'

export interface Telemetry {
  /** `nowMs`: milliseconds since 1970, on a clock that is steady during the request. */
  begin(headers: IncomingHttpHeaders, nowMs: () => number): RequestTrace
  settled(trace: RequestTrace | null, usage: SettledUsage, of: { operation: string; seconds: number }): void
  ended(trace: RequestTrace, end: RequestEnd): void
  /** Sends what has not been sent. */
  close(): Promise<void>
}

export interface TelemetryOptions extends Pick<ExporterOptions, 'clock' | 'log'> {
  /** Owned by this object, which closes it. */
  readonly sender: Sender
  readonly settings: TelemetrySettings
  readonly random: RandomBytes
  readonly registry: Registry
  readonly limits: ExporterLimits & {
    readonly metricExportMs: number
    readonly metricPairsMax: number
    readonly closeMs: number
  }
  readonly version: string
  /** Spans that were not delivered. */
  readonly dropped: (count: number) => void
}

export function openTelemetry(options: TelemetryOptions): Telemetry {
  const { settings, registry, clock, limits, version, random, log } = options
  const { serviceName, resource, traceRatio } = settings
  const exporter = new OtlpExporter({
    ...options,
    endpoint: settings.endpoint,
    headers: settings.headers,
    protocol: settings.protocol,
    resource: {
      'service.name': serviceName,
      'service.version': version,
      'service.instance.id': randomUuid(random),
      'process.pid': process.pid,
      ...resource,
    },
  })
  const genAi = new GenAiMetrics(limits.metricPairsMax)
  const startTimeUnixNano = unixNano(clock.wallMs())
  let timer: Timer = clock.after(limits.metricExportMs, exportInTurn)
  let exporting: Promise<void> = Promise.resolve()

  async function exportMetrics(): Promise<void> {
    const times = { startTimeUnixNano, timeUnixNano: unixNano(clock.wallMs()) }
    try {
      const registered = await registry.getMetricsAsJSON()
      await exporter.exportMetrics(metricSteps(registered, times))
    } catch (error) {
      log.error({ err: error }, 'metrics could not be read')
    }
  }

  function* metricSteps(registered: Parameters<typeof otlpMetrics>[0], times: PointTimes) {
    yield* genAi.read(times)
    yield* otlpMetrics(registered, times)
  }

  async function flush(): Promise<void> {
    await exporting
    timer.cancel()
    await exportMetrics()
    await exporter.close()
  }

  function exportInTurn(): void {
    exporting = exportMetrics().finally(() => {
      timer = clock.after(limits.metricExportMs, exportInTurn)
    })
  }

  return {
    begin(headers, nowMs) {
      const parent = readTraceContext(headers)
      const isSampled = parent?.isSampled ?? isChosen(traceRatio, random)
      return new RequestTrace({
        parent,
        isSampled,
        randomHex: (bytes) => Buffer.from(random(bytes)).toString('hex'),
        nowMs,
      })
    },
    settled(trace, usage, { operation, seconds }) {
      genAi.settled(usage, operation, seconds)
      trace?.settled(usageAttributes(usage))
    },
    ended(trace, end) {
      // Clients without a valid key cannot decide what is exported.
      const isIgnored = trace.isSampledByClient && !end.isIdentified && !isChosen(traceRatio, random)
      if (!isIgnored) exporter.add(trace.ended(end))
    },
    async close() {
      await within(clock, limits.closeMs, flush())
      await options.sender.close()
    },
  }
}

/** Whether a trace that begins here is recorded. */
function isChosen(ratio: number, random: RandomBytes): boolean {
  return ratio >= 1 || Buffer.from(random(4)).readUInt32BE() < ratio * 2 ** 32
}

/** Version 4 of RFC 9562. */
function randomUuid(random: RandomBytes): string {
  const bytes = Buffer.from(random(16))
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
