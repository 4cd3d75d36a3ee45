/**
 * The key that was made a moment ago, so that recipes can show it once more: in this page's memory alone, never in
 * storage, an address or the history. It is gone with a reload and with whoever signs out.
 */
import { useSyncExternalStore } from 'react'

export interface FreshKey {
  readonly account: string
  readonly key: string
}

let fresh: FreshKey | undefined
const listeners = new Set<() => void>()

export function keepFreshKey(next: FreshKey): void {
  fresh = next
  for (const listener of listeners) listener()
}

export function forgetFreshKey(): void {
  fresh = undefined
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The key that was made in this account since the page was loaded; undefined where there is none. */
export function useFreshKey(account: string): string | undefined {
  const kept = useSyncExternalStore(subscribe, () => fresh)
  return kept?.account === account ? kept.key : undefined
}
