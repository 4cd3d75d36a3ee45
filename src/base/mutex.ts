/** Serializes work: each task begins when the one before it has finished or failed. */

export type Mutex = <Result>(run: () => Promise<Result>) => Promise<Result>

/** Has no limit of its own: open requests bound the queue and are limited where they arrive. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return (run) => {
    const own = last.then(run)
    last = own.catch(() => {})
    return own
  }
}

/** A bounded counting semaphore per key; each acquired place must be released. */
export class KeyedSemaphore {
  readonly #acquired = new Map<bigint, number>()
  readonly #perKeyMax: number

  constructor(perKeyMax: number) {
    this.#perKeyMax = perKeyMax
  }

  /** False, and nothing acquired, when the key has no place left. */
  tryAcquire(key: bigint): boolean {
    const count = this.#acquired.get(key) ?? 0
    if (count >= this.#perKeyMax) return false
    this.#acquired.set(key, count + 1)
    return true
  }

  release(key: bigint): void {
    const count = this.#acquired.get(key) ?? 0
    if (count <= 1) this.#acquired.delete(key)
    else this.#acquired.set(key, count - 1)
  }
}
