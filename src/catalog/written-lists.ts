/**
 * Lists of models as JSON that many clients read: written once, and kept until the catalog or a price changes. The number of
 * kept lists is bounded; each has at most the models of the catalog.
 */
import type { Model, Snapshot } from './types.ts'

interface WrittenList {
  readonly bytes: Uint8Array
  readonly fromMs: number
  /** When the first price changes; not included. */
  readonly untilMs: number
}

const minuteMs = 60_000

export class WrittenLists {
  readonly #listsMax: number
  #snapshot: Snapshot | undefined
  /** Least recently written first. */
  readonly #lists = new Map<string, WrittenList>()

  constructor({ writtenListsMax }: { readonly writtenListsMax: number }) {
    this.#listsMax = writtenListsMax
  }

  /** undefined: it must be written. */
  kept(snapshot: Snapshot, key: string, nowMs: number): Uint8Array | undefined {
    if (snapshot !== this.#snapshot) return undefined
    const list = this.#lists.get(key)
    return list !== undefined && list.fromMs <= nowMs && nowMs < list.untilMs ? list.bytes : undefined
  }

  /** Serializes the list of a snapshot with the prices at `nowMs`. */
  written(snapshot: Snapshot, key: string, nowMs: number, list: () => unknown): Uint8Array {
    const kept = this.kept(snapshot, key, nowMs)
    if (kept !== undefined) return kept
    if (snapshot !== this.#snapshot) this.#lists.clear()
    this.#snapshot = snapshot
    const bytes = Buffer.from(JSON.stringify(list()))
    this.#lists.delete(key)
    this.#lists.set(key, { bytes, fromMs: nowMs, untilMs: nextPriceChangeMs(snapshot, nowMs) })
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= this.#listsMax) break
      this.#lists.delete(oldest)
    }
    return bytes
  }
}

/** Prices by the time of day change on the minute. */
function nextPriceChangeMs({ models }: Snapshot, nowMs: number): number {
  let next = Number.POSITIVE_INFINITY
  for (const { prices } of models.values()) next = Math.min(next, nextChangeMs(prices, nowMs))
  return next
}

function nextChangeMs(prices: Model['prices'], nowMs: number): number {
  let next = Number.POSITIVE_INFINITY
  for (const { effectiveFromMs, schedule } of prices) {
    if (effectiveFromMs > nowMs) next = Math.min(next, effectiveFromMs)
    if (schedule !== undefined) next = Math.min(next, (Math.floor(nowMs / minuteMs) + 1) * minuteMs)
  }
  return next
}
