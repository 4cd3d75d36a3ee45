/**
 * Whether the server is reachable. A failed request triggers a check; while the server is away it is polled, and
 * listeners are notified when it is back. Knows nothing of other requests.
 */
import { useSyncExternalStore } from 'react'

const againMs = 2_000

let isAway = false
let checking: Promise<void> | undefined
const listeners = new Set<() => void>()
const returned = new Set<() => void>()

/** Checks the server after a failed request. Resolves when it answers. */
export function whenThere(): Promise<void> {
  checking ??= check().finally(() => {
    checking = undefined
  })
  return checking
}

async function check(): Promise<void> {
  while (!(await answers())) {
    set(true)
    await new Promise((resolve) => setTimeout(resolve, againMs))
  }
  if (!isAway) return
  set(false)
  for (const callback of returned) callback()
}

/** A proxy that cannot reach the server answers too, but with an error. */
async function answers(): Promise<boolean> {
  try {
    const { ok } = await fetch('/livez', { cache: 'no-store', credentials: 'omit' })
    return ok
  } catch {
    return false
  }
}

function set(next: boolean): void {
  isAway = next
  for (const listener of listeners) listener()
}

/** Calls back when the server is reachable again. Returns the function that stops it. */
export function onReturn(callback: () => void): () => void {
  returned.add(callback)
  return () => returned.delete(callback)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether the server is known to be unreachable. */
export function useAway(): boolean {
  return useSyncExternalStore(subscribe, () => isAway)
}

/** Lazy-loaded code: waits while the server is away. Fails when the server is there and has no such code. */
export function patiently<Module>(load: () => Promise<Module>): () => Promise<Module> {
  return async () => {
    try {
      return await load()
    } catch {
      await whenThere()
      return load()
    }
  }
}
