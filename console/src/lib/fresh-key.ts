/**
 * The key that was just created, so that recipes can show it: in this page's memory only, never in storage, a URL or
 * the history. A reload or signing out clears it.
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

/** The key created in this account since the page was loaded, if any. */
export function useFreshKey(account: string): string | undefined {
  const current = useSyncExternalStore(subscribe, () => fresh)
  return current?.account === account ? current.key : undefined
}
