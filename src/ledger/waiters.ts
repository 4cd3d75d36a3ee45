/**
 * Requests that wait for funds of their own account: woken when a hold closed or credit arrived, or
 * at their deadline. Bounded per account. Decides nothing about money.
 */
import type { Clock } from '../base/clock.ts'

export interface Waiters {
  /**
   * Resolves at the account's next `wake`, or after `waitMs`. When too many wait already the one that
   * waited longest is woken for it: it is the likeliest to have been given up.
   */
  wait(account: bigint, waitMs: number): Promise<void>
  wake(account: bigint): void
}

export function openWaiters(clock: Clock, perAccountMax: number): Waiters {
  const waiting = new Map<bigint, Set<() => void>>()

  return {
    wait(account, waitMs) {
      const others = waiting.get(account) ?? new Set()
      if (others.size >= perAccountMax) others.values().next().value?.()
      waiting.set(account, others)
      return new Promise((resolve) => {
        const done = (): void => {
          timer.cancel()
          others.delete(done)
          if (others.size === 0 && waiting.get(account) === others) waiting.delete(account)
          resolve()
        }
        const timer = clock.after(waitMs, done)
        others.add(done)
      })
    },
    wake(account) {
      for (const done of [...(waiting.get(account) ?? [])]) done()
    },
  }
}
