/**
 * Sends spans and metrics to a collector: OTLP over HTTP, as JSON or protobuf. Spans wait in a bounded queue; what does not fit, or is
 * not accepted, is dropped and counted. Nothing here delays a request or fails one.
 */
import type { Clock, Timer } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { eventLoopTurns } from '../base/steps.ts'
import type { OtlpProtocol } from '../config/telemetry.ts'
import type { Sender } from '../providers/send.ts'
import { type Attributes, otlpAttributes, otlpScope } from './otlp.ts'
import type { OtlpMetric } from './prometheus-metrics.ts'
import type { OtlpSpan } from './request-trace.ts'

/** How long an export may take. */
const telemetryTimeoutMs = 10_000

export interface ExporterLimits {
  readonly spansQueuedMax: number
  readonly spansPerExportMax: number
  readonly spanExportMs: number
}

export interface ExporterOptions {
  readonly sender: Pick<Sender, 'send'>
  readonly clock: Clock
  readonly log: Log
  readonly limits: ExporterLimits
  /** The collector's base URL; `/v1/traces` and `/v1/metrics` follow it. */
  readonly endpoint: URL
  readonly protocol: OtlpProtocol
  /** Flat: name, value, name, value. */
  readonly headers: readonly string[]
  readonly resource: Attributes
  /** Spans that were not delivered. */
  readonly dropped: (count: number) => void
}

/** `retry`: the collector may take the same later. */
type Delivery = 'accepted' | 'retry' | 'rejected'

type Exported = 'traces' | 'metrics'

/** How a message is written: it has one member, a list whose items are written apart. */
interface Encoding {
  readonly contentType: string
  part(kind: Exported, item: object): Promise<Uint8Array>
  whole(kind: Exported, parts: readonly Uint8Array[]): Buffer
}

const members = { traces: 'resourceSpans', metrics: 'resourceMetrics' } as const

const encodings: Readonly<Record<OtlpProtocol, Encoding>> = {
  'http/json': {
    contentType: 'application/json',
    part: async (_, item) => Buffer.from(JSON.stringify(item)),
    whole: (kind, parts) => Buffer.from(`{"${members[kind]}":[${parts.join(',')}]}`),
  },
  'http/protobuf': {
    contentType: 'application/x-protobuf',
    async part(kind, item) {
      const { otlpProtobuf } = await import('./otlp-protobuf.ts')
      return otlpProtobuf(kind, { [members[kind]]: [item] })
    },
    // Messages that are appended to each other are one message with all items.
    whole: (_, parts) => Buffer.concat(parts),
  },
}

/** The responses that the protocol lets a client repeat. */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504])
const oneMetric = eventLoopTurns(1)

export class OtlpExporter {
  readonly #options: ExporterOptions
  readonly #resource: object
  readonly #encoding: Encoding
  #queue: OtlpSpan[] = []
  #timer: Timer | undefined
  #sending: Promise<void> | undefined
  /** The collector asked for a repetition, so that the next export waits for the timer. */
  #isPausing = false
  #isClosed = false
  #isFailing = false

  constructor(options: ExporterOptions) {
    this.#options = options
    this.#encoding = encodings[options.protocol]
    this.#resource = { attributes: otlpAttributes(options.resource) }
  }

  add(spans: readonly OtlpSpan[]): void {
    if (spans.length === 0) return
    const { limits, dropped } = this.#options
    const isFull = this.#queue.length + spans.length > limits.spansQueuedMax
    if (isFull || this.#isClosed) return dropped(spans.length)
    this.#queue.push(...spans)
    if (this.#queue.length >= limits.spansPerExportMax && !this.#isPausing) this.#flushSoon()
    else this.#flushLater()
  }

  /** Sends the queue once; spans that the collector does not take are dropped. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    await this.#sending
    while (this.#queue.length > 0) if ((await this.#exportSpans()) !== 'accepted') break
    if (this.#queue.length > 0) this.#options.dropped(this.#queue.length)
    this.#queue = []
  }

  /** Reads and writes one metric at a time, and lets requests run in between: there may be thousands of series. */
  async exportMetrics(metrics: Iterable<OtlpMetric>): Promise<void> {
    const parts: Uint8Array[] = []
    for (const metric of metrics) {
      const scopeMetrics = [{ scope: otlpScope, metrics: [metric] }]
      parts.push(await this.#encoding.part('metrics', { resource: this.#resource, scopeMetrics }))
      await oneMetric.yieldTurn()
    }
    this.#note(await this.#post('metrics', parts))
  }

  #flushLater(): void {
    const { clock, limits } = this.#options
    if (!this.#isClosed) this.#timer ??= clock.after(limits.spanExportMs, () => this.#flushSoon())
  }

  /** Only one export is under way; more spans wait for the next one. */
  #flushSoon(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#sending ??= this.#flush().finally(() => {
      this.#sending = undefined
      if (this.#queue.length > 0) this.#flushLater()
    })
  }

  async #flush(): Promise<void> {
    const { spansPerExportMax } = this.#options.limits
    do {
      this.#isPausing = (await this.#exportSpans()) === 'retry'
    } while (!this.#isPausing && !this.#isClosed && this.#queue.length >= spansPerExportMax)
  }

  /** Sends the oldest spans. Spans that the collector may accept later stay in the queue. */
  async #exportSpans(): Promise<Delivery> {
    const spans = this.#queue.slice(0, this.#options.limits.spansPerExportMax)
    const scopeSpans = [{ scope: otlpScope, spans }]
    const part = await this.#encoding.part('traces', { resource: this.#resource, scopeSpans })
    const delivery = await this.#post('traces', [part])
    this.#note(delivery)
    if (delivery === 'retry') return delivery
    this.#queue = this.#queue.slice(spans.length)
    if (delivery === 'rejected') this.#options.dropped(spans.length)
    return delivery
  }

  /** Logs a line when exports begin to fail, and one when they work again. */
  #note(delivery: Delivery): void {
    const isFailing = delivery !== 'accepted'
    const { log, endpoint } = this.#options
    if (isFailing && !this.#isFailing)
      log.warn({ collector: endpoint.origin }, 'telemetry could not be exported')
    if (!isFailing && this.#isFailing) log.info({ collector: endpoint.origin }, 'telemetry is exported again')
    this.#isFailing = isFailing
  }

  #post(kind: Exported, parts: readonly Uint8Array[]): Promise<Delivery> {
    const { sender, clock, endpoint, headers } = this.#options
    return new Promise((resolve) => {
      const exchange = sender.send({
        origin: endpoint.origin,
        method: 'POST',
        path: `${endpoint.pathname.replace(/\/$/, '')}/v1/${kind}`,
        headers: ['content-type', this.#encoding.contentType, 'user-agent', 'tollgate', ...headers],
        body: [this.#encoding.whole(kind, parts)],
      })
      let status = 0
      const timer = clock.after(telemetryTimeoutMs, () => {
        exchange.abort()
        finish('retry')
      })
      const finish = (delivery: Delivery): void => {
        timer.cancel()
        resolve(delivery)
      }
      exchange.listen({
        head(received) {
          status = received
        },
        chunk() {},
        end() {
          if (status >= 200 && status < 300) finish('accepted')
          else finish(retryable.has(status) ? 'retry' : 'rejected')
        },
        failed: () => finish('retry'),
      })
    })
  }
}
