/**
 * The cache of keys, by their hashes: each is read from the store once, and what this process changed is
 * never overwritten by an older read. Bounded; knows nothing of a key's permissions.
 */
import { RecentMap } from '../base/recent-map.ts'

export interface KeyMemoryLimits {
  readonly keysCachedMax: number
  readonly unknownKeysCachedMax: number
}

export interface KeyMemory<Row> {
  /** From memory, else from the store; undefined where there is no such key. */
  find(hash: Uint8Array): Promise<Row | undefined>
  /** The cached key; a change may have stored it during a pending lookup. */
  newest(hash: Uint8Array): Row | undefined
  /** The same by the name that `keyName` gives to a hash. */
  newestNamed(name: string): Row | undefined
  /** Reads in flight are not cached: they may be older than a change of another process. */
  outdateReads(): void
  /** All that are cached. */
  all(): readonly Row[]
  /** Stores the newest row of a key. */
  put(hash: Uint8Array, row: Row): void
}

export function keyMemory<Row>(
  read: (hash: Uint8Array) => Promise<Row | undefined>,
  limits: KeyMemoryLimits,
): KeyMemory<Row> {
  const known = new RecentMap<string, Row>(limits.keysCachedMax)
  // Apart from the known ones, so that a flood of made-up keys cannot push out real ones.
  const unknown = new RecentMap<string, true>(limits.unknownKeysCachedMax)
  const underWay = new Map<string, Promise<Row | undefined>>()
  let reads = 0

  async function ask(name: string, hash: Uint8Array): Promise<Row | undefined> {
    const generation = reads
    const row = await read(hash)
    // A change that was stored in the meantime is newer than what was read.
    const newer = known.get(name)
    if (newer !== undefined) return newer
    if (generation !== reads) return row
    if (row === undefined) unknown.set(name, true)
    else known.set(name, row)
    return row
  }

  return {
    async find(hash) {
      const name = keyName(hash)
      if (unknown.get(name) !== undefined) return undefined
      const found = known.get(name)
      if (found !== undefined) return found
      // Concurrent requests with the same key share one lookup.
      const asked = underWay.get(name)
      if (asked !== undefined) return await asked
      const asking = ask(name, hash).finally(() => {
        if (underWay.get(name) === asking) underWay.delete(name)
      })
      underWay.set(name, asking)
      return await asking
    },
    newest: (hash) => known.get(keyName(hash)),
    newestNamed: (name) => known.get(name),
    outdateReads() {
      reads += 1
      underWay.clear()
    },
    all: () => known.values(),
    put: (hash, row) => known.set(keyName(hash), row),
  }
}

export function keyName(hash: Uint8Array): string {
  return Buffer.from(hash).toString('base64')
}
