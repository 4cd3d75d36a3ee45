/**
 * Tells whoever watches an account that something of it has changed. Publishing costs nothing where nobody watches;
 * what changes within a moment is told at once. Knows no database: what was missed is asked for again.
 */
import type { Topic } from '../../contract/events.ts'
import type { Clock } from './clock.ts'

export interface Change {
  readonly topics: readonly Topic[]
  /** The request that ended last. */
  readonly request: bigint | null
}

type Listener = (change: Change) => void

interface Pending {
  readonly topics: Set<Topic>
  request: bigint | null
}

export interface ChangesLimits {
  /** How long changes are gathered before they are told. */
  readonly changesGatherMs: number
}

export class Changes {
  readonly #clock: Clock
  readonly #gatherMs: number
  readonly #listeners = new Map<bigint, Set<Listener>>()
  readonly #pending = new Map<bigint, Pending>()

  constructor(clock: Clock, { changesGatherMs }: ChangesLimits) {
    this.#clock = clock
    this.#gatherMs = changesGatherMs
  }

  publish(account: bigint, topics: readonly Topic[], request: bigint | null = null): void {
    if (!this.#listeners.has(account)) return
    const pending = this.#pending.get(account)
    if (pending !== undefined) {
      for (const topic of topics) pending.topics.add(topic)
      if (request !== null) pending.request = request
      return
    }
    this.#pending.set(account, { topics: new Set(topics), request })
    this.#clock.after(this.#gatherMs, () => this.#tell(account))
  }

  /** The same for everybody who watches: what is the installation's. */
  publishToAll(topics: readonly Topic[]): void {
    for (const account of this.#listeners.keys()) this.publish(account, topics)
  }

  /** Returns how to stop listening. */
  watch(account: bigint, listener: Listener): () => void {
    const listeners = this.#listeners.get(account) ?? new Set()
    listeners.add(listener)
    this.#listeners.set(account, listeners)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(account) === listeners) this.#listeners.delete(account)
    }
  }

  #tell(account: bigint): void {
    const pending = this.#pending.get(account)
    this.#pending.delete(account)
    if (pending === undefined) return
    const change: Change = { topics: [...pending.topics], request: pending.request }
    for (const listener of this.#listeners.get(account) ?? []) listener(change)
  }
}
