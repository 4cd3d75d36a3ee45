/**
 * Counts attempts per key within a time window, so that password guessing is throttled without locking out its target. In
 * memory and bounded; losing the counts on exit is harmless.
 */
import type { Clock } from '../../base/clock.ts'

export interface Attempts {
  /** Counts one attempt against every key, or rejects when any key is exhausted. */
  take(keys: readonly AttemptLimit[]): AttemptResult
}

export interface AttemptLimit {
  readonly key: string
  readonly max: number
}

export type AttemptResult =
  /** `refund` uncounts the attempt, for example after a correct password. */
  { readonly kind: 'allowed'; refund(): void } | { readonly kind: 'rejected'; readonly retryAfterMs: number }

interface AttemptWindow {
  readonly sinceMs: number
  count: number
}

/** Fixed windows of `attemptsWindowMs`. */
export function openAttempts(
  clock: Clock,
  {
    attemptsWindowMs,
    attemptsKeptMax,
  }: { readonly attemptsWindowMs: number; readonly attemptsKeptMax: number },
): Attempts {
  /** Ordered by last count, oldest first. */
  const windows = new Map<string, AttemptWindow>()

  function live(key: string, nowMs: number): AttemptWindow | undefined {
    const known = windows.get(key)
    return known !== undefined && nowMs - known.sinceMs < attemptsWindowMs ? known : undefined
  }

  /** Moves the window to the end and evicts the least recently counted ones. */
  function touch(key: string, window: AttemptWindow): AttemptWindow {
    windows.delete(key)
    windows.set(key, window)
    for (const oldest of windows.keys()) {
      if (windows.size <= attemptsKeptMax) break
      windows.delete(oldest)
    }
    return window
  }

  return {
    take(keys) {
      const nowMs = clock.monoMs()
      const known = keys.map(({ key, max }) => ({ key, max, window: live(key, nowMs) }))
      const leftMs = known
        .filter(({ window, max }) => (window?.count ?? 0) >= max)
        .map(({ window }) => (window?.sinceMs ?? nowMs) + attemptsWindowMs - nowMs)
      // Rejections are not counted: they would evict the windows that cause them.
      if (leftMs.length > 0) return { kind: 'rejected', retryAfterMs: Math.max(...leftMs) }
      const counted = known.map(({ key, window }) => touch(key, window ?? { sinceMs: nowMs, count: 0 }))
      for (const window of counted) window.count += 1
      return {
        kind: 'allowed',
        refund: () => {
          for (const window of counted) window.count = Math.max(0, window.count - 1)
        },
      }
    },
  }
}
