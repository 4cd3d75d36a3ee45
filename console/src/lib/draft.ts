/**
 * Unsent form input, in this page's memory only: people who must sign in again in between find it where they left it.
 */
import { useState } from 'react'

const drafts = new Map<string, unknown>()

/** `place` names the form and its owner; returns the saved value, else `initial`. */
export function useDraft<Value>(
  place: string,
  initial: () => Value,
): readonly [Value, (change: (before: Value) => Value) => void] {
  const [value, setValue] = useState(() => (drafts.has(place) ? (drafts.get(place) as Value) : initial()))
  return [
    value,
    (change) => {
      const next = change(value)
      drafts.set(place, next)
      setValue(next)
    },
  ]
}

/** After it was sent or canceled. */
export function forgetDraft(place: string): void {
  drafts.delete(place)
}
