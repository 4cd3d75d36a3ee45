/** What is sent to an upstream, and how its response is reported. Types only. */

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

export interface SendLimits {
  readonly connectMs: number
  readonly socketsPerOriginMax: number
  readonly idleSocketMs: number
  readonly upstreamHeaderBytesMax: number
}
