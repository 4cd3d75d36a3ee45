/**
 * An exchange that waits until its request is authorized, and that is sent once more with a new token where the upstream
 * rejects the first one. To its listener it is like any other; no secret is in what it reports.
 */
import { CredentialError } from './credential-error.ts'
import type {
  Authorized,
  Authorizer,
  AuthorizerDeps,
  Exchange,
  ExchangeListener,
  ExchangeState,
  SendFailure,
  UpstreamRequest,
} from './send-types.ts'

export interface AuthorizedSending {
  readonly authorizer: Authorizer
  readonly deps: AuthorizerDeps
  readonly send: (request: UpstreamRequest) => Exchange
}

export class AuthorizedExchange implements Exchange {
  readonly #sending: AuthorizedSending
  /** Forgotten when the upstream has answered. */
  #request: UpstreamRequest | undefined
  #inner: Exchange | undefined
  #listener: ExchangeListener | undefined
  #failure: SendFailure | undefined
  /** The answer is the listener's; until then it may be one that a new token changes. */
  #isAccepted = false
  #isAborted = false
  #isFailed = false
  #isPaused = false
  /** A first sending of the same memory was aborted. */
  #isRepeated = false

  constructor(sending: AuthorizedSending, request: UpstreamRequest) {
    this.#sending = sending
    this.#request = request
  }

  get state(): ExchangeState {
    if (this.#isAborted) return 'aborted'
    if (this.#isFailed) return 'failed'
    return this.#isAccepted ? (this.#inner?.state ?? 'waiting') : 'waiting'
  }

  get requestSent(): boolean {
    return this.#inner?.requestSent ?? false
  }

  get requestWritten(): boolean {
    return !this.#isRepeated && (this.#inner?.requestWritten ?? false)
  }

  begin(isLastTry = false): void {
    const request = this.#request
    if (request === undefined) return
    const { authorizer, deps } = this.#sending
    authorizer.authorize(request, deps).then(
      (authorized) => this.#send(request, authorized, isLastTry),
      (error: unknown) => this.#fail(error),
    )
  }

  listen(listener: ExchangeListener): void {
    this.#listener = listener
    if (this.#isAccepted) this.#inner?.listen(listener)
    this.#deliverFailure()
  }

  pause(): void {
    this.#isPaused = true
    this.#inner?.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#inner?.resume()
    this.#deliverFailure()
  }

  abort(): void {
    if (this.#isFailed) return
    this.#isAborted = true
    this.#inner?.abort()
  }

  #send(request: UpstreamRequest, authorized: Authorized, isLastTry: boolean): void {
    if (this.#isAborted) return
    const inner = this.#sending.send({ ...request, headers: [...request.headers, ...authorized.headers] })
    this.#inner = inner
    if (this.#isPaused) inner.pause()
    inner.listen(this.#judge(inner, isLastTry ? null : authorized))
  }

  /** `retryable` null: the response is final, whatever its status. */
  #judge(inner: Exchange, retryable: Authorized | null): ExchangeListener {
    return {
      head: (status, headers) => {
        if (retryable !== null && this.#sending.authorizer.isTokenRejected(status, headers)) {
          inner.abort()
          this.#inner = undefined
          this.#isRepeated = true
          retryable.discard()
          this.begin(true)
          return
        }
        this.#accept()
        this.#listener?.head(status, headers)
        if (this.#listener !== undefined) inner.listen(this.#listener)
      },
      chunk: (bytes) => this.#listener?.chunk(bytes),
      end: () => this.#listener?.end(),
      failed: (failure) => {
        this.#accept()
        this.#listener?.failed(failure)
      },
    }
  }

  #accept(): void {
    this.#isAccepted = true
    this.#request = undefined
  }

  #fail(error: unknown): void {
    if (this.#isAborted) return
    this.#isFailed = true
    this.#request = undefined
    // The message of another error may quote what was read, which is secret.
    const detail =
      error instanceof CredentialError ? error.message : `obtaining a token failed: ${nameOf(error)}`
    this.#failure = { kind: 'credential', requestSent: false, stale: false, detail }
    this.#deliverFailure()
  }

  #deliverFailure(): void {
    const failure = this.#failure
    if (failure === undefined || this.#listener === undefined || this.#isPaused) return
    this.#failure = undefined
    this.#listener.failed(failure)
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}
