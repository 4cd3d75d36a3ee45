/**
 * Whether the server answers. Whoever gets no answer has it checked; while it is away it is asked again and again, and
 * everybody is told when it is back. Knows nothing of what is asked otherwise.
 */
import { useSyncExternalStore } from 'react'

const againMs = 2_000

let isAway = false
let checking: Promise<void> | undefined
const listeners = new Set<() => void>()
const returned = new Set<() => void>()

/** Something went unanswered: finds out whether the server is away. Resolves when it answers. */
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

/** A proxy that cannot reach the server answers too, but not well. */
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

/** Calls back when the server is there again after it was away. Returns how to stop. */
export function onReturn(callback: () => void): () => void {
  returned.add(callback)
  return () => returned.delete(callback)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether the server is known to be away. */
export function useAway(): boolean {
  return useSyncExternalStore(subscribe, () => isAway)
}

/** Code that is loaded when it is first needed: waits while the server is away. Fails when it is there and has no such code. */
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
