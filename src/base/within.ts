/**
 * Waits for something, but not for ever: for the ways out of the process, where what hangs must not keep
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
