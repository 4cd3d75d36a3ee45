/**
 * Counts attempts of a kind within a window of time, for whoever makes them: what guesses passwords is slowed down,
 * and who is guessed at is not. In memory and bounded; forgotten without harm when the process ends.
 */
import type { Clock } from '../base/clock.ts'

export interface Attempts {
  /** Takes one attempt for each key, or none at all: then how long until there is one again. */
  take(keys: readonly Counted[]): Taken
}

export interface Counted {
  readonly key: string
  readonly max: number
}

export type Taken =
  /** `giveBack`: it was none after all; a right password is no guess. */
  { readonly kind: 'taken'; giveBack(): void } | { readonly kind: 'refused'; readonly retryAfterMs: number }

interface Window {
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
  /** The one that began first comes first. */
  const windows = new Map<string, Window>()

  function current(key: string, nowMs: number): Window {
    const known = windows.get(key)
    if (known !== undefined && nowMs - known.sinceMs < attemptsWindowMs) return known
    windows.delete(key)
    const window = { sinceMs: nowMs, count: 0 }
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
      const counted = keys.map(({ key, max }) => ({ window: current(key, nowMs), max }))
      const full = counted.filter(({ window, max }) => window.count >= max)
      if (full.length > 0) {
        const leftMs = full.map(({ window }) => window.sinceMs + attemptsWindowMs - nowMs)
        return { kind: 'refused', retryAfterMs: Math.max(...leftMs) }
      }
      for (const { window } of counted) window.count += 1
      return {
        kind: 'taken',
        giveBack: () => {
          for (const { window } of counted) window.count = Math.max(0, window.count - 1)
        },
      }
    },
  }
}
