/**
 * A bounded map that forgets what was not used for longest. Entries are in two generations: once the newer one is full,
 * what was not used since the older one began is dropped. Of the most recently used ones, half of `sizeMax` always stay.
 *
 * A map that deletes and adds a key at each use copies its table every few uses, and V8 keeps those copies until a full
 * collection.
 */
export class RecentMap<Key, Value> {
  readonly #generationMax: number
  #newer = new Map<Key, Value>()
  #older = new Map<Key, Value>()

  /** `sizeMax`: at least 2. */
  constructor(sizeMax: number) {
    this.#generationMax = Math.max(1, Math.floor(sizeMax / 2))
  }

  /** Asking for it is a use. */
  get(key: Key): Value | undefined {
    const value = this.#newer.get(key)
    if (value !== undefined) return value
    const older = this.#older.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: Key, value: Value): void {
    if (this.#newer.size >= this.#generationMax && !this.#newer.has(key)) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    this.#newer.set(key, value)
  }

  delete(key: Key): void {
    this.#newer.delete(key)
    this.#older.delete(key)
  }

  values(): readonly Value[] {
    return [...new Map([...this.#older, ...this.#newer]).values()]
  }
}
