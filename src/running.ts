/**
 * The requests that run right now, so that a revoked key, a suspended account or a shutdown can
 * stop them, and a retry budget can know how many there are.
 */
import type { TollgateError } from './base/errors.ts'
import type { Interruptible } from './base/interruption.ts'

interface Entry {
  readonly key: bigint
  readonly account: bigint
  readonly work: Interruptible
}

export class Running {
  readonly #entries = new Map<bigint, Entry>()
  readonly #idleListeners: (() => void)[] = []
  /** Retries under way, for the retry budget. */
  retries = 0

  get count(): number {
    return this.#entries.size
  }

  add(id: bigint, entry: Entry): void {
    this.#entries.set(id, entry)
  }

  remove(id: bigint): void {
    this.#entries.delete(id)
    if (this.#entries.size === 0) for (const listener of this.#idleListeners.splice(0)) listener()
  }

  stopKey(key: bigint, error: TollgateError): void {
    this.#stop((entry) => entry.key === key, error)
  }

  stopAll(error: TollgateError): void {
    this.#stop(() => true, error)
  }

  /** Resolves once no request runs. */
  whenIdle(): Promise<void> {
    if (this.#entries.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idleListeners.push(resolve))
  }

  #stop(concerns: (entry: Entry) => boolean, error: TollgateError): void {
    for (const entry of [...this.#entries.values()]) {
      if (concerns(entry)) entry.work.interrupt({ kind: 'stopped', error })
    }
  }
}
