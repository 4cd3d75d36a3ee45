/** Requests to an upstream, their authorization, and the reporting of responses. Types only. */
import type { Clock } from '../base/clock.ts'
import type { TokenCache } from './token-cache.ts'

export interface UpstreamRequest {
  /** Scheme, host and port; no path. */
  readonly origin: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path and query. */
  readonly path: string
  /** Flat: name, value, name, value; without host, content-length and connection. */
  readonly headers: readonly string[]
  /** The body's bytes in order; empty for no body. */
  readonly body: readonly Uint8Array[]
  /** Adds the headers that authorize the request just before it is sent; absent: they are there already. */
  readonly authorizer?: Authorizer | undefined
}

/** Authorizes requests that a credential does not authorize by itself: with a token, or with a signature over them. */
export interface Authorizer {
  /** Rejects with a CredentialError for what a cloud or a file does. */
  authorize(request: UpstreamRequest, deps: AuthorizerDeps): Promise<Authorized>
  /** Whether a response may mean that the token expired early, so that a new one is worth a try. */
  isTokenRejected(status: number, headers: ReadonlyMap<string, string>): boolean
}

export interface Authorized {
  /** Flat: name, value, name, value. */
  readonly headers: readonly string[]
  /** The upstream rejected the token: it is not used again. */
  discard(): void
}

export interface AuthorizerDeps {
  readonly clock: Clock
  readonly tokens: TokenCache
  /** Requests a token: sent once, bounded in time and size, without following redirects. Rejects with a CredentialError. */
  request(request: UpstreamRequest): Promise<TokenResponse>
}

export interface TokenResponse {
  readonly status: number
  readonly text: string
}

export interface SendFailure {
  /** `credential`: no token or signature could be made, and nothing was sent. */
  readonly kind:
    | 'refused'
    | 'connect_timeout'
    | 'dns'
    | 'tls'
    | 'reset'
    | 'aborted'
    | 'protocol'
    | 'credential'
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

/** A request in progress. */
export interface Exchange {
  /** Bytes of the request may have reached the upstream. */
  readonly requestSent: boolean
  /** All bytes of the request were handed to the system: nothing reads their memory any more. */
  readonly requestWritten: boolean
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

export interface TokenLimits {
  readonly tokenRequestMs: number
  readonly tokenResponseBytesMax: number
  /** How long before it expires a token is replaced. */
  readonly tokenRefreshMs: number
}

export interface SendLimits extends TokenLimits {
  readonly connectMs: number
  readonly socketsPerOriginMax: number
  readonly idleSocketMs: number
  readonly upstreamHeaderBytesMax: number
}
