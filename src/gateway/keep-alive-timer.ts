/** Keep-alives of streams whose upstream has not responded yet. */
import type { Clock } from '../base/clock.ts'
import type { PlannedWork, RequestContext, RequestLifecycle } from './request.ts'
import { firstKeepAlive, keepAlive, streamHeaders } from './response-headers.ts'

interface KeepAliveDeps {
  readonly clock: Clock
  readonly limits: { readonly peekMs: number; readonly keepAliveMs: number }
}

/** Sends keep-alives to the client of a stream, across all attempts of its request. */
export class KeepAliveTimer {
  readonly #deps: KeepAliveDeps
  readonly #context: RequestContext
  readonly #lifecycle: RequestLifecycle
  #dueMs: number

  constructor(deps: KeepAliveDeps, context: RequestContext, lifecycle: RequestLifecycle) {
    this.#deps = deps
    this.#context = context
    this.#lifecycle = lifecycle
    this.#dueMs = deps.clock.monoMs() + deps.limits.peekMs
  }

  /** The time until the next keep-alive. */
  get leftMs(): number {
    return Math.max(0, this.#dueMs - this.#deps.clock.monoMs())
  }

  /** Commits the 200 of a stream before its upstream responds; another upstream may still serve it. */
  keep(work: PlannedWork): void {
    const { client } = this.#context
    const isBegun = client.headersSent
    if (!isBegun) {
      client.begin(200, streamHeaders(this.#context, this.#lifecycle.headersOf(work, null), undefined))
    }
    const text = isBegun ? keepAlive(this.#context, false) : firstKeepAlive(this.#context)
    if (text === '') client.flush()
    else client.write(text)
    this.#dueMs = this.#deps.clock.monoMs() + this.#deps.limits.keepAliveMs
  }
}
