/**
 * The trace of one request: a span for the request, and one for each attempt at an upstream, by the conventions for HTTP
 * and for generative AI. It records what happened and decides nothing.
 * Source: https://github.com/open-telemetry/semantic-conventions-genai
 */
import { type Attributes, otlpAttributes, unixNano } from './otlp.ts'
import { type TraceContext, traceHeaders } from './trace-context.ts'

/** The kinds and status codes of OTLP. */
const spanKinds = { server: 2, client: 3 } as const
const statusError = 2

export interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly traceState: string
  readonly name: string
  readonly kind: (typeof spanKinds)[keyof typeof spanKinds]
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly unknown[]
  readonly status: { readonly code?: typeof statusError }
}

/** Where an attempt is made. */
export interface AttemptTarget {
  readonly upstream: string
  readonly provider: string
  /** The name of the model there. */
  readonly model: string
  readonly operation: string
  /** At an address of the operator's own, which is part of the client's trace; a provider is not. */
  readonly isOperators: boolean
}

/** How an attempt began to be answered, or that it was not. */
export interface AttemptSpanResult {
  readonly status: number | null
  /** A code of the error table; null: it served. */
  readonly failure: string | null
  /** Milliseconds since 1970; null: nothing arrived. */
  readonly firstByteMs: number | null
}

interface AttemptSpan {
  readonly spanId: string
  readonly target: AttemptTarget
  readonly startedMs: number
  result: AttemptSpanResult | null
  endedMs: number | null
}

export interface RequestEnd {
  readonly method: string
  /** The path without names and IDs; null: it is not one of this server. */
  readonly path: string | null
  readonly status: number
  /** A code of the error table, or `ok`. */
  readonly outcome: string
  /** Whether the request had a valid credential. */
  readonly isIdentified: boolean
  /** About the request: its ID, account, key. */
  readonly attributes: Attributes
}

export interface RequestTraceOptions {
  /** The trace of the client; null: none, so that this request begins one. */
  readonly parent: TraceContext | null
  readonly isSampled: boolean
  /** `bytes` random bytes as hexadecimal digits. */
  readonly randomHex: (bytes: number) => string
  /** Milliseconds since 1970, on a clock that is steady during the request. */
  readonly nowMs: () => number
}

export class RequestTrace {
  readonly #options: RequestTraceOptions
  readonly #traceId: string
  readonly #spanId: string
  readonly #startedMs: number
  readonly #attempts: AttemptSpan[] = []
  #usage: Attributes = {}

  constructor(options: RequestTraceOptions) {
    this.#options = options
    this.#traceId = options.parent?.traceId ?? options.randomHex(16)
    this.#spanId = options.randomHex(8)
    this.#startedMs = options.nowMs()
  }

  /** Whether the client decided that the trace is recorded. */
  get isSampledByClient(): boolean {
    return this.#options.parent?.isSampled === true
  }

  /** Begins the span of an attempt; returns the headers that continue the trace at the upstream. */
  attemptStarted(target: AttemptTarget): readonly string[] {
    const { nowMs, randomHex, isSampled, parent } = this.#options
    const spanId = randomHex(8)
    this.#endAttempt()
    this.#attempts.push({ spanId, target, startedMs: nowMs(), result: null, endedMs: null })
    // Clients' tracing state may identify them, so it goes only to the operator's upstreams.
    const state = target.isOperators ? (parent?.state ?? '') : ''
    return traceHeaders({ traceId: this.#traceId, spanId, isSampled, state })
  }

  /** The attempt is answered or has failed; the span of one that is answered ends with its last byte. */
  attemptAnswered(result: AttemptSpanResult): void {
    const attempt = this.#attempts.at(-1)
    if (attempt === undefined) return
    attempt.result = result
    if (result.failure !== null) this.#endAttempt()
  }

  /** Usage and cost of the request, once it is settled. */
  settled(usage: Attributes): void {
    this.#usage = usage
    this.#endAttempt()
  }

  /** All spans; empty where the trace is not sampled. */
  ended(end: RequestEnd): readonly OtlpSpan[] {
    if (!this.#options.isSampled) return []
    this.#endAttempt()
    const spans = this.#attempts.map((attempt) =>
      this.#attemptSpan(attempt, attempt === this.#attempts.at(-1)),
    )
    return [this.#requestSpan(end), ...spans]
  }

  #endAttempt(): void {
    const attempt = this.#attempts.at(-1)
    if (attempt !== undefined) attempt.endedMs ??= this.#options.nowMs()
  }

  #requestSpan({ method, path, status, outcome, attributes }: RequestEnd): OtlpSpan {
    return {
      ...this.#common(this.#spanId, this.#options.parent?.spanId ?? ''),
      name: path === null ? method : `${method} ${path}`,
      kind: spanKinds.server,
      startTimeUnixNano: unixNano(this.#startedMs),
      endTimeUnixNano: unixNano(this.#options.nowMs()),
      attributes: otlpAttributes({
        'http.request.method': method,
        'http.route': path ?? undefined,
        'http.response.status_code': status,
        'error.type': outcome === 'ok' ? undefined : outcome,
        ...attributes,
        ...this.#usage,
      }),
      // An error of the caller is not one of the server.
      status: status >= 500 ? { code: statusError } : {},
    }
  }

  #attemptSpan({ spanId, target, startedMs, endedMs, result }: AttemptSpan, isLast: boolean): OtlpSpan {
    const failure = result?.failure ?? null
    const firstByteMs = result?.firstByteMs ?? null
    return {
      ...this.#common(spanId, this.#spanId),
      name: `${target.operation} ${target.model}`,
      kind: spanKinds.client,
      startTimeUnixNano: unixNano(startedMs),
      endTimeUnixNano: unixNano(endedMs ?? startedMs),
      attributes: otlpAttributes({
        'gen_ai.operation.name': target.operation,
        'gen_ai.provider.name': target.provider,
        'gen_ai.request.model': target.model,
        'tollgate.upstream': target.upstream,
        'http.response.status_code': result?.status ?? undefined,
        'error.type': failure ?? undefined,
        'gen_ai.response.time_to_first_chunk':
          firstByteMs === null ? undefined : Math.max(0, firstByteMs - startedMs) / 1_000,
        ...(isLast && failure === null ? this.#usage : {}),
      }),
      status: failure === null ? {} : { code: statusError },
    }
  }

  #common(spanId: string, parentSpanId: string) {
    const traceState = this.#options.parent?.state ?? ''
    return { traceId: this.#traceId, spanId, parentSpanId, traceState }
  }
}
