/**
 * The requests that run right now, so that a revoked key or a shutdown can stop them, a shutdown can wait
 * for them, and a retry budget can know how many there are.
 */
import type { TollgateError } from './base/errors.ts'
import type { Interruptible } from './base/interruption.ts'

interface Entry {
  readonly work: Interruptible
  /** Ends a request that holds nothing yet, wherever it waits. */
  readonly cut: () => void
  key: bigint | null
  holds: boolean
}

export class Running {
  readonly #entries = new Map<bigint, Entry>()
  readonly #idleListeners: (() => void)[] = []
  #holding = 0
  /** Retries under way, for the retry budget. */
  retries = 0

  /** How many hold money. */
  get count(): number {
    return this.#holding
  }

  /** A request was taken on: it is waited for until it leaves. */
  enter(id: bigint, request: Pick<Entry, 'work' | 'cut'>): void {
    this.#entries.set(id, { ...request, key: null, holds: false })
  }

  /** Its key is known: revoking it stops the request from here on. */
  identify(id: bigint, key: bigint): void {
    const entry = this.#entries.get(id)
    if (entry !== undefined) entry.key = key
  }

  /** It holds money from here on, and ends in its own way when it is stopped. */
  hold(id: bigint): void {
    const entry = this.#entries.get(id)
    if (entry === undefined || entry.holds) return
    entry.holds = true
    this.#holding += 1
  }

  leave(id: bigint): void {
    if (this.#entries.get(id)?.holds === true) this.#holding -= 1
    this.#entries.delete(id)
    if (this.#entries.size === 0) for (const listener of this.#idleListeners.splice(0)) listener()
  }

  stopKey(key: bigint, error: TollgateError): void {
    for (const entry of [...this.#entries.values()]) {
      if (entry.key === key) entry.work.interrupt({ kind: 'stopped', error })
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
