/** Counted places per key, bounded: who takes one gives it back. */
export class KeyedSemaphore {
  readonly #taken = new Map<bigint, number>()
  readonly #perKeyMax: number

  constructor(perKeyMax: number) {
    this.#perKeyMax = perKeyMax
  }

  /** False, and nothing taken, when the key has no place left. */
  tryAcquire(key: bigint): boolean {
    const taken = this.#taken.get(key) ?? 0
    if (taken >= this.#perKeyMax) return false
    this.#taken.set(key, taken + 1)
    return true
  }

  release(key: bigint): void {
    const taken = this.#taken.get(key) ?? 0
    if (taken <= 1) this.#taken.delete(key)
    else this.#taken.set(key, taken - 1)
  }
}
