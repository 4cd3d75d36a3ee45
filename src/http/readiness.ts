/** Whether this server can receive requests, as reported by `/readyz`. */
import type { Clock } from '../base/clock.ts'
import { within } from '../base/within.ts'

export interface ReadinessParts {
  /** Everything that a start does is done. */
  readonly isStarted: boolean
  readonly isDraining: boolean
  readonly store: {
    canCommit(): boolean
    /** How long the present commit has taken so far; 0 while there is none. */
    commitMs(): number
  }
  readonly commitMsMax: number
  /** Reads something from the store. */
  readonly read: () => Promise<unknown>
  /** How long that may take. */
  readonly readMsMax: number
  readonly clock: Clock
}

export async function isReady(parts: ReadinessParts): Promise<boolean> {
  const { isStarted, isDraining, store, commitMsMax, read, readMsMax, clock } = parts
  if (!isStarted || isDraining || !store.canCommit() || store.commitMs() > commitMsMax) return false
  return within(clock, readMsMax, read()).catch(() => false)
}
