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
