/**
 * What somebody has entered and not sent yet, in this page's memory alone: whoever has to sign in again in between
 * finds it where they left it.
 */
import { useState } from 'react'

const drafts = new Map<string, unknown>()

/** `place` names the form and whose it is; the value there when it was left, else `initial`. */
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

/** After it was sent or given up. */
export function forgetDraft(place: string): void {
  drafts.delete(place)
}
