/**
 * The only HTTP client: sends a prepared request to an upstream and reports the response chunk by chunk. Hides undici,
 * follows no redirect, decodes nothing and has no deadline except for connecting. Does not interpret the bytes.
 */
import type { Clock } from '../base/clock.ts'
import { Origin, type OriginOptions } from './connections.ts'
import { UpstreamExchange } from './exchange.ts'

/** What is sent. */
export interface UpstreamRequest {
  /** Scheme, host and port; no path. */
  readonly origin: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path and query. */
  readonly path: string
  /** Flat: name, value, name, value; without host, content-length and connection. */
  readonly headers: readonly string[]
  /** The body's bytes in order; empty for no body. */
  readonly body: readonly Uint8Array[]
}

export interface SendFailure {
  readonly kind: 'refused' | 'connect_timeout' | 'dns' | 'tls' | 'reset' | 'aborted' | 'protocol'
  /** Bytes of the request may have reached the upstream: it may have worked on it. */
  readonly requestSent: boolean
  /** A keep-alive connection broke before the first byte of the response: the request was most likely not read. */
  readonly stale: boolean
  /** For the log, never for the caller. */
  readonly detail: string
}

/** Receives one head, then chunks, then exactly one of end and failed; nothing after an abort. Must not throw. */
export interface ExchangeListener {
  /** Names in lower case; a repeated header's values are joined by `, `. */
  head(status: number, headers: ReadonlyMap<string, string>): void
  chunk(bytes: Uint8Array): void
  /** The HTTP response is complete. */
  end(): void
  failed(failure: SendFailure): void
}

/** `waiting` for the head → `answering` → `ended` or `failed`; `aborted` from any of the first two. */
export type ExchangeState = 'waiting' | 'answering' | 'ended' | 'failed' | 'aborted'

/** One request under way. */
export interface Exchange {
  /** Bytes of the request may have reached the upstream. */
  readonly requestSent: boolean
  /** The state as delivered to the listener. */
  readonly state: ExchangeState
  /** Replaces the listener; undelivered events are delivered immediately and in order, unless paused. */
  listen(listener: ExchangeListener): void
  /** Delivers nothing until `resume`, not even the end; backpressure reaches the upstream. */
  pause(): void
  resume(): void
  /** Closes the connection immediately; no further events. Harmless after the end. */
  abort(): void
}

export interface Sender {
  /** Never throws for an upstream's fault or an invalid header; those arrive as `failed`. */
  send(request: UpstreamRequest): Exchange
  /** Connections to an origin that are open or being opened. */
  openSockets(origin: string): number
  /** Fails what is under way as `aborted` and closes every connection. */
  close(): Promise<void>
}

export interface SendLimits {
  readonly connectMs: number
  readonly socketsPerOriginMax: number
  readonly idleSocketMs: number
  readonly upstreamHeaderBytesMax: number
}

export function openSender({ limits, clock }: { limits: SendLimits; clock: Clock }): Sender {
  const options: OriginOptions = { limits, clock }
  const origins = new Map<string, Origin>()
  return {
    send(request) {
      let origin = origins.get(request.origin)
      if (origin === undefined) {
        origin = new Origin(request.origin, options)
        origins.set(request.origin, origin)
      }
      const exchange = new UpstreamExchange(origin)
      exchange.begin(request)
      return exchange
    },
    openSockets: (origin) => origins.get(origin)?.sockets ?? 0,
    async close() {
      await Promise.all([...origins.values()].map((origin) => origin.close()))
    },
  }
}
