/** After a failed submit, focuses the first invalid field, also in a collapsed section. */
import { type RefObject, useEffect, useRef } from 'react'

/** `problems`: a new value for each attempt. */
export function useFocusProblem(problems: object): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (Object.keys(problems).length === 0) return
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')
    const part = field?.closest('details')
    if (part != null) part.open = true
    field?.focus()
  }, [problems])
  return form
}
