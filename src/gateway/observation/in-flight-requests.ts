/**
 * The requests in flight, so that a user, a revoked key, a suspended account or a shutdown can stop them, a shutdown can
 * wait for them, and the limit of retries knows their number.
 */
import { TollgateError } from '../../base/errors.ts'
import type { Interruptible } from '../../base/interruption.ts'
import { type LoadLevel, type LoadShare, shouldShed } from '../../http/load-shedding.ts'

/** The account and key of a request. */
interface Owner {
  readonly account: bigint
  readonly key: bigint
}

interface InFlightRequest {
  readonly work: Interruptible
  /** Ends a request that has no hold yet, wherever it waits. */
  readonly abort: () => void
}

interface InFlightEntry {
  /** Null once it has left: V8 keeps copies of a map's table, with what was in it, until a full collection. */
  request: InFlightRequest | null
  owner: Owner | null
  /** The requested model, as the request names it. */
  model: string | null
  holds: boolean
}

export class InFlightRequests {
  readonly #entries = new Map<bigint, InFlightEntry>()
  readonly #idleListeners: (() => void)[] = []
  /** Requests in flight of each account. */
  readonly #byAccount = new Map<bigint, number>()
  #identified = 0
  #holding = 0
  /** Retries under way that may make a failure worse. */
  retries = 0

  /** The number of requests with a hold. */
  get count(): number {
    return this.#holding
  }

  /** Registers a request; shutdown waits until it leaves. */
  enter(id: bigint, request: InFlightRequest): void {
    this.#entries.set(id, { request, owner: null, model: null, holds: false })
  }

  /** Records the key of a request: from here on, revoking it or suspending its account stops the request. */
  identify(id: bigint, { account, key }: Owner): void {
    const entry = this.#entries.get(id)
    if (entry === undefined || entry.owner !== null) return
    entry.owner = { account, key }
    this.#identified += 1
    this.#byAccount.set(account, (this.#byAccount.get(account) ?? 0) + 1)
  }

  /** The share of the account in all requests in flight. */
  shareOf(account: bigint): LoadShare {
    const own = this.#byAccount.get(account) ?? 0
    return { requests: this.#identified, own, accounts: this.#byAccount.size }
  }

  setRequestedModel(id: bigint, model: string): void {
    const entry = this.#entries.get(id)
    if (entry !== undefined) entry.model = model
  }

  /** The owner and model of a request, as far as known; null before authentication. */
  ownerOf(id: bigint): (Owner & { readonly model: string | null }) | null {
    const entry = this.#entries.get(id)
    return entry === undefined || entry.owner === null ? null : { ...entry.owner, model: entry.model }
  }

  /** Records that the request has a hold: when it is stopped, it settles before it ends. */
  hold(id: bigint): void {
    const entry = this.#entries.get(id)
    if (entry === undefined || entry.holds) return
    entry.holds = true
    this.#holding += 1
  }

  leave(id: bigint): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    if (entry.holds) this.#holding -= 1
    if (entry.owner !== null) this.#forget(entry.owner.account)
    entry.request = null
    this.#entries.delete(id)
    if (this.#entries.size === 0) for (const listener of this.#idleListeners.splice(0)) listener()
  }

  #forget(account: bigint): void {
    const left = (this.#byAccount.get(account) ?? 0) - 1
    this.#identified -= 1
    if (left > 0) this.#byAccount.set(account, left)
    else this.#byAccount.delete(account)
  }

  /** Stops a request with a hold, which is charged for what was delivered. False: it is not in flight. */
  stopRequest(id: bigint, error: TollgateError): boolean {
    const entry = this.#entries.get(id)
    if (entry === undefined || !entry.holds) return false
    entry.request?.work.interrupt({ kind: 'stopped', error })
    return true
  }

  stopKey(key: bigint, error: TollgateError): void {
    this.#stopWhere((owner) => owner.key === key, error)
  }

  stopAccount(account: bigint, error: TollgateError): void {
    this.#stopWhere((owner) => owner.account === account, error)
  }

  #stopWhere(isMeant: (owner: Owner) => boolean, error: TollgateError): void {
    for (const { owner, request } of [...this.#entries.values()]) {
      if (owner !== null && isMeant(owner)) request?.work.interrupt({ kind: 'stopped', error })
    }
  }

  stopAll(error: TollgateError): void {
    for (const entry of [...this.#entries.values()]) {
      const { request } = entry
      request?.work.interrupt({ kind: 'stopped', error })
      if (!entry.holds) request?.abort()
    }
  }

  /** Resolves when no request is in flight. */
  whenIdle(): Promise<void> {
    if (this.#entries.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idleListeners.push(resolve))
  }
}

/** Throws 503 where the server is saturated and this account contributes to it; see `shouldShed`. */
export function shedLoad(
  { inFlight, load }: { readonly inFlight: InFlightRequests; readonly load: { level(): LoadLevel } },
  account: bigint,
): void {
  const level = load.level()
  if (level === 'none' || !shouldShed(level, inFlight.shareOf(account))) return
  throw new TollgateError('overloaded', {
    message: 'This server is overloaded. Try again.',
    retryAfterMs: 2_000,
  })
}
