/**
 * Rate and concurrency of each account and key, checked before anything of a request is read. Counts every request, also
 * one that is rejected later or that is still sending its body; the ledger counts admitted requests again. In memory: a
 * restart forgets rejected requests. Has no clock.
 */
import { tighter } from './headers.ts'
import { RateWindows } from './rate-meter.ts'
import type { RateLimits, RateState, RateStates } from './types.ts'
import { fits, rateState, waitMs } from './window.ts'

export interface Requester {
  readonly account: bigint
  readonly key: bigint
  readonly accountLimits: RateLimits
  readonly keyLimits: RateLimits
}

/** In the words of the ledger's own rejections. */
export interface GateRejection {
  readonly kind: 'rate'
  readonly limitKind: 'requests' | 'concurrent'
  readonly scope: 'account' | 'key'
  readonly limit: number
  readonly retryAfterMs: number
  readonly rates: RateStates
}

/** How soon a request that met the limit on concurrency may try again. */
const concurrencyRetryMs = 1_000

/** Whose limits hold for a request, the account's first. */
const scopes = ['account', 'key'] as const

export class RequestGate {
  readonly #windows: Readonly<Record<(typeof scopes)[number], RateWindows<bigint>>>
  /** Requests here, by account or key: their ids never meet. */
  readonly #here = new Map<bigint, number>()
  readonly #entered = new Map<bigint, Requester>()

  /** `takersMax`: accounts, and keys, whose last minute is remembered. */
  constructor(takersMax: number) {
    this.#windows = { account: new RateWindows(takersMax), key: new RateWindows(takersMax) }
  }

  /**
   * Lets the request `id` in and counts it, until `leave`; or says why not, and counts nothing: who is rejected for a rate
   * comes back when the answer says, and is let in.
   */
  enter(id: bigint, requester: Requester, nowMs: number): GateRejection | undefined {
    const rejection = this.#rateRejection(requester, nowMs) ?? this.#placeRejection(requester, nowMs)
    if (rejection !== undefined) return rejection
    for (const scope of scopes) {
      if (limitsOf(requester, scope).requestsPerMinute !== null)
        this.#windows[scope].count(requester[scope], nowMs)
      this.#here.set(requester[scope], this.#count(requester[scope]) + 1)
    }
    this.#entered.set(id, requester)
    return undefined
  }

  /** Frees the place of a request that has ended, or is only read on for its bill; harmless when repeated. */
  leave(id: bigint): void {
    const requester = this.#entered.get(id)
    if (requester === undefined) return
    this.#entered.delete(id)
    for (const scope of scopes) {
      const left = this.#count(requester[scope]) - 1
      if (left > 0) this.#here.set(requester[scope], left)
      else this.#here.delete(requester[scope])
    }
  }

  /** The tighter of account and key; null where neither has a limit. */
  requestsLeft(requester: Requester, nowMs: number): RateState | null {
    const [account, key] = scopes.map((scope) => {
      const limit = limitsOf(requester, scope).requestsPerMinute
      if (limit === null) return null
      return rateState(this.#windows[scope].at(requester[scope], nowMs), 'requests', limit, nowMs)
    })
    return tighter(account ?? null, key ?? null)
  }

  #rateRejection(requester: Requester, nowMs: number): GateRejection | undefined {
    for (const scope of scopes) {
      const limit = limitsOf(requester, scope).requestsPerMinute
      if (limit === null) continue
      const window = this.#windows[scope].at(requester[scope], nowMs)
      if (fits(window, 'requests', 1, limit)) continue
      const retryAfterMs = waitMs(window, 'requests', { amount: 1, limit, nowMs })
      return this.#rejection(requester, nowMs, { limitKind: 'requests', scope, limit, retryAfterMs })
    }
    return undefined
  }

  #placeRejection(requester: Requester, nowMs: number): GateRejection | undefined {
    for (const scope of scopes) {
      const limit = limitsOf(requester, scope).concurrent
      if (limit === null || this.#count(requester[scope]) < limit) continue
      const retryAfterMs = concurrencyRetryMs
      return this.#rejection(requester, nowMs, { limitKind: 'concurrent', scope, limit, retryAfterMs })
    }
    return undefined
  }

  #rejection(requester: Requester, nowMs: number, of: Omit<GateRejection, 'kind' | 'rates'>): GateRejection {
    return { kind: 'rate', ...of, rates: { requests: this.requestsLeft(requester, nowMs), tokens: null } }
  }

  #count(taker: bigint): number {
    return this.#here.get(taker) ?? 0
  }
}

const limitsOf = (requester: Requester, scope: (typeof scopes)[number]): RateLimits =>
  scope === 'account' ? requester.accountLimits : requester.keyLimits
