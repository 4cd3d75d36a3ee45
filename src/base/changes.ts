/**
 * Notifies the listeners of an account that its data changed. Publishing is free without listeners, and changes within
 * a short interval are merged. Nothing is stored: a client that missed a change reads the data again.
 */
import type { Topic } from '../../contract/events.ts'
import type { Clock } from './clock.ts'

export interface Change {
  readonly topics: readonly Topic[]
  /** The request that finished last. */
  readonly request: bigint | null
}

type Listener = (change: Change) => void

/** Called when an account gets its first subscriber and when it loses its last one. */
type WatchListener = (account: bigint, isWatched: boolean) => void

interface PendingChange {
  readonly topics: Set<Topic>
  request: bigint | null
}

export interface ChangesLimits {
  /** How long changes are collected before they are published. */
  readonly changesGatherMs: number
}

export class Changes {
  readonly #clock: Clock
  readonly #gatherMs: number
  readonly #listeners = new Map<bigint, Set<Listener>>()
  readonly #pending = new Map<bigint, PendingChange>()
  #onWatched: WatchListener = () => {}

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
    this.#clock.after(this.#gatherMs, () => this.#publishGathered(account))
  }

  /** Publishes to all accounts with subscribers: for changes of the whole installation. */
  publishToAll(topics: readonly Topic[]): void {
    for (const account of this.#listeners.keys()) this.publish(account, topics)
  }

  /** For publishers that publish changes of accounts only while they have subscribers. */
  onWatched(listener: WatchListener): void {
    this.#onWatched = listener
  }

  /** Returns a function that unsubscribes. */
  watch(account: bigint, listener: Listener): () => void {
    const known = this.#listeners.get(account)
    const listeners = known ?? new Set()
    listeners.add(listener)
    this.#listeners.set(account, listeners)
    if (known === undefined) this.#onWatched(account, true)
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0 || this.#listeners.get(account) !== listeners) return
      this.#listeners.delete(account)
      this.#onWatched(account, false)
    }
  }

  #publishGathered(account: bigint): void {
    const pending = this.#pending.get(account)
    this.#pending.delete(account)
    if (pending === undefined) return
    const change: Change = { topics: [...pending.topics], request: pending.request }
    for (const listener of this.#listeners.get(account) ?? []) listener(change)
  }
}
