/**
 * Waits for something, with a limit: for the shutdown of the process, where one hanging task must not prevent
 * everything else from ending.
 */
import type { Clock } from './clock.ts'

/** True once `promise` resolves, false when it has not after `ms`; rejects as it does. */
export function within(clock: Clock, ms: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => resolve(false))
    promise.then(() => resolve(true), reject).finally(() => timer.cancel())
  })
}
