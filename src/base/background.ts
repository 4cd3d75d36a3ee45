/**
 * Work that outlives the request that began it: named, counted, bounded, and awaited at the end
 * of the process. There is no other way to detach a promise.
 */
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

export class Background {
  readonly #clock: Clock
  readonly #log: Log
  readonly #running = new Set<Promise<void>>()

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  get count(): number {
    return this.#running.size
  }

  /** Runs `work` to its end; a failure is logged under `name`. */
  run(name: string, work: () => Promise<void>): void {
    const ended = (): void => void this.#running.delete(running)
    const running: Promise<void> = work().then(ended, (error: unknown) => {
      this.#log.error({ err: error, work: name }, 'background work failed')
      ended()
    })
    this.#running.add(running)
  }

  /** Repeats `work` every `everyMs` until it succeeds, at most `timesMax` times. */
  retry(name: string, work: () => Promise<void>, bounds: { everyMs: number; timesMax: number }): void {
    this.run(name, async () => {
      for (let times = 1; ; times += 1) {
        try {
          return await work()
        } catch (error) {
          if (times >= bounds.timesMax) throw error
          if (times === 1)
            this.#log.warn({ err: error, work: name }, 'background work failed; retrying until it succeeds')
        }
        await new Promise<void>((resolve) => this.#clock.after(bounds.everyMs, resolve))
      }
    })
  }

  /** Resolves when all that was running has ended. */
  async drained(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }
}
