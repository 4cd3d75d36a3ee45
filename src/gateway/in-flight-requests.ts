/**
 * The requests that run right now, so that a person, a revoked key, a suspended account or a shutdown can stop
 * them, a shutdown can wait for them, and a retry budget can know how many there are.
 */
import { TollgateError } from '../base/errors.ts'
import type { Interruptible } from '../base/interruption.ts'
import { type LoadLevel, type LoadShare, shouldShed } from '../http/load-shedding.ts'

/** Whose request it is. */
export interface Owner {
  readonly account: bigint
  readonly key: bigint
}

interface InFlightEntry {
  readonly work: Interruptible
  /** Ends a request that holds nothing yet, wherever it waits. */
  readonly cut: () => void
  owner: Owner | null
  /** The model that it asks for, as it wrote it. */
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
  /** Retries under way, for the retry budget. */
  retries = 0

  /** How many hold money. */
  get count(): number {
    return this.#holding
  }

  /** A request was taken on: it is waited for until it leaves. */
  enter(id: bigint, request: Pick<InFlightEntry, 'work' | 'cut'>): void {
    this.#entries.set(id, { ...request, owner: null, model: null, holds: false })
  }

  /** Its key is known: revoking it, or suspending its account, stops the request from here on. */
  identify(id: bigint, { account, key }: Owner): void {
    const entry = this.#entries.get(id)
    if (entry === undefined || entry.owner !== null) return
    entry.owner = { account, key }
    this.#identified += 1
    this.#byAccount.set(account, (this.#byAccount.get(account) ?? 0) + 1)
  }

  /** What is in flight beside one more request of the account. */
  shareOf(account: bigint): LoadShare {
    const own = this.#byAccount.get(account) ?? 0
    return { requests: this.#identified, own, accounts: this.#byAccount.size }
  }

  /** What it asks for is known. */
  asks(id: bigint, model: string): void {
    const entry = this.#entries.get(id)
    if (entry !== undefined) entry.model = model
  }

  /** What is known of a request by now; null: nobody knows whose it is. */
  known(id: bigint): (Owner & { readonly model: string | null }) | null {
    const entry = this.#entries.get(id)
    return entry === undefined || entry.owner === null ? null : { ...entry.owner, model: entry.model }
  }

  /** It holds money from here on, and ends in its own way when it is stopped. */
  hold(id: bigint): void {
    const entry = this.#entries.get(id)
    if (entry === undefined || entry.holds) return
    entry.holds = true
    this.#holding += 1
  }

  leave(id: bigint): void {
    const entry = this.#entries.get(id)
    if (entry?.holds === true) this.#holding -= 1
    if (entry?.owner != null) this.#forget(entry.owner.account)
    this.#entries.delete(id)
    if (this.#entries.size === 0) for (const listener of this.#idleListeners.splice(0)) listener()
  }

  #forget(account: bigint): void {
    const left = (this.#byAccount.get(account) ?? 0) - 1
    this.#identified -= 1
    if (left > 0) this.#byAccount.set(account, left)
    else this.#byAccount.delete(account)
  }

  /** Ends one that holds money, in its own way: what was delivered is charged. False: it does not run here. */
  stopRequest(id: bigint, error: TollgateError): boolean {
    const entry = this.#entries.get(id)
    if (entry === undefined || !entry.holds) return false
    entry.work.interrupt({ kind: 'stopped', error })
    return true
  }

  stopKey(key: bigint, error: TollgateError): void {
    this.#stopWhere((owner) => owner.key === key, error)
  }

  stopAccount(account: bigint, error: TollgateError): void {
    this.#stopWhere((owner) => owner.account === account, error)
  }

  #stopWhere(isMeant: (owner: Owner) => boolean, error: TollgateError): void {
    for (const { owner, work } of [...this.#entries.values()]) {
      if (owner !== null && isMeant(owner)) work.interrupt({ kind: 'stopped', error })
    }
  }

  stopAll(error: TollgateError): void {
    for (const entry of [...this.#entries.values()]) {
      entry.work.interrupt({ kind: 'stopped', error })
      if (!entry.holds) entry.cut()
    }
  }

  /** Resolves once no request runs. */
  whenIdle(): Promise<void> {
    if (this.#entries.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idleListeners.push(resolve))
  }
}

/** Throws 503 where the server is saturated and this account is one that causes it; see `shouldShed`. */
export function shedLoad(
  { inFlight, load }: { readonly inFlight: InFlightRequests; readonly load: { level(): LoadLevel } },
  account: bigint,
): void {
  const level = load.level()
  if (level === 'none' || !shouldShed(level, inFlight.shareOf(account))) return
  throw new TollgateError('overloaded', {
    message: 'This server is at its limit; try again.',
    retryAfterMs: 2_000,
  })
}
