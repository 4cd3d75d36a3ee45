/**
 * Counts attempts of a kind within a window of time, for whoever makes them: what guesses passwords is slowed down,
 * and who is guessed at is not. In memory and bounded; forgotten without harm when the process ends.
 */
import type { Clock } from '../../base/clock.ts'

export interface Attempts {
  /** Takes one attempt for each key, or none at all: then how long until there is one again. */
  take(keys: readonly AttemptLimit[]): AttemptResult
}

export interface AttemptLimit {
  readonly key: string
  readonly max: number
}

export type AttemptResult =
  /** `giveBack`: it was none after all; a right password is no guess. */
  { readonly kind: 'allowed'; refund(): void } | { readonly kind: 'refused'; readonly retryAfterMs: number }

interface AttemptWindow {
  readonly sinceMs: number
  count: number
}

export function openAttempts(
  clock: Clock,
  {
    attemptsWindowMs,
    attemptsKeptMax,
  }: { readonly attemptsWindowMs: number; readonly attemptsKeptMax: number },
): Attempts {
  /** The one that was counted against first comes first. */
  const windows = new Map<string, AttemptWindow>()

  function live(key: string, nowMs: number): AttemptWindow | undefined {
    const known = windows.get(key)
    return known !== undefined && nowMs - known.sinceMs < attemptsWindowMs ? known : undefined
  }

  /** As the last one that was counted; what nobody was counted against for longest goes. */
  function keep(key: string, window: AttemptWindow): AttemptWindow {
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
      // Only what was granted is remembered: refusals cost nothing, and would push out what they are refused for.
      if (leftMs.length > 0) return { kind: 'refused', retryAfterMs: Math.max(...leftMs) }
      const counted = known.map(({ key, window }) => keep(key, window ?? { sinceMs: nowMs, count: 0 }))
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
