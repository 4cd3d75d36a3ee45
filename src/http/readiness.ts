/** Whether this server can receive requests, as reported by `/readyz`. */

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
}

export async function isReady(parts: ReadinessParts): Promise<boolean> {
  const { isStarted, isDraining, store, commitMsMax, read } = parts
  if (!isStarted || isDraining || !store.canCommit() || store.commitMs() > commitMsMax) return false
  return read().then(
    () => true,
    () => false,
  )
}
